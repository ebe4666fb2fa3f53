"""What is planted in the simulated agents: where a wording draws them, and an arm that is none."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.design.contrasts import HEADLINE
from dissensus.design.declared import ALL
from dissensus.design.diagnosis import HOLM
from dissensus.report.frames import records
from dissensus.report.truth import Diagnosed, Effect, Truth
from dissensus.report.view import Artefacts, View
from dissensus.stats.results import NAN

from ..diagnosis import step_world
from ..outcomes import OUTCOMES, PRIMARY


def effects(artefacts: Artefacts, view: View, diagnosed: Diagnosed) -> Iterator[Effect]:
    """The headline of arms whose wording is a world of the diagnosis, and of null arms.

    True values are those of the very statements, by the agents' equations.
    """
    contrasts, planted = artefacts.frames("contrasts", "planted")
    pooled = planted[(planted["outcome"] == PRIMARY) & (planted["domain"] == ALL)]
    planted_of = {row["arm"]: row for row in records(pooled)}
    nothing = view.same_as_reference
    for row in records(contrasts[contrasts["headline"].to_numpy(dtype=bool)]):
        arm = row["arm"]
        power = diagnosed.power(_world(arm, view), HEADLINE + HOLM)
        if arm not in planted_of or not (arm in nothing or power == power):
            continue
        true = planted_of[arm]
        # The same random numbers in both arms: where nothing differs, this is exactly zero.
        truth = Truth(0.0) if arm in nothing else Truth(true["effect"], true["effect_se"])
        words = f"{view.arm(arm)} − {view.arm(row['reference'])}, {OUTCOMES[PRIMARY].over}"
        yield Effect(words, truth, row, NAN if arm in nothing else power)


def _world(arm: str, view: View) -> str:
    """The diagnosis's world of an arm whose wording draws its agents to the others' mean."""
    diagnosis = view["diagnosis"]
    same = [speech for speech in view.planted.values() if speech == diagnosis["agent"]["speech"]]
    chance = diagnosis["agent"]["speech"]["meets"].get(view["arms"][arm]) if same else None
    return step_world(chance) if chance is not None and chance in diagnosis["meets"] else ""
