"""What is planted in the simulated debaters: an effect of the language, and none of the order."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.language.figures.frames import headlines, primary
from dissensus.language.figures.paired_effects import unit
from dissensus.language.inference.diagnosis import AS_RUN, LIBRARY_MEAN, planted_world
from dissensus.language.inference.estimators import NET
from dissensus.language.outcomes import INDEX
from dissensus.report.frames import records
from dissensus.report.labels import contrast_words
from dissensus.report.truth import Diagnosed, Effect, Truth
from dissensus.report.view import Artefacts, View

_PERIOD = "period_effect"


def effects(artefacts: Artefacts, view: View, diagnosed: Diagnosed) -> Iterator[Effect]:
    """The net effect of every language on the headline's scale, and that of a session's place."""
    frame, manifest = artefacts.frames("language_effect", "manifest")
    draws = int(manifest["draw_id"].nunique())
    outcome = f"{INDEX.over} ({unit(view)})"
    for contrast, row in headlines(frame).items():
        world = _world(contrast.removesuffix(f"-{view.reference}"), draws, view)
        truth = diagnosed.truth(AS_RUN, LIBRARY_MEAN) or diagnosed.truth(world, NET)
        if row["method"] == NET and truth:
            power = diagnosed.power(world, NET)
            words = f"{contrast_words(contrast)}, net of the instrument, {outcome}"
            yield Effect(words, truth, row, power)
    contrasts = frame[(frame["method"] == _PERIOD) & (frame["outcome"] == primary(view))]
    for row in records(contrasts):
        words = f"First − second place in a draw, {contrast_words(row['contrast'])}, {outcome}"
        # A session knows nothing of any other.
        yield Effect(words, Truth(0.0), row)


def _world(language: str, draws: int, view: View) -> str:
    """The diagnosis's world of the run's own debaters; "" where they are not those of it."""
    diagnosis = view["diagnosis"]
    speeches = [view.planted[name] for name in sorted(view.planted)]
    if speeches != [model["speech"] for model in diagnosis["debaters"]] or primary(view) != "hi_z":
        return ""
    if any(view[name] != diagnosis[name] for name in ("tokenizer", "embedder")):
        return ""
    chances = {speech["recycle"].get(language) for speech in speeches}
    return planted_world(chances, diagnosis["recycle"], draws)
