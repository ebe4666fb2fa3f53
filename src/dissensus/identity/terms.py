"""What the study's artefacts call its conditions and what is made of them."""

from __future__ import annotations

#: Round 0, which both conditions go on from.
OPENING = "opening"
VANILLA, ANONYMIZED = "vanilla", "anonymized"
#: What is compared: how a debate goes on after its opening.
CONDITIONS = (VANILLA, ANONYMIZED)
#: Arms that take apart what the two differ in: vanilla once more; own and a peer's label exchanged;
#: every opinion labelled as the agent's own; every one as another's.
LABELLINGS = AGAIN, SWAPPED, OWN, OTHERS = "again", "swapped", "own", "others"
#: A kind of comparison: a coefficient with what vanilla differs from itself by.
FLOOR = "floor"
#: As many calls without debate: each agent revises its own answer alone, or answers anew.
BASELINES = REFINED, SAMPLED = "refined", "sampled"
#: What a team may run beside :data:`CONDITIONS`.
CONTROLS = (*LABELLINGS, *BASELINES)
#: All that goes on from an opening.
DEBATED = (*CONDITIONS, *CONTROLS)
#: Vanilla less anonymised.
DIFFERENCE = "difference"
#: What becomes of a new answer that cannot be parsed: its transition goes, it counts as the
#: agent's own answer of the round before, or it is read leniently.
POLICIES = ("drop", "keep", "lenient")
#: All banks together.
POOLED = "all"
