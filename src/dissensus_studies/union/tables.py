"""The artefacts of the union study that more than one of its rooms reads or writes."""

from __future__ import annotations

from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count, flag, number, share, text, texts

#: The two sides, in the order in which their first speeches come.
SIDES = ("proposition", "opposition")
#: What a claim rests on, as the annotation says it.
KINDS = ("evidence_backed", "principled", "assertion")
#: What a claim has come to at the end of its debate.
FATES = ("survives", "contested", "demolished")
#: The layers that can give a verdict, in the order in which they are asked.
LAYERS = ("panel", "annotation", "rubric", "audit")
#: A verdict is a side, or that nobody wins.
CONTESTED = "contested"
#: The dimensions of the rubric, in the order of its columns.
DIMENSIONS = (
    *("argument_strength", "rebuttal_quality", "evidence_grounding"),
    *("rhetorical_effectiveness", "persona_fidelity"),
)
#: The arm whose students read memos, and the other.
COACHED, CONTROL = "coached", "control"
#: What stands in a column for all motions, arms or judges together.
ALL = "all"

#: From so many motions on, sign flips change whole motions: of fewer no p reaches 5% (2/2^G).
FEWEST_FLIPPED = 6

#: What is estimated of coaching: the mean of an arm; coached less control; that less the same of
#: epoch 1.
MEAN, DIFFERENCE, IN_DIFFERENCES = "mean", "difference", "difference_in_differences"
#: What stands in the column ``epoch`` for all coached epochs together, those from the second.
COACHED_EPOCHS = 0
#: Over draws of these motions and memos, and over motions.
RANDOMISATION, CLUSTERED = "paired_randomisation", "cluster_robust"
#: Of a share: Student's t on the logit scale, and Clopper and Pearson's limits of none or all.
LOGIT, EXACT = "logit_t", "exact"


_MOTION = text("Name of the motion; see the artefact motions.")
_SPEAKER = text("Name of the speaker: of the folder of the speaker's corpus.")
_SIDE = text("Side of the debate: proposition or opposition.")

MOTIONS = Schema(
    name="motions",
    row="motion",
    columns={
        "motion_id": _MOTION,
        "motion": text("The motion as it is debated."),
        "about": text("Words on its matter, by which passages are found; may be empty."),
        "proposition": texts("Speakers for the motion, as many as against it."),
        "opposition": texts("Speakers against the motion."),
        "students": texts("Speakers who are coached where the arm has memos."),
        "source": text("File that the motion was read from."),
    },
    key=("motion_id",),
)

DOCUMENTS = Schema(
    name="documents",
    row="document of a speaker's corpus",
    columns={
        "speaker": _SPEAKER,
        "document": text("Path of the file in the speaker's folder."),
        "kind": text("Folder that it stands in: bio, interviews, writings or speeches."),
        "characters": count("Characters of its text; 0 where it was left out."),
        "chunks": count("Chunks of its text."),
        "problem": text("Why it was left out; empty where it was not."),
    },
    key=("speaker", "document"),
)

CHUNKS = Schema(
    name="chunks",
    row="chunk of a document",
    columns={
        "speaker": _SPEAKER,
        "document": text("Path of the file in the speaker's folder."),
        "chunk": Column("int", "Number of the chunk in its document, from 1."),
        "start": Column("int", "Character of the document's text at which the chunk begins."),
        "text": text("The chunk; it overlaps the one before it."),
    },
    key=("speaker", "document", "chunk"),
)

PASSAGES = Schema(
    name="passages",
    row="passage that a speaker may draw on in a debate",
    columns={
        "motion_id": _MOTION,
        "speaker": _SPEAKER,
        "rank": Column("int", "Order in which it was found, from 1."),
        "document": text("Path of the file in the speaker's folder."),
        "chunk": Column("int", "Number of the chunk in its document, from 1."),
        "query": text("Question that it was found by."),
        "similarity": number("Cosine of the angle between passage and question.", "cosine"),
        "text": text("Words of the passage."),
    },
    key=("motion_id", "speaker", "rank"),
)

