"""What is measured of every debate: what the primary outcome counts, said once."""

from __future__ import annotations

from dissensus.report.declared import Outcome
from dissensus.report.labels import SCALES

#: What the primary outcome is on any scale.
INDEX = Outcome(
    "Weighted mean of the lexical and the semantic similarity within a debate, each on one scale.",
    "Homogeneity Index",
    noun="Homogeneity Index",
    short="HI",
    each="debates",
)
#: A scale each; which one is primary is a setting.
OUTCOMES = {f"hi_{scale}": INDEX for scale in SCALES}
