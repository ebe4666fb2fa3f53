"""What is planted in the simulated agents: what an own and a peer's answer weigh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt

from scipy import special

from dissensus.report.frames import records
from dissensus.report.truth import Diagnosed, Effect, Truth
from dissensus.report.view import Artefacts, View
from dissensus.stats.results import NAN

from ..design.graph import read_peers
from ..inference.power import power_of
from ..outcomes import OUTCOMES, PRIMARY
from ..terms import ANONYMIZED, POOLED, VANILLA
from .frames import Estimates, is_defined


def effects(artefacts: Artefacts, view: View, _: Diagnosed) -> Iterator[Effect]:
    """The Identity Bias Coefficient of every team whose agents hear one peer and have no persona.

    An agent with the own belief of weight 1 keeps its answer with probability w_self / W beside
    what its belief adds, W = 1 + w_self + w_peer, and takes a peer's with w_peer / W. What belief
    adds to the two is equal in expectation, since agents answer from one belief, so that
    conformity less obstinacy is (w_peer - w_self) / W, whatever the questions are.

    What is found is what the study's page says is found: a coefficient whose limits for all teams
    together leave 0 out. The p-value is of the same t test, times the teams (Bonferroni).
    """
    estimates, manifest = Estimates.of(artefacts), artefacts.frame("manifest")
    bank = POOLED if len(estimates.banks) > 1 else estimates.banks[0]
    power = artefacts.frame("power")
    spreads = dict(power[power["bank"] == POOLED].set_index("team")["sd"].items())
    frame = artefacts.frame("estimates")
    teams = frame.loc[frame["bank"] == bank, "team"].nunique()
    level = 1.0 - (1.0 - view.confidence) / max(teams, 1)
    debating = manifest[manifest["graph"] != ""].drop_duplicates("team")
    for row in records(debating):
        weights = view.planted.get(row["model"], {}).get("weights")
        hears_one = all(len(peers) == 1 for peers in read_peers(row["graph"]))
        ibc = estimates.get(row["team"], bank, "ibc", "difference")
        if weights and hears_one and not row["personas"] and is_defined(ibc):
            true = _bias(weights[VANILLA]) - _bias(weights[ANONYMIZED])
            questions = int(ibc["n_questions"])
            reached = power_of(true, questions, spreads[row["team"]], level)
            p_value = _t_test(ibc["estimate"], spreads[row["team"]], questions)
            words = f"{row['team']}: {OUTCOMES[PRIMARY].over}"
            adjusted = {"p_value": p_value, "p_adjusted": min(1.0, teams * p_value)}
            row_of = ibc | {"n": questions, **adjusted}
            yield Effect(words, Truth(true), row_of, float(reached))


def _t_test(estimate: float, sd: float, questions: int) -> float:
    """Two-sided p-value of a coefficient of zero, whose limits for all teams are of the same t."""
    if not sd > 0.0:
        return NAN
    return float(2.0 * special.stdtr(questions - 1, -abs(estimate) * sqrt(questions) / sd))


def _bias(weights: Mapping[str, float]) -> float:
    self_weight, peer_weight = weights["self"], weights["peer"]
    return (peer_weight - self_weight) / (1.0 + self_weight + peer_weight)
