"""What the study's artefacts call its conditions and what is made of them."""

from __future__ import annotations

#: Round 0, which both conditions go on from.
OPENING = "opening"
VANILLA, ANONYMIZED = "vanilla", "anonymized"
#: What is compared: how a debate goes on after its opening.
CONDITIONS = (VANILLA, ANONYMIZED)
#: Vanilla less anonymised.
DIFFERENCE = "difference"
#: What becomes of a new answer that cannot be parsed: its transition goes, it counts as the
#: agent's own answer of the round before, or it is read leniently.
POLICIES = ("drop", "keep", "lenient")
#: All banks together.
POOLED = "all"
