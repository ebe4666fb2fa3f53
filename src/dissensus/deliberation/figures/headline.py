"""What the study found of its arms, and what the same run found against it."""

from __future__ import annotations

import numpy as np

from dissensus.deliberation.figures import contrasts
from dissensus.deliberation.figures.ignored_claims import by_arm, fates
from dissensus.design.contrasts import defined
from dissensus.report.artefacts import Artefacts
from dissensus.report.findings import Findings
from dissensus.report.frames import records
from dissensus.report.labels import arm_words, counted, interval, listed, percent
from dissensus.report.view import View


def state(artefacts: Artefacts, view: View) -> Findings:
    """The primary outcome of every arm against the reference, and what speaks against it."""
    frame = artefacts.frame("contrasts")
    facts = contrasts.describe(frame, view)
    primary = [row for row in records(frame) if row["headline"] and row["reference"]]
    known = [row for row in primary if np.isfinite(row["estimate"])]
    said = [
        f"Disagreement that is left in the last round, arms against {arm_words(view.reference)}: "
        f"{facts['primary']}; significant after Holm over {counted(len(known), 'arm')}: "
        f"{facts['found']}."
    ]
    waiting = fates(*artefacts.frames("claims", "engagements", "stances"))
    if not waiting.empty:
        group = by_arm(waiting, view)[0]
        limits = interval(defined(group.low), defined(group.high), 2)
        said.append(
            f"Claims that nobody engages: {percent(group.never, 0)} in {group.name} {limits}."
        )
    half = [(row["ci_high"] - row["ci_low"]) / 2 for row in known if np.isfinite(row["ci_low"])]
    draws = max((int(row["n"]) for row in known), default=0)
    against = [
        f"Of the other outcomes, {facts['secondary']} contrasts are significant after adjustment.",
        "Silence and influence are associations: whom an agent answers is its own choice.",
    ]
    if half:
        against.insert(
            0,
            f"{counted(draws, 'draw')} leave intervals of {min(half):.2f} to {max(half):.2f} to "
            "each side: smaller differences could not be found.",
        )
    return Findings(said, against, _planted(view))


def _planted(view: View) -> str:
    """What is planted, in the simulated models' own terms."""
    debaters = {
        model: speech for model, speech in view.planted.items() if speech.get("role") == "debater"
    }
    if not debaters:
        return ""
    said = listed(
        f"{model} keeps {speech['stubbornness']:g} of its belief and leaves {speech['silence']:g} "
        "of claims unanswered"
        for model, speech in debaters.items()
    )
    return (
        f"Planted in the simulated models: {said}. No arm has an effect of its own but by what its "
        "prompt asks for, shows or withholds."
    )
