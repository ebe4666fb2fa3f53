"""The prompt files of the union study: what speakers, judges and coaches are told, by part."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dissensus.session.blinding import Masks
from dissensus.session.prompt_files import Part, Text, slots

from .design.manifest import LENSES

_ME = ("MOTION", "SPEAKER", "SIDE")
_Repair = Annotated[str, slots("PROBLEMS")]


class DebateWording(Part):
    """What speakers and their coach are told, and who takes down what they say."""

    persona: Annotated[str, slots("SPEAKER", "STYLE")]
    style: Annotated[str, slots("SAMPLES", optional=["SPEAKER"])]
    style_entry: Annotated[
        str, slots("REGISTER", "OPENINGS", "DEVICES", "DISAGREEMENT", "PHRASES", "CLOSINGS")
    ]
    passage: Annotated[str, slots("TEXT", optional=["NUMBER"])]
    prepare: Annotated[
        str, slots("PERSONA", *_ME, "PASSAGES", "LENS", "DIRECTIVE", optional=["OTHERS"])
    ]
    lenses: Annotated[list[Text], Field(min_length=LENSES, max_length=LENSES)]
    directive: Annotated[str, slots("MEMO", optional=["SPEAKER"])]
    framework: Annotated[str, slots("DEFINITIONS")]
    speech: Annotated[
        str,
        slots(
            *("PERSONA", *_ME, "NOTES", "FRAMEWORK", "TRANSCRIPT", "WORDS"),
            optional=["NUMBER", "COUNT"],
        ),
    ]
    nothing_yet: Text
    speech_entry: Annotated[str, slots("SPEAKER", "SIDE", "TEXT", optional=["NUMBER"])]
    point_entry: Annotated[
        str, slots("SPEAKER", "TEXT", "ANSWER", optional=["NUMBER", "ARGUMENT", "ANSWERER"])
    ]
    extract: Annotated[str, slots("TEXT")]
    offer: Annotated[str, slots("PERSONA", "TEXT", "ARGUMENTS", optional=[*_ME, "OTHER"])]
    argument: Annotated[str, slots("NUMBER", "POINT")]
    answer: Annotated[str, slots("PERSONA", "TEXT", "POINT", optional=[*_ME, "OTHER", "ARGUMENT"])]
    definitions: Annotated[str, slots("TEXT", optional=["MOTION"])]
    contest: Annotated[str, slots("DEFINITIONS", "TEXT", optional=["MOTION"])]
    definitions_entry: Annotated[str, slots("TERMS", "SCOPE", "EXCLUSIONS", "FRAMING")]
    contest_entry: Annotated[str, slots("ACCEPTED", "CONTESTED", "COUNTER")]
    memo: Annotated[str, slots("CLAIMS", "UNANSWERED", "SCORES", optional=[*_ME, "DEBATES"])]
    memo_claim: Annotated[str, slots("FATE", "TEXT")]
    memo_entry: Annotated[str, slots("WORKED", "FAILED", "MISSED", "ADVICE")]
    none: Text
    repair: _Repair


class JudgingWording(Part):
    """What judges and annotators are told."""

    rubric: Annotated[
        str,
        slots("FRAMEWORK", "TRANSCRIPT", "STYLE", "NUMBER", optional=["MOTION", "SPEAKER"]),
    ]
    recalibrate: Annotated[str, slots("FRAMEWORK", "TRANSCRIPT", "SCORES", optional=["MOTION"])]
    score_entry: Annotated[str, slots("NUMBER", "SCORE")]
    claims: Annotated[str, slots("FRAMEWORK", "TEXT", optional=["MOTION", "NUMBER"])]
    rebuttals: Annotated[
        str,
        slots(
            *("FRAMEWORK", "TRANSCRIPT", "CLAIMS", "BOTH_DIRECTIONS", "TARGETS", "REBUTTERS"),
            optional=["MOTION"],
        ),
    ]
    both_directions: Text
    again: Annotated[str, slots("FOUND", "REBUTTERS", "OTHERS")]
    claim_entry: Annotated[str, slots("ID", "SIDE", "TEXT")]
    blind: Annotated[str, slots("MOTION", "FRAMEWORK", "TRANSCRIPT")]
    blind_entry: Annotated[str, slots("SLOT", "TEXT", optional=["NUMBER"])]
    blind_point: Annotated[str, slots("SLOT", "OTHER", "TEXT", "ANSWER", optional=["NUMBER"])]
    masks: Masks
    labelled: Annotated[str, slots("MOTION", "FRAMEWORK", "TRANSCRIPT", "FIRST", "SECOND")]
    name_cluster: Annotated[str, slots("MOTION", "CLAIMS")]
    repair: _Repair
