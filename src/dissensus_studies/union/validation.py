"""What the source of this study says of its debates, beside what their published files come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import pandas as pd

from dissensus.report.claims.published import OPEN, Claimed, Line, Published, Section
from dissensus.report.labels import listed, number
from dissensus.report.tables import Table, as_markdown
from dissensus.report.view import Artefacts, View
from dissensus.validation.sources import Data, Figures

from .figures.printed import CLAIMS as PRINTED_CLAIMS
from .figures.printed import CLUSTERS, FIRST, table_printed
from .measures.records import Tables
from .measures.tally import SPECIFIC, WORTH
from .published import CLAIMS, REBUTTALS, SPEECHES, figures
from .published_judging import Source, judged
from .tables import FATES, SIDES

NAME = "union"
FIGURES: dict[str, Figures] = {NAME: figures}
Row = dict[str, Any]
_SPEECHES = 6


def sections(data: Data) -> Iterator[Section]:
    """Scores, winners and sentences of the source, and its table as the study makes it."""
    source = Source(data)
    tables = judged(source)
    lines = [*_scored(source, tables), *_said(source, tables), *_mapped(source.map)]
    yield Section(
        NAME,
        "The debates of the union study's source",
        lines,
        _WORDS,
        as_markdown(_table(source, tables)).rstrip(),
    )


def _scored(source: Source, tables: Tables) -> Iterator[Line]:
    """Points and winners of the debates that are annotated."""
    verdicts = {str(row["run"]): row for row in tables.verdicts}
    printed = [row for row in source.debates if row["points_proposition"]]
    equal = 0
    for row in printed:
        for side in SIDES:
            claims = [
                claim
                for claim in tables.claims
                if claim["run"] == int(row["debate"]) and claim["side"] == side
            ]
            theirs = float(row[f"claims_{side}"])
            equal += _by_its_rule(source, row["debate"], side) == theirs
            yield Published(
                f"Debate {row['debate']}, points of the {side}'s claims",
                theirs,
                sum(claim["points"] for claim in claims),
                _halved(theirs, claims),
                digits=1,
            )
    yield Published(
        f"Of {2 * len(printed)} such scores, those that the exports' own rule gives",
        2 * len(printed),
        equal,
        "3, 2 or 1 by kind, 1 more if specific, of the claims that it calls surviving",
    )
    for row in printed:
        here = verdicts[row["debate"]]
        points = [here[f"points_{side}"] for side in SIDES]
        winner = here["annotation"]
        yield Claimed(
            f"Debate {row['debate']}, tally of claims and rebuttals",
            f"{row['points_proposition']} to {row['points_opposition']}, {row['winner']}",
            f"{points[0]} to {points[1]}, {winner}",
            winner == row["winner"],
            _REBUTTED,
        )


def _halved(theirs: float, claims: Sequence[Row]) -> str:
    """What takes the exports' points to ours; open where it does not."""
    last = sum(claim["points"] for claim in claims if claim["speech"] == _SPEECHES)
    fallen = sum(claim["points"] for claim in claims if claim["fate"] == FATES[2])
    here = sum(claim["points"] for claim in claims)
    if theirs - last + fallen != here:
        return OPEN
    parts = (
        (last, f"claims of the last speech count half here (\u2212{last:g}), as the post says"),
        (fallen, f"demolished claims count half here (+{fallen:g}), as the post says"),
    )
    return "; ".join(words for points, words in parts if points)


def _by_its_rule(source: Source, debate: str, side: str) -> float:
    """A side's points by the rule that the source prints."""
    worth: list[float] = [
        WORTH[row["kind"]] + SPECIFIC * (row["specific"] == "True")
        for row in source.rows(CLAIMS, debate)
        if row["side"] == side and row["survives"] == "True"
    ]
    return sum(worth)


