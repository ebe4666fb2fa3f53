"""What sessions of an experiment take from each other: an opening, a fork, material.

Which session takes what from which other one is drawn in the manifest, so that plans, costs and
runs that go on know it before any call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from dissensus.design.again import played_as
from dissensus.design.manifest import rows_of_draw, stream
from dissensus.errors import ResourceError
from dissensus.tables.artefact import Column
from dissensus.tables.common import texts

#: The arm of the sessions that the arms of a draw go on from.
OPENING = "opening"
OPENING_SEED, FORK_SEED = "opening_seed", "fork_seed"

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Fork:
    """An arm that goes on from another one's session, with another text in place of one turn.

    Only what comes after that turn is asked for. ``Experiment.replacement`` makes the text.

    Attributes
    ----------
    of : the other arm.
    turn : the number of the step in which the turn stands.
    speaker : who takes it; may be left out where one speaks in that step.
    """

    of: str
    turn: int
    speaker: str = ""


@dataclass(frozen=True)
class Material:
    """What sessions of one arm said, for those of others to be shown.

    Attributes
    ----------
    of : the arm whose sessions are shown.
    to : the arms that are shown them.
    item : of the same item as the session's, or of another one; "any" is for both.
    count : how many sessions each is shown.
    """

    of: str
    to: tuple[str, ...]
    item: Literal["same", "other", "any"] = "other"
    count: int = 1

    def allows(self, row: Row, other: Row) -> bool:
        """Whether a session may be shown another one, by their rows in the manifest."""
        is_same = row["item_id"] == other["item_id"]
        return self.item == "any" or is_same == (self.item == "same")


@dataclass(frozen=True)
class Sharing:
    """All that the sessions of an experiment take from each other.

    Attributes
    ----------
    arms : of the experiment.
    has_opening : whether the arms of a draw go on from one session.
    forks : arm -> what it is forked from.
    material : name -> what is shown.
    """

    arms: tuple[str, ...]
    has_opening: bool
    forks: Mapping[str, Fork]
    material: Mapping[str, Material]

    @property
    def is_within_items(self) -> bool:
        """Whether sessions take from those of their own item alone, and the first arm from none.

        Then items are independent, and all arms can be played as the first one.
        """
        taking = {*self.forks, *(arm for each in self.material.values() for arm in each.to)}
        is_same = all(each.item == "same" for each in self.material.values())
        return is_same and self.arms[0] not in taking

    @property
    def further_arms(self) -> tuple[str, ...]:
        """What the column of the arm has besides the arms."""
        return (OPENING,) if self.has_opening else ()

    def problems(self) -> Iterator[tuple[str, str]]:
        """The attribute of the study in which something cannot be, and what, as a sentence."""
        if self.has_opening and OPENING in self.arms:
            yield "arms", f"has {OPENING!r}, which is what its opening is called"
        for arm, fork in self.forks.items():
            if unknown := [name for name in (arm, fork.of) if name not in self.arms]:
                yield "forks", f"has the arm {unknown[0]!r}, which is not one of arms"
            elif arm == fork.of or fork.of in self.forks:
                yield "forks", f"forks {arm!r} from {fork.of!r}, which is a fork itself"
            elif fork.turn < 1:
                yield "forks", f"forks {arm!r} at turn {fork.turn}; turns are counted from 1"
        for name, each in self.material.items():
            if unknown := [arm for arm in (each.of, *each.to) if arm not in self.arms]:
                yield "material", f"{name!r} has the arm {unknown[0]!r}, which is not one of arms"
            elif each.item not in ("same", "other", "any"):
                yield "material", f"{name!r} has item {each.item!r}; it may be same, other or any"
            elif each.count < 1:
                yield "material", f"{name!r} has count {each.count}; it must be at least 1"
            elif each.of in self._shown_by(each.to):
                yield "material", f"{name!r} shows {each.of!r} what comes of what it says itself"

    def _shown_by(self, arms: Sequence[str]) -> set[str]:
        """Some arms, and all that read what they say, whatever lies between."""
        reached: set[str] = set()
        queue = list(arms)
        while queue:
            if (arm := queue.pop()) not in reached:
                reached.add(arm)
                queue += [name for each in self.material.values() if each.of == arm
                          for name in each.to]  # fmt: skip
                queue += [name for name, fork in self.forks.items() if fork.of == arm]
        return reached

    def part(self, arm: str) -> int:
        """How many arms must have ended, one after another, before an arm can be shown them."""
        arm = self.plays(arm)
        before = [self.part(each.of) + 1 for each in self.material.values() if arm in each.to]
        if arm in self.forks:
            before.append(self.part(self.forks[arm].of))
        return max(before, default=0)

    def plays(self, arm: str) -> str:
        """The arm whose steps a session has; see :func:`~dissensus.design.again.played_as`."""
        return played_as(arm, self.arms)

    def columns(self) -> dict[str, Column]:
        """The columns of the manifest that say what is taken."""
        seeds = {
            OPENING_SEED: self.has_opening and "Seed of the opening that the session goes on from.",
            FORK_SEED: bool(self.forks) and "Seed of the session that it is forked from.",
        }
        shown = {
            name: texts(f"Sessions of the arm {each.of} that the session is shown.")
            for name, each in self.material.items()
        }
        of_seeds = {name: Column("int?", words) for name, words in seeds.items() if words}
        return {**of_seeds, **shown}

    def order(self, arms: Sequence[str]) -> list[str]:
        """The arms of a draw in the order in which they run: as drawn, but forks last."""
        return sorted(arms, key=lambda arm: self.plays(arm) in self.forks)

    def add(self, rows: Sequence[Row], seed: int) -> list[dict[str, Any]]:
        """The manifest, with the openings and with what each session takes.

        Parameters
        ----------
        rows : of the arms, draw by draw.
        seed : of the run.

        Raises
        ------
        ResourceError : there are fewer sessions than are to be shown.
        """
        draws: dict[str, dict[str, Row]] = {}
        for row in rows:
            draws.setdefault(row["draw_id"], {})[row["arm"]] = row
        shown = {name: self._shown(name, list(draws.values()), seed) for name in self.material}
        made = []
        for index, (draw_id, of_arm) in enumerate(draws.items()):
            taken = {name: sessions[draw_id] for name, sessions in shown.items()}
            opening = self._opening(next(iter(of_arm.values())), index, len(draws), seed)
            made += [opening | {name: [] for name in taken}] if opening else []
            for arm, row in of_arm.items():
                made.append(
                    {
                        **row,
                        **({OPENING_SEED: opening["seed"]} if opening else {}),
                        **({FORK_SEED: self._fork_seed(arm, of_arm)} if self.forks else {}),
                        **{
                            name: ids if self.plays(arm) in self.material[name].to else []
                            for name, ids in taken.items()
                        },
                    }
                )
        return sorted(made, key=lambda row: str(row["session_id"]))

    def _fork_seed(self, arm: str, of_arm: Mapping[str, Row]) -> int | None:
        fork = self.forks.get(self.plays(arm))
        return of_arm[fork.of]["seed"] if fork else None

    def _opening(self, row: Row, index: int, draws: int, seed: int) -> dict[str, Any] | None:
        """The opening of a draw, which comes before its arms; ``row``: of one of these."""
        if not self.has_opening:
            return None
        names = {"session_id", "draw_id", "block", "arm", "position", "seed"}
        shared = {name: value for name, value in row.items() if name not in names}
        (opening,) = rows_of_draw(index, draws, [OPENING], seed, shared)
        seeds = {OPENING_SEED: None} | ({FORK_SEED: None} if self.forks else {})
        return {**opening, "block": row["block"], "position": 0, **seeds}

    def _shown(
        self, name: str, draws: Sequence[Mapping[str, Row]], seed: int
    ) -> dict[str, list[str]]:
        """draw_id -> the sessions that are shown in it.

        The draws stand on a circle in random order, and each is shown the next ones that may be, so
        that all are shown about equally often.
        """
        each = self.material[name]
        order = [int(place) for place in stream(seed, "material", name).permutation(len(draws))]
        rows = [draws[place][each.of] for place in order]
        shown = {}
        for place, row in enumerate(rows):
            itself = [row] if each.item == "same" else []
            circle = [*itself, *rows[place + 1 :], *rows[:place]]
            may_be = [str(other["session_id"]) for other in circle if each.allows(row, other)]
            if len(may_be) < each.count:
                raise ResourceError(
                    f"material {name!r} shows {each.count} sessions of the arm {each.of!r} and "
                    f"{each.item} item, and {row['draw_id']} has {len(may_be)} to be shown; draw "
                    "more items, set repeats higher, or set its count lower."
                )
            shown[str(row["draw_id"])] = sorted(may_be[: each.count])
        return shown
