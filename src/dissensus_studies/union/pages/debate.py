"""One debate as a whole: to read, and as data."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.report.frames import Column
from dissensus.report.labels import MISSING, counted, number
from dissensus.report.markdown import bullets, line, page, paragraphs, table, write_data
from dissensus.study.makes import makes
from dissensus.tables.artefact import write_text

from ..measures.debate import read_debate
from ..measures.totals import mean
from ..tables import CONTESTED, DEBATE, DIMENSIONS, LAYERS, RECORDS, SIDES
from .run import Row, Rows, Run, load

#: Layer -> what decides it.
_LAYERS = {
    "panel": "Blind panel, which does not know names and sides",
    "annotation": "Annotation: claims and rebuttals, tallied",
    "rubric": "Rubric: scores after recalibration",
    "audit": "Audit: claims that survive",
}


@makes(page=write_text, data=write_data)
def write_debate(session: str, simulated: bool, **artefacts: Path) -> tuple[str, dict[str, Any]]:
    """One debate, to read and as data."""
    run = load(artefacts, simulated, session=session)
    check_debate(run, session)
    return debate_page(run, session), debate_data(run, session)


def check_debate(run: Run, session: str) -> None:
    """Refuse a session that is no debate.

    Raises
    ------
    ResourceError : with a debate that there is.
    """
    kind = run.manifest[session]["kind"]
    if kind != "debate":
        such = run.sessions("debate")[0]["session_id"]
        raise ResourceError(
            f"{session} is no debate but a {kind} session; ask for a debate, such as {such}."
        )


def debate_data(run: Run, session: str) -> dict[str, Any]:
    """All structured data of a debate; of one that failed for good, why it did."""
    row = run.manifest[session]
    motion = run.motions[row["motion_id"]]
    outcome = run.outcomes[session]
    data: dict[str, Any] = {
        "simulated": run.simulated,
        "session": row,
        "motion": motion,
        "complete": outcome["complete"],
        "failure": outcome["failure"],
    }
    if not outcome["complete"]:
        return data
    debate = read_debate(row, motion, run.turns[session])
    records = {
        name: [_without_ids(record) for record in run.of(name, session_id=session)]
        for name in RECORDS
    }
    for vote, read in zip(records["votes"], debate.votes, strict=True):
        vote["reason"] = read.reason
    (verdict,) = records.pop("verdicts")
    return data | {
        "definitions": debate.definitions.model_dump() if debate.definitions else None,
        "contest": debate.contest.model_dump() if debate.contest else None,
        **records,
        "verdict": verdict,
    }


def _without_ids(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in DEBATE}


def debate_page(run: Run, session: str) -> str:
    """A debate in Markdown: what was said, in its order, and what judges made of it."""
    data = debate_data(run, session)
    row, motion = data["session"], data["motion"]
    which = (
        f"Debate {line(session)}: motion {line(row['motion_id'])}, epoch {row['epoch']}, run "
        f"{row['run']}, arm {row['arm']}."
    )
    if not data["complete"]:
        parts = [which, f"The debate failed for good: {line(data['failure'])}"]
        return page(motion["motion"], parts, run.simulated)
    parts = [
        which,
        f"**{verdict_sentence(data['verdict'])}**",
        _layers(data),
        "## The debate",
        *_speeches(data),
        "## What the judges found",
        _scores(data["scores"]),
        _claims(data["claims"]),
        _rebuttals(data["rebuttals"]),
        _votes(data["votes"]),
    ]
    return page(motion["motion"], parts, run.simulated)


def verdict_sentence(verdict: Row) -> str:
    """Who won, and what decided it."""
    layer = verdict["decided_by"]
    if verdict["winner"] != CONTESTED:
        return f"The {verdict['winner']} wins; the layer that decided is the {layer}."
    if layer in LAYERS:
        return f"The debate is contested and nobody wins; the layer that decided is the {layer}."
    return "The debate is contested and nobody wins; no layer decides it."


def _layers(data: Row) -> str:
    verdict = data["verdict"]
    scores = {
        side: mean(score["recalibrated"] for score in data["scores"] if score["side"] == side)
        for side in SIDES
    }
    by_side = {
        "panel": {side: str(verdict[f"votes_{side}"]) for side in SIDES},
        "annotation": {side: number(verdict[f"points_{side}"], 2) for side in SIDES},
        "rubric": {side: number(scores[side], 2) for side in SIDES},
        "audit": {side: str(verdict[f"surviving_{side}"]) for side in SIDES},
    }
    agree = "agree" if verdict["passes_agree"] else "do not agree"
    note = (
        "Votes, points, mean score, and surviving claims of each side. The two passes of the panel "
        f"{agree}. A layer whose material is not complete says none."
    )
    if verdict["one_sided"]:
        note += " Rebuttals were found one way only; from ten on they were asked for again."
    if verdict["margin"]:
        note += f" The winner's margin is {verdict['margin']}."
    rows = [{"layer": layer, "says": verdict[layer], **by_side[layer]} for layer in LAYERS]
    columns = (
        Column("Layer", "layer", _LAYERS.__getitem__),
        *(Column(side.capitalize(), side) for side in SIDES),
        Column("It says", "says"),
    )
    return table("Verdict of each layer", columns, rows, note)


def _speeches(data: Row) -> list[str]:
    parts = []
    for speech in data["speeches"]:
        student = ", student" if speech["student"] else ""
        arguments = counted(speech["arguments"], "argument")
        parts += [
            f"### Speech {speech['speech']}: {line(speech['speaker'])}, {speech['side']}{student}",
            f"*{counted(speech['words'], 'word')}; "
            f"{arguments if speech['extracted'] else 'its arguments could not be read'}.*",
            paragraphs(speech["text"]) or "*No text.*",
        ]
        points = [exchange for exchange in data["points"] if exchange["speech"] == speech["speech"]]
        for point in points:
            parts += _point(point, speech["speaker"])
        if speech["speech"] == 1 and data["definitions"]:
            parts += _definitions(data["definitions"])
        if speech["speech"] == 2 and data["contest"]:
            parts += _contest(data["contest"])
    return parts


def _point(point: Row, speaker: str) -> list[str]:
    fate = "taken" if point["accepted"] else "declined"
    parts = [
        f"#### Point of information from {line(point['speaker'])}, at argument "
        f"{point['argument']}: {fate}",
        paragraphs(point["text"], "> "),
    ]
    if point["accepted"]:
        answer = paragraphs(point["answer"], "> ") or "*The answer could not be had.*"
        parts += [f"{line(speaker)} answers:", answer]
    return parts


def _definitions(definitions: Row) -> list[str]:
    return [
        "#### Definitions of the proposition",
        "Terms:",
        bullets([f"{term['term']}: {term['definition']}" for term in definitions["terms"]]),
        f"Scope: {line(definitions['scope'])}",
        "Exclusions:",
        bullets(definitions["exclusions"]),
        f"Framing: {line(definitions['framing'])}",
    ]


def _contest(contest: Row) -> list[str]:
    return [
        "#### What the opposition makes of the definitions",
        "Accepted:",
        bullets(contest["accepted"]),
        "Contested:",
        bullets(contest["contested"]),
        f"Counter-framing: {line(contest['counter_framing']) or '*none*'}",
    ]


_TENTHS, _HUNDREDTHS = partial(number, digits=1), partial(number, digits=2)
_WHO = (Column("Speaker", "speaker"), Column("Side", "side"))


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def _or_dash(value: str) -> str:
    return value or MISSING


def _scores(scores: Rows) -> str:
    columns = (
        Column("Speech", "speech"),
        *_WHO,
        *(Column(name.replace("_", " ").capitalize(), name, _TENTHS) for name in DIMENSIONS),
        Column("Mean", "mean", _HUNDREDTHS),
        Column("Rank", "rank", partial(number, digits=0)),
        Column("Recalibrated", "recalibrated", _HUNDREDTHS),
    )
    note = f"Scores from 1 to 10; {MISSING} where a reply could not be read."
    return table("Scores of the speeches", columns, scores, note)


def _claims(claims: Rows) -> str:
    columns = (
        Column("Claim", "claim_id"),
        *_WHO,
        Column("Rests on", "kind", lambda kind: kind.replace("_", "-")),
        Column("Specific", "specific", _yes),
        Column("Rebuttals", "rebuttals"),
        Column("Points", "points", _HUNDREDTHS),
        Column("Fate", "fate"),
        Column("Text", "text"),
    )
    note = "Points as the tally has them: halved if demolished, and in the last speech."
    return table("Claims, and what became of each", columns, claims, note)


def _rebuttals(rebuttals: Rows) -> str:
    columns = (
        Column("Answers", "claim_id"),
        Column("Made by claim", "by", _or_dash),
        Column("Speaker", "speaker", _or_dash),
        Column("Side", "side", _or_dash),
        *(
            Column(name.capitalize(), name, _yes)
            for name in ("logic", "new", "undermines", "counted")
        ),
        Column("Points", "points", _TENTHS),
    )
    note = "A rebuttal counts where it answers an earlier claim of the other side."
    return table("Rebuttals", columns, rebuttals, note)


def _votes(votes: Rows) -> str:
    columns = (
        *(Column(name.capitalize(), name) for name in ("panel", "pass", "seat", "judge")),
        Column("Votes for", ("label", "slot"), lambda label, slot: _or_dash(label or slot)),
        Column("Which is", "side", _or_dash),
        Column("Reason", "reason", _or_dash),
    )
    note = (
        "The blind panel gives the verdict. In pass 2 it has the sides exchanged, and the labelled "
        f"panel, which is there for the audit, their labels; {MISSING} where a vote could not be "
        "read."
    )
    return table("Votes of the judges", columns, votes, note)