MANIFEST = Schema(
    name="manifest",
    row="session",
    columns={
        **common("session_id", "draw_id", "block"),
        "motion_id": _MOTION,
        "arm": text("coached or control; shared for what both arms read."),
        "kind": text("What the session is: style, debate, memo or names."),
        "epoch": Column(
            "int", "Epoch of the debate, from 1; of a memo, the one that reads it; else 0."
        ),
        "run": Column("int", "Run of the epoch, from 1; 0 for what is no debate."),
        **common("position"),
        "order": texts(
            "Speakers in the order of their speeches; for memos, the students; else empty."
        ),
        "lenses": texts("Emphasis lens of each speaker, in the order of the speeches."),
        "draw_seed": Column("int", "Seed of what the sessions of a draw share: passages, gates."),
        **common("seed"),
    },
    key=("session_id",),
)

#: The columns that name a session.
IDS = MANIFEST.pick("session_id", "draw_id", "motion_id", "arm", "kind", "epoch", "run")

#: The columns that name a debate, in every table below.
DEBATE = MANIFEST.pick("session_id", "motion_id", "arm", "epoch", "run")

SPEECHES = Schema(
    name="speeches",
    row="speech",
    columns={
        **DEBATE,
        "speech": Column("int", "Place of the speech in the debate, from 1."),
        "speaker": _SPEAKER,
        "side": _SIDE,
        "student": flag("Whether the speaker is one of those who may be coached."),
        "words": count("Words of the speech."),
        "length_kept": flag("Whether it has 1,000 to 1,800 words."),
        "arguments": count("Arguments that the extraction found; 0 where it failed."),
        "extracted": flag("Whether the extraction could be read."),
        "offered": count("Points of information that were offered."),
        "accepted": count("Points of information that were accepted."),
        "text": text("Words of the speech."),
    },
    key=("session_id", "speech"),
)

POINTS = Schema(
    name="points",
    row="point of information",
    columns={
        **DEBATE,
        "speech": Column("int", "Place in the debate of the speech that it interrupts, from 1."),
        "offer": Column("int", "Number of the offer in the speech, from 1."),
        "speaker": text("Speaker who offers it."),
        "argument": Column("int", "Argument of the speech at which it is offered, from 1."),
        "accepted": flag("Whether the speaker took it."),
        "text": text("Words of the point."),
        "answer": text("The speaker's answer; empty where the offer was declined."),
    },
    key=("session_id", "speech", "offer"),
)

CLAIMS = Schema(
    name="claims",
    row="claim",
    columns={
        **DEBATE,
        "claim_id": text("Name of the claim in its debate, such as 2.3: speech 2, claim 3."),
        "speech": Column("int", "Place in the debate of the speech that makes it, from 1."),
        "speaker": _SPEAKER,
        "side": _SIDE,
        "student": flag("Whether the speaker is one of those who may be coached."),
        "kind": text("What it rests on: evidence_backed, principled or assertion."),
        "specific": flag("Whether the annotation calls it specific."),
        "points": number("What the tally gives its side for it.", "points"),
        "rebuttals": count("Rebuttals of it by the other side in later speeches."),
        "fate": text("survives, contested or demolished."),
        "text": text("Words of the claim."),
    },
    key=("session_id", "claim_id"),
)

REBUTTALS = Schema(
    name="rebuttals",
    row="rebuttal that the annotation found",
    columns={
        **DEBATE,
        "rebuttal": Column("int", "Number of the rebuttal in the debate, from 1."),
        "claim_id": text("Claim that it answers; as written, so that it may name none."),
        "by": text("Claim that makes it; empty where the annotation names none."),
        "speech": Column("int", "Speech that makes it, from 1; 0 where that is unknown."),
        "speaker": text("Speaker who makes it."),
        "side": text("Side of that speaker; empty where the speaker is unknown."),
        "logic": flag("Whether it addresses the logic of the claim."),
        "new": flag("Whether it brings new information."),
        "undermines": flag("Whether it undermines the claim."),
        "counted": flag(
            "Whether it answers an earlier claim of the other side; one target, speech and kind "
            "counts once."
        ),
        "points": number("What the tally gives its side for it.", "points"),
    },
    key=("session_id", "rebuttal"),
)

