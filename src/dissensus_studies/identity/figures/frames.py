"""The estimates by cell, and which teams can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from dissensus.report.facts import Fact, Facts, Row
from dissensus.report.frames import Keyed, Record, keyed
from dissensus.report.labels import counted, estimate, marked, whole
from dissensus.report.view import Artefacts, View

from ..design.graph import read_peers
from ..terms import ANONYMIZED, DIFFERENCE, OPENING, POOLED, VANILLA

#: Condition -> the word for it, and the mark of the paper's tables.
LABELS = {VANILLA: ("vanilla", "✗"), ANONYMIZED: ("anonymised", "✓")}

#: Set behind a cell whose interval contains zero.
DAGGER = "†"


def warning(view: View) -> str:
    """The sentence that goes with every IBC."""
    return (
        f"At 272 questions |IBC| under {view.fact('ibc_noise'):.2f} is not distinguishable from "
        "zero; with fewer questions more is needed."
    )


#: What names an estimate.
_KEY = ("team", "bank", "round", "condition", "peers", "policy", "measure")


@dataclass(frozen=True)
class Estimates:
    """The estimates of a run by cell.

    Attributes
    ----------
    facts : the artefact.
    rows : (team, bank, round, condition, peers, policy, measure) -> row.
    teams : by name.
    banks : by name, without :data:`POOLED`.
    rounds : rounds after the opening, ascending.
    """

    facts: Facts
    rows: Keyed
    teams: list[str]
    banks: list[str]
    rounds: list[int]

    @classmethod
    def of(cls, artefacts: Artefacts) -> Estimates:
        """Of the rows of the estimates artefact."""
        frame = artefacts.frame("estimates")
        return cls(
            artefacts.facts("estimates"),
            keyed(frame, *_KEY),
            sorted(set(frame["team"])),
            sorted(set(frame["bank"]) - {POOLED}),
            sorted({int(number) for number in frame["round"] if number > 0}),
        )

    def get(
        self,
        team: str,
        bank: str,
        measure: str,
        condition: str,
        at: int = 1,
        peers: str = "all",
        policy: str = "drop",
    ) -> Record:
        """One cell's row; numbers that are not there are NaN, and counts zero."""
        return self.rows[team, bank, at, condition, peers, policy, measure]

    def cited(
        self, team: str, bank: str, measure: str, condition: str, at: int = 1, peers: str = "all"
    ) -> Record:
        """The same with facts, for a sentence."""
        row = self.get(team, bank, measure, condition, at, peers)
        return Row(row, self.facts.artefact, _KEY) if "team" in row else row

    def cells(self) -> Iterator[tuple[str, str]]:
        """Every team and bank that the team debated."""
        present = {(key[0], key[1]) for key in self.rows}
        return ((t, b) for t in self.teams for b in self.banks if (t, b) in present)

    def panels(self) -> list[str]:
        """The banks and, where there are several, all of them together."""
        return [*self.banks, POOLED] if len(self.banks) > 1 else self.banks


def bank_words(bank: str) -> str:
    """A bank's name, or what stands for all of them."""
    return "all banks" if bank == POOLED else bank


def is_defined(row: Record) -> bool:
    """Whether a row has an estimate."""
    return bool(pd.notna(row["estimate"]))


def contains_zero(row: Record) -> bool:
    """Whether the interval of a row does not tell its estimate from zero."""
    return bool(pd.notna(row["ci_low"]) and row["ci_low"] <= 0 <= row["ci_high"])


def cell(row: Record, mark: bool = False) -> str:
    """Such as "0.124 [0.051, 0.197]"; with ``mark``, a dagger where the interval contains zero."""
    text = estimate(row["estimate"], row["ci_low"], row["ci_high"])
    return marked(text, f" {DAGGER}") if mark and contains_zero(row) else text


def range_words(counts: Sequence[float], noun: str) -> str:
    """Such as "12 to 1,340 transitions", or "12 transitions" where there is one number."""
    ordered = sorted(counts)
    if not ordered or ordered[0] == ordered[-1]:
        return counted(ordered[0] if ordered else 0, noun)
    return f"{whole(ordered[0])} to {counted(ordered[-1], noun)}"


@dataclass(frozen=True)
class Team:
    """What a team is, besides its name.

    Attributes
    ----------
    name, model : as configured.
    personas : whether each agent has one.
    graph : the peers of each agent, as the manifest writes them.
    """

    name: str
    model: str
    personas: bool
    graph: str

    @property
    def peers(self) -> int:
        """Of the agent that has most."""
        return max(map(len, read_peers(self.graph)))

    @property
    def peer_words(self) -> str:
        """Such as "1 peer", or "1 to 4 peers" where agents differ."""
        return range_words([len(peers) for peers in read_peers(self.graph)], "peer")

    def peer_counts(self, estimates: Estimates) -> list[int | Fact]:
        """Peers of the agent that has least, and of the one that has most, ascending.

        The artefact names a number of peers that all disagree as "4,0".
        """
        counts: list[int | Fact] = []
        for count in sorted({len(peers) for peers in read_peers(self.graph)}):
            named = f"{count},0"
            row = estimates.cited(self.name, estimates.panels()[-1], "ibc", DIFFERENCE, peers=named)
            counts.append(row.part("peers", count) if isinstance(row, Row) else count)
        return counts


def read_teams(artefacts: Artefacts, order: Sequence[str]) -> list[Team]:
    """The manifest's teams, in the order given; those that it does not have are left out."""
    manifest = artefacts.frame("manifest")
    # An opening has no graph, and is held for every team of the same cast.
    debates = manifest[manifest["condition"] != OPENING]
    present = debates.drop_duplicates("team").set_index("team")
    return [
        Team(
            name,
            str(present.at[name, "model"]),
            bool(present.at[name, "personas"]),
            str(present.at[name, "graph"]),
        )
        for name in order
        if name in present.index
    ]


def casts(teams: Sequence[Team]) -> list[list[Team]]:
    """Teams alike but for their graph, where some have one peer an agent and some several."""
    groups: dict[tuple[str, bool], list[Team]] = {}
    for team in teams:
        groups.setdefault((team.model, team.personas), []).append(team)
    return [
        sorted(group, key=lambda team: team.peers)
        for group in groups.values()
        if min(team.peers for team in group) == 1 < max(team.peers for team in group)
    ]


def persona_pairs(teams: Sequence[Team]) -> list[tuple[Team, Team]]:
    """Teams alike but for their personas: without, and with."""
    plain = {(t.model, t.graph): t for t in reversed(teams) if not t.personas}
    return [
        (plain[team.model, team.graph], team)
        for team in teams
        if team.personas and (team.model, team.graph) in plain
    ]
