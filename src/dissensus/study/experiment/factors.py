"""Factors of an experiment: what they may be, and how their levels come to the draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isfinite
from numbers import Real
from typing import Any, Literal, get_args

from dissensus.design.manifest import stream
from dissensus.tables.artefact import Column

How = Literal["drawn", "balanced", "crossed"]
Level = str | int | float
#: What stands for the level where a row is what one unit more of a numeric factor changes.
SLOPE = "slope"
#: What stands between the names of two factors, and between their levels.
TIMES = " × "
#: How a factor is dealt -> what its column in the manifest says of it.
_DEALT = {
    "drawn": "Drawn at random for each draw",
    "balanced": "Each as often over an item's repeats, in random order",
    "crossed": "Each with every item",
}


@dataclass(frozen=True)
class Factor:
    """What differs between draws, and is the same in all arms of one.

    Attributes
    ----------
    levels : texts, or numbers; the first is what the others are compared with.
    how : "drawn": one level at random for each draw. "balanced": each level equally often over an
        item's repeats, in random order. "crossed": a draw for every level, of every item.
    arms : those whose sessions have it, such as ("same",) of which model all agents are; empty for
        all. It then enters nothing that the other arms are in.
    slope : whether levels that are numbers have a slope; not where they are names, such as 1 to 4
        of four prompts.
    """

    levels: Sequence[Level]
    how: How = "drawn"
    arms: Sequence[str] = ()
    slope: bool = True

    @classmethod
    def of(cls, declared: Sequence[Level] | Factor) -> Factor:
        """From a study's declaration, which may be the levels alone."""
        return declared if isinstance(declared, Factor) else cls(declared)

    @property
    def is_numeric(self) -> bool:
        """Whether its levels are numbers."""
        return all(isinstance(level, Real) for level in self.levels)

    @property
    def has_slope(self) -> bool:
        """Whether what a unit more changes is estimated."""
        return self.is_numeric and self.slope

    def is_in(self, *arms: str) -> bool:
        """Whether the sessions of all these arms have it."""
        return not self.arms or set(arms) <= set(self.arms)

    @property
    def values(self) -> tuple[Level, ...]:
        """Its levels as they stand in the manifest: all of them of one kind."""
        if not self.is_numeric or self._is_whole:
            return tuple(self.levels)
        return tuple(map(float, self.levels))

    @property
    def _is_whole(self) -> bool:
        return all(isinstance(level, int) for level in self.levels)

    @property
    def names(self) -> tuple[str, ...]:
        """Its levels in words; an empty text is called so, since no level has no name either."""
        return tuple(str(level) or "(empty)" for level in self.levels)

    @property
    def is_within(self) -> bool:
        """Whether its levels are compared within items."""
        return self.how != "drawn"

    @property
    def fault(self) -> str:
        """What is wrong with its declaration, in words; "" where nothing is."""
        if self.how not in get_args(How):
            return f"how may be one of {', '.join(get_args(How))}, and is {self.how!r}"
        levels = self.levels
        if not isinstance(levels, str) and isinstance(levels, Sequence) and SLOPE in levels:
            return f"a level may not be called {SLOPE!r}, which is what a unit of numbers changes"
        if isinstance(levels, Sequence) and not isinstance(levels, str):
            texts = sum(isinstance(level, str) for level in levels)
            if 2 <= len(set(levels)) == len(levels) and (
                texts == len(levels) or all(map(_is_number, levels))
            ):
                return ""
        return (
            'it needs at least two different texts, such as ("first", "second"), or at least two '
            "different numbers"
        )

    def column(self) -> Column:
        """Its column in the manifest."""
        meaning = f"{_DEALT[self.how]}: {', '.join(self.names)}."
        if self.arms:
            meaning = f"{meaning} It is of no matter but in {', '.join(self.arms)}."
        number = "int" if self._is_whole else "float"
        return Column(number if self.is_numeric else "string", meaning)


def _is_number(level: Any) -> bool:
    return isinstance(level, int | float) and not isinstance(level, bool) and isfinite(level)


@dataclass(frozen=True)
class Draw:
    """A draw: an item, and the levels of all factors.

    Attributes
    ----------
    item : its name.
    levels : factor -> level.
    """

    item: str
    levels: Mapping[str, Level]


def deal(
    items: Iterable[str], factors: Mapping[str, Factor], repeats: int, seed: int
) -> Iterator[Draw]:
    """The draws, in their order: all items once, each with every crossed level, then all again.

    Every level comes from a stream of its own, so that neither more items nor more repeats change
    what was drawn before.

    Parameters
    ----------
    items : names, in their order.
    factors : by name. Each balanced one is balanced by itself, within every combination of crossed
        levels: of several, the combinations are not.
    repeats : of every item with every combination of crossed levels.
    seed : the run's.
    """
    crossed = {name: factor.values for name, factor in factors.items() if factor.how == "crossed"}
    combinations = [*product(*crossed.values())]
    cells = product(range(repeats), list(items), combinations)
    for index, (repeat, item, combination) in enumerate(cells):
        levels = dict(zip(crossed, combination, strict=True))
        for name, factor in factors.items():
            among = factor.values
            if factor.how == "drawn":
                levels[name] = among[int(stream(seed, name, index).choice(len(among)))]
            elif factor.how == "balanced":
                # Each run of as many repeats as there are levels has all of them.
                turn, place = divmod(repeat, len(among))
                order = stream(seed, name, item, *combination, turn).permutation(len(among))
                levels[name] = among[int(order[place])]
        yield Draw(item, {name: levels[name] for name in factors})