SCORES = Schema(
    name="scores",
    row="speech",
    columns={
        **DEBATE,
        "speech": Column("int", "Place of the speech in the debate, from 1."),
        "speaker": _SPEAKER,
        "side": _SIDE,
        "argument_strength": number("Validity, consistency and depth.", "score, 1 to 10"),
        "rebuttal_quality": number(
            "Engagement with the strongest opposing arguments.", "score, 1 to 10"
        ),
        "evidence_grounding": number(
            "How specific and verifiable the evidence is.", "score, 1 to 10"
        ),
        "rhetorical_effectiveness": number("Persuasion, structure, clarity.", "score, 1 to 10"),
        "persona_fidelity": number("Whether it sounds like the speaker.", "score, 1 to 10"),
        "mean": number("Mean of the five.", "score, 1 to 10"),
        "rank": number("Rank after recalibration, 1 the best.", "rank"),
        "recalibrated": number("Score after recalibration.", "score, 1 to 10"),
    },
    key=("session_id", "speech"),
)

VOTES = Schema(
    name="votes",
    row="vote of a judge",
    columns={
        **DEBATE,
        "panel": text("blind: names and sides removed; labelled: sides stated."),
        "pass": Column("int", "1: the proposition in slot A, or labels true; 2: exchanged."),
        "seat": Column("int", "Seat of the judge on its panel, from 1."),
        "judge": text("Name of the judge's model in the configuration."),
        "slot": text("Slot that it votes for: A or B; empty where the vote cannot be read."),
        "label": text("Side whose label it votes for; empty on a blind panel."),
        "side": text("Side whose speeches it votes for; empty where the vote cannot be read."),
        "words_more": number("Words of the speeches in slot A less those in slot B.", "words"),
    },
    key=("session_id", "panel", "pass", "seat"),
)

VERDICTS = Schema(
    name="verdicts",
    row="debate",
    columns={
        **DEBATE,
        "winner": text("proposition, opposition or contested."),
        "decided_by": text("Layer that decided: panel, annotation, rubric or audit; else none."),
        "margin": text(
            "How far the winner is ahead where panel or annotation decided: narrow, clear or "
            "landslide; else empty."
        ),
        "votes_proposition": count("Votes of the blind panel for the proposition."),
        "votes_opposition": count("Votes of the blind panel for the opposition."),
        "passes_agree": flag("Whether both passes of the blind panel have the same majority."),
        "panel": text("What the panel alone says: a side, contested, or none."),
        "annotation": text("What the tally alone says: a side, contested, or none."),
        "rubric": text("What the rubric alone says: a side, contested, or none."),
        "audit": text("What the surviving claims alone say: a side, contested, or none."),
        "points_proposition": number("Points of the tally for the proposition.", "points"),
        "points_opposition": number("Points of the tally for the opposition.", "points"),
        "surviving_proposition": count("Claims of the proposition that survive."),
        "surviving_opposition": count("Claims of the opposition that survive."),
        "one_sided": flag(
            "Whether rebuttals were found 8 times or more one way and never the other; from 10 on "
            "they were asked for twice."
        ),
        "student_votes": share(
            "Share of the readable blind votes that went to the students' side; "
            "missing where the students are on both."
        ),
        "student_survival": share("Share of the students' claims that survive."),
        "student_demolitions": share(
            "Share of the students' counted rebuttals that demolish; missing where they have none."
        ),
    },
    key=("session_id",),
)


def share_columns(name: str, meaning: str, limits: str) -> dict[str, Column]:
    """A share and the limits of its interval; ``limits``: what these are, behind their name."""
    unit = "share, 0 to 1"
    return {
        name: share(meaning),
        f"{name}_low": number(f"Lower limit of {limits}", unit),
        f"{name}_high": number(f"Upper limit of {limits}", unit),
    }


_RESAMPLED = "that share, draws resampled."
#: The columns that every table of wins has for a group, as
#: :func:`.inference.wins.lifts` gives them.
NUMBERS_OF_WINS = {
    **share_columns(
        "won",
        "Share of its debates that the group's side won; contested ones are not won.",
        _RESAMPLED,
    ),
    **share_columns("lost", "Share of its debates that the group's side lost.", _RESAMPLED),
    **share_columns("contested", "Share of its debates that nobody won.", _RESAMPLED),
    "base": share(
        "Win share of the group's sides in all debates of the same motion and arm; of a side "
        "itself, half the share of decided debates."
    ),
    "lift": number("Win share less the base rate.", "difference of shares"),
    **common("p_value?", "simulation_error?", "p_adjusted?", "p_bh?", "n", "n_clusters"),
    "note": text("What the numbers rest on, or why they are missing."),
}

#: Artefacts of what was said and judged, by their names.
RECORDS = {
    table.name: table for table in (SPEECHES, POINTS, CLAIMS, REBUTTALS, SCORES, VOTES, VERDICTS)
}
