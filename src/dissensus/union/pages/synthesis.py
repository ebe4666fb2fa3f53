"""What all debates of a run come to, in sentences; every number is counted from the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.report.frames import Column
from dissensus.report.labels import counted, listed, number, percent
from dissensus.report.markdown import line, page, table, write_data
from dissensus.study.makes import makes
from dissensus.tables.artefact import write_text
from dissensus.union.measures.totals import mean, share
from dissensus.union.measures.verdicts import NONE
from dissensus.union.pages.memos import memos_page
from dissensus.union.pages.run import Row, Rows, Run, load
from dissensus.union.pages.summary import summary
from dissensus.union.tables import CONTESTED, FATES, KINDS, LAYERS, SIDES


@makes(summary=write_data, memos=write_text, synthesis=write_text)
def summarise_union(simulated: bool, **artefacts: Path) -> tuple[dict[str, Any], str, str]:
    """What all debates come to, in numbers and in sentences, and the coaching memos."""
    run = load(artefacts, simulated)
    return summary(run), memos_page(run), synthesis_page(run)


def synthesis_page(run: Run) -> str:
    """The run in Markdown: of each motion, who wins, by which layer, and what becomes of claims."""
    parts = [
        "The sentences below are computed from the tables of the run. They describe its debates; "
        "what they are evidence of, with intervals, is in the estimates. The tables of verdicts "
        "and of speakers have the same by epoch and by speaker.",
    ]
    counts = summary(run)
    for motion in run.motions:
        parts += _motion(run, motion, counts)
    return page("What the debates come to", parts, run.simulated)


def _motion(run: Run, motion: str, counts: Mapping[str, Rows]) -> list[str]:
    rows, epochs = (
        [row for row in counts[name] if row["motion_id"] == motion]
        for name in ("debates", "epochs")
    )
    parts = [f"## {line(run.motions[motion]['motion'])}", _ended(rows)]
    verdicts = [row["verdict"] for row in rows if row["verdict"]]
    if not verdicts:
        return parts
    records = {name: run.of(name, motion_id=motion) for name in run.records}
    return [
        *parts,
        _winners(verdicts),
        _layers(verdicts),
        _judges(verdicts, records["votes"]),
        _claims(records["claims"], records["rebuttals"], verdicts),
        _speeches(records["speeches"]),
        _students(run.motions[motion]["students"], epochs),
    ]


def _ended(rows: Rows) -> str:
    failed = [row for row in rows if not row["complete"]]
    arms = Counter(row["arm"] for row in rows)
    by_arm = listed(f"{n} in the arm {arm}" for arm, n in sorted(arms.items()))
    text = f"Of {counted(len(rows), 'debate')} ({by_arm}), {len(rows) - len(failed)} ended."
    if failed:
        names = listed(line(row["session_id"]) for row in failed)
        text += f" Failed for good, and in nothing below: {names}."
    return text


def _winners(verdicts: Sequence[Row]) -> str:
    winners = Counter(row["winner"] for row in verdicts)
    deciding = Counter(row["decided_by"] for row in verdicts)
    n = len(verdicts)
    by_layer = listed(f"the {layer} {deciding[layer]}" for layer in LAYERS if deciding[layer])
    text = (
        f"The proposition won {_of(winners[SIDES[0]], n)}, the opposition {winners[SIDES[1]]} "
        f"({percent(winners[SIDES[1]] / n)}), and {winners[CONTESTED]} "
        f"({percent(winners[CONTESTED] / n)}) were contested, so that nobody won."
    )
    if by_layer:
        text += f" Verdicts by the layer that gave them, contested ones among them: {by_layer}."
    return text + (f" No layer decided {deciding[NONE]}." if deciding["none"] else "")


def _of(part: int, whole: int) -> str:
    return f"{part} of {counted(whole, 'debate')} ({percent(part / whole)})"


def _layers(verdicts: Sequence[Row]) -> str:
    rows = []
    for layer in LAYERS:
        says = Counter(row[layer] for row in verdicts)
        both = [row for row in verdicts if {row["panel"], row[layer]} <= set(SIDES)]
        alike = sum(row["panel"] == row[layer] for row in both)
        counts = {name: says[name] for name in (*SIDES, CONTESTED, NONE)}
        rows.append({"layer": layer, **counts, "alike": alike, "both": len(both)})
    columns = (
        Column("Layer", "layer", str.capitalize),
        *(Column(name.capitalize(), name) for name in (*SIDES, CONTESTED, NONE)),
        Column("As the panel", ("alike", "both"), "{} of {}".format),
    )
    note = (
        "What each layer alone says of the debates; the last column counts those of which both it "
        "and the panel name a winner."
    )
    return table("Layers of judging", columns, rows, note)


def _judges(verdicts: Sequence[Row], votes: Rows) -> str:
    blind = [vote for vote in votes if vote["panel"] == "blind"]
    readable = [vote for vote in blind if vote["slot"]]
    agree = sum(row["passes_agree"] for row in verdicts)
    text = (
        f"Both passes of the blind panel have the same majority in {_of(agree, len(verdicts))}. "
        f"Of {counted(len(blind), 'blind vote')}, {len(readable)} could be read"
    )
    if not readable:
        return f"{text}."
    return f"{text}, and {percent(share(readable, 'slot', 'A'))} of these are for slot A."


def _claims(claims: Rows, rebuttals: Rows, verdicts: Sequence[Row]) -> str:
    if not claims:
        return "The annotation has no claims."
    fates = Counter(row["fate"] for row in claims)
    that_count = sum(row["counted"] for row in rebuttals)
    one_sided = sum(row["one_sided"] for row in verdicts)
    sides = listed(f"{_surviving(claims, 'side', side)} of the {side}'s" for side in SIDES)
    kinds = listed(
        f"{_surviving(claims, 'kind', kind)} of the {kind.replace('_', '-')} ones" for kind in KINDS
    )
    text = (
        f"The annotation has {counted(len(claims), 'claim')}: {fates[FATES[0]]} survive, "
        f"{fates[FATES[1]]} are contested, {fates[FATES[2]]} are demolished. What survives is "
        f"{sides}; it is {kinds}. Of {counted(len(rebuttals), 'rebuttal')}, {that_count} count."
    )
    if one_sided:
        text += f" In {_of(one_sided, len(verdicts))} rebuttals were found one way only."
    return text


def _surviving(claims: Rows, name: str, value: str) -> str:
    return percent(share([row for row in claims if row[name] == value], "fate", FATES[0]))


def _speeches(speeches: Rows) -> str:
    kept = sum(row["length_kept"] for row in speeches)
    offered, taken = (sum(row[name] for row in speeches) for name in ("offered", "accepted"))
    return (
        f"There are {len(speeches):,} speeches, of "
        f"{number(mean(row['words'] for row in speeches), 0)} words on average; {kept} have "
        f"1,000 to 1,800 words. Of {counted(offered, 'point')} of information, {taken} were taken."
    )


def _students(names: Sequence[str], epochs: Rows) -> str:
    """The students from the first epoch to the last, in each arm."""
    if not names:
        return "Nobody in this motion is a student."
    by_arm: dict[str, Rows] = {}
    for row in epochs:
        if row["student_survival"] is not None:
            by_arm.setdefault(row["arm"], []).append(row)
    text = f"The students are {listed(map(line, names))}."
    if not by_arm:
        return f"{text} Of their claims nothing is known."
    shares = listed(
        f"in the arm {arm} "
        + listed(f"{percent(row['student_survival'])} in epoch {row['epoch']}" for row in rows)
        for arm, rows in by_arm.items()
    )
    return f"{text} The mean share of their claims that survives is {shares}."
