"""What is planted in the simulated debaters: what each arm changes, and an arm that is none."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.design.contrasts import HEADLINE
from dissensus.design.diagnosis import HOLM
from dissensus.design.stopping import ANYTIME
from dissensus.report.frames import records
from dissensus.report.truth import Diagnosed, Effect
from dissensus.report.view import Artefacts, View

from ..inference.diagnosis import as_run
from ..outcomes import OUTCOMES, PRIMARY


def effects(artefacts: Artefacts, view: View, diagnosed: Diagnosed) -> Iterator[Effect]:
    """The headline of every arm, by debates of the same simulated people in the diagnosis."""
    diagnosis = view["diagnosis"]
    speeches = [view.planted[name] for name in sorted(view.planted)]
    if speeches != [model["speech"] for model in (*diagnosis["debaters"], diagnosis["judge"])]:
        return
    frame = artefacts.frame("contrasts")
    for row in records(frame[frame["headline"].to_numpy(dtype=bool)]):
        world = as_run(row["arm"])
        truth = diagnosed.truth(world, HEADLINE)
        if truth:
            words = (
                f"{view.arm(row['arm'])} − {view.arm(row['reference'])}, {OUTCOMES[PRIMARY].over}"
            )
            method = ANYTIME if row["method"] == ANYTIME else HEADLINE + HOLM
            power = diagnosed.power(world, method)
            yield Effect(words, truth, row, power)
