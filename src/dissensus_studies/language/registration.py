"""What the language study registers before any session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dissensus.study.may_stop import stopping_words
from dissensus.study.study import Registered

from .outcomes import INDEX
from .settings import LanguageSettings

Row = Mapping[str, Any]

#: What is said first wherever no parallel text is measured.
UNIDENTIFIED = (
    "Whether the language changes the debates cannot be told: no parallel text is measured, so "
    "that a difference may be what the index makes of one and the same debate in two languages."
)


def register(
    settings: LanguageSettings, design: str, source: Mapping[str, Row], seed: int
) -> Registered:
    """Design, estimands, outcome, tests, exclusions and power of a language study.

    Parameters
    ----------
    settings : of the study.
    design : in a paragraph.
    source : motion_id -> row of the pool.
    seed : of the run, which the power is simulated from.
    """
    measures, inference = settings.measures, settings.inference
    level = f"{100 * inference.confidence:g}%"
    others = ", ".join(name for name in settings.language_names if name != settings.reference)
    scale = "fitted on the reference, and estimated"
    anew = ", each of which fits anchors and offset anew"
    if settings.stop:
        anew = ""
        scale = f"fitted once, on the first block's debates as they read in {settings.reference}"
    estimand = (
        f"For each of {others} against {settings.reference}: the mean difference of the "
        "Homogeneity Index between the debates of a draw less the instrument's offset, the "
        "difference between the languages on parallel texts, in the mean over both directions of "
        "rendering. Population: the motions of which the pool is a sample, with equal weights of "
        f"domains by the drawing. Scale: {scale}."
    )
    return Registered(
        design,
        (
            estimand,
            "Beside it, the same difference with the offset left in: the paper's index.",
        ),
        f"{INDEX.title} on {measures.primary}, mean over {INDEX.each}: "
        f"{measures.weights.lexical:g} lexical (by {measures.unit}, {measures.tokenizer}) "
        f"and {measures.weights.semantic:g} semantic "
        f"({measures.embedder}).",
        (
            *stopping_words(settings),
            f"{level} interval and p by the symmetric studentised bootstrap over motions, "
            f"{inference.resamples:,} resamples{anew}; Holm over contrasts.",
            f"Beside it: sign-flip test by motion, {inference.flips:,} flips; all other methods of "
            "Table 7, and the specification curve with its joint tests, are secondary.",
        ),
        (
            "Draws without a complete debate in both languages count in no paired estimate; they "
            "are counted by language, with Lee's bounds and the interval of Imbens and Manski.",
            "No session is left out for what was said in it; turns that still break a format rule "
            "after their repairs stand.",
        ),
        _power(settings, source, seed),
    )


def _power(settings: LanguageSettings, source: Mapping[str, Row], seed: int) -> tuple[str, ...]:
    # Not needed where the Snakefile is read.
    import pandas as pd

    from .inference.power import power_table

    rows = power_table(
        pd.DataFrame(list(source.values())),
        None,
        settings.draws,
        settings.diagnosis.effects,
        settings.diagnosis.motion_share,
        settings.inference.confidence,
        seed,
    )
    here = [row for row in rows if row["n_draws"] == settings.draws]
    if not here:
        return ("Fewer than two draws have no power.",)
    powers = ", ".join(f"{row['power']:.2f} at {row['effect_sd']:g} SD" for row in here)
    return (
        f"With {settings.draws} complete draws and {settings.diagnosis.motion_share:.0%} of the "
        "variance of paired differences between motions, by simulating the design and the test: "
        f"{powers}.",
        f"Smallest effect seen with a power of .8: {here[0]['mde']:.2f} SD of a paired difference.",
        "The target diagnosis simulates the whole chain from texts on.",
    )