def _said(source: Source, tables: Tables) -> Iterator[Line]:
    """Sentences of the post about its debates."""
    first = [row for row in source.debates if int(row["debate"]) <= FIRST and row["winner"]]
    lost = [row["debate"] for row in first if row["winner"] == SIDES[0]]
    decided = [row for row in tables.verdicts if row["votes_proposition"] + row["votes_opposition"]]
    split = [row for row in decided if row["votes_proposition"] and row["votes_opposition"]]
    yield Claimed(
        "The first runs",
        f"across the first {FIRST} runs the Opposition won every time",
        f"{len(first) - len(lost)} of the {len(first)} verdicts of the first {FIRST} exports; "
        f"{listed(f'export {each}' for each in lost)} are the Proposition's",
        not lost,
        "export 1 has no verdict, and that of export 2 is of a panel without votes",
    )
    yield Claimed(
        "Their judges",
        "every judge voted the same way",
        f"{len(decided) - len(split)} of {len(decided)} panels vote as one",
        not split,
        "panels of five, and one of eleven",
    )
    printed = {int(row["debate"]): row for row in source.debates}
    won = sum(row["panel"] == printed[row["run"]]["winner"] for row in decided)
    ahead = sum(row["margin"] == printed[row["run"]]["margin"] for row in decided)
    yield Published("Panels whose winner is the same", len(decided), won)
    yield Published("Panels whose margin has the same name", len(decided), ahead)
    rebuttals = [row for rows in source.of[REBUTTALS].values() for row in rows]
    by_opposition = sum(row["side"] == SIDES[1] for row in tables.rebuttals)
    yield Claimed(
        "Rebuttals one way only",
        "a bug that a prompt has mended",
        f"{by_opposition} of {len(rebuttals)} in the annotated debates are the Opposition's",
        by_opposition < len(rebuttals),
        "whether the prompt was mended before or after these is open",
    )
    same = sum((row["level"] == "direct") == (row["logic"] == "True") for row in rebuttals)
    yield Claimed(
        "Direct rebuttals and logic",
        "two questions",
        f"one answer: in {same} of {len(rebuttals)} a rebuttal is direct if it addresses the logic",
        same < len(rebuttals),
        "so that the second says nothing that the first does not",
    )
    yield from _said_of_speeches(source, tables)


def _said_of_speeches(source: Source, tables: Tables) -> Iterator[Line]:
    """Sentences of the post about points of information, and about the scores of speeches."""
    late = _SPEECHES - 2
    for words, published, taken in (
        (f"first {late}", 45, [row["accepted"] for row in tables.points if row["speech"] <= late]),
        ("last two", None, [row["accepted"] for row in tables.points if row["speech"] > late]),
    ):
        yield Published(
            f"Points of information that are taken, {words} speeches",
            published,
            100 * sum(taken) / len(taken),
            f"{sum(taken)} of {len(taken)}: the post says some 45%, and less for late speakers",
            here_digits=1,
            unit="%",
        )
    overall = [
        float(row["overall"])
        for rows in source.of[SPEECHES].values()
        for row in rows
        if row["overall"]
    ]
    within = sum(7.5 <= each <= 8.5 for each in overall)
    yield Claimed(
        "Scores of speeches",
        "every speech overall between 7.5 and 8.5",
        f"{within} of {len(overall)}; from {min(overall):g} to {max(overall):g}",
        within == len(overall),
        "as exported, rounded to whole points",
    )


def _mapped(claims: pd.DataFrame) -> Iterator[Line]:
    """Sentences of the post about the claims that its map shows."""
    clustered = claims[claims["cluster"] != "-1"]
    yield Published("Claims", PRINTED_CLAIMS, len(claims), _OTHER_RUNS)
    yield Published("Clusters", CLUSTERS, clustered["cluster"].nunique(), _OTHER_RUNS)
    engaged = claims[claims["engagement"] != ""].drop_duplicates(["ensemble", "epoch", "run"])
    won = int(engaged["engagement"].eq(SIDES[0]).sum())
    yield Claimed(
        "The engagement verdict, after all four fixes",
        "the Proposition could win, not even most of the time",
        f"it wins {won} of the {len(engaged)} runs that have such a verdict",
        2 * won < len(engaged),
        "so few say little: but all are one way",
    )
    coached = claims[claims["ensemble"] == "1"]
    students, experts = (
        _survival(coached[coached["student"] == each]) for each in ("True", "False")
    )
    gains = students.diff().dropna()
    yield Claimed(
        "Coaching",
        "the most dramatic gains appear in epoch 2, with diminishing returns thereafter",
        f"students' claims survive at {_course(students)}, those of experts, who have no coach, at "
        f"{_course(experts)}",
        gains.idxmax() == "2",
        "share of claims that survive, by epoch, as the map's file has it: epoch 2 is lower than 1",
    )
    generic = _share(coached, ("assertion",), "False")
    evidence = _share(coached, ("evidence_backed",), None)
    yield Claimed(
        "Students' claims",
        "a shift away from generic assertions toward evidence-backed claims",
        f"generic assertions {_course(generic)}; evidence-backed {_course(evidence)}",
        bool(generic.iloc[-1] < generic.iloc[0] and evidence.iloc[-1] > evidence.iloc[0]),
        "of the students' claims, by epoch, in all clusters",
    )


def _survival(claims: pd.DataFrame) -> pd.Series:
    return claims["survived"].eq("True").groupby(claims["epoch"]).mean()


def _share(claims: pd.DataFrame, kinds: Sequence[str], specific: str | None) -> pd.Series:
    """By epoch, the share of students' claims of a kind."""
    own = claims[claims["student"] == "True"]
    are = own["kind"].isin(kinds) & (own["specific"].eq(specific) if specific else True)
    return are.groupby(own["epoch"]).mean()


def _course(shares: pd.Series) -> str:
    return ", ".join(number(value) for value in shares)


def _table(source: Source, tables: Tables) -> Table:
    """The study's table of what the post printed, filled by the post's own debates."""
    frames = {name: pd.DataFrame(rows) for name, rows in asdict(tables).items()}
    frames["clusters"] = _clusters(source.map)
    runs = source.map[["ensemble", "epoch", "run"]].agg("-".join, axis=1)
    frames["claims"] = source.map.assign(session_id=runs)
    view = View("union", {"confidence": 0.95}, simulated=False)
    table = table_printed(Artefacts({}, frames), view)
    title = "The post's printed numbers beside what its published debates come to here"
    return replace(table, title=title, note=_NOTE)


def printed(data: Data) -> Iterator[tuple[str, ...]]:
    """What the post prints, and what follows from that and its published verdicts."""
    source = Source(data)
    for quantity, said, implied, _ in _table(source, judged(source)).rows:
        if implied:
            yield ("union", quantity, said, implied, "")


def _clusters(claims: pd.DataFrame) -> pd.DataFrame:
    """The clusters of the map, with the columns that the table reads."""
    won = claims["side"] == claims["winner"]
    runs = claims.drop_duplicates(["ensemble", "epoch", "run"])["winner"]
    base = claims["side"].map({side: float(runs.eq(side).mean()) for side in SIDES})
    survived, demolished = (claims[name].eq("True") for name in ("survived", "demolished"))
    rows = pd.DataFrame(
        {
            **{"cluster": claims["cluster"], "survives": survived},
            **{"contested": ~survived & ~demolished, "won": won, "lift": won - base},
        }
    )
    named = rows[rows["cluster"] != "-1"]
    return named.groupby("cluster").mean().reset_index()


_REBUTTED = (
    "by the post's table a rebuttal that addresses the logic or is new counts too; in the exports "
    "only one that undermines"
)
_OTHER_RUNS = "the map's file has 25 runs of two ensembles; which of them the post counts is open"
_NOTE = (
    "This run: the 24 debates that are published, by the study's own rules; claims and clusters "
    "are those of the map. Limits are Clopper and Pearson's, of debates as independent, which "
    "those of one motion and one cast are not."
)
_WORDS = (
    "24 debates of six speeches: what their exports have of claims, rebuttals, scores and votes is "
    "read, tallied and shown by the study as if its own judges had written it, with a stand-in for "
    "each text. Exports 4 to 15 and 3 have a panel of judges who saw names and sides, 16 to 24 an "
    "annotation. With their texts they are a run of imported debates: `python -m "
    "dissensus_studies.union.published FOLDER turns.csv` reads the repository, and `dissensus "
    "import turns.csv --run published` makes its configuration."
)
