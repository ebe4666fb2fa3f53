"""What is planted in the simulated agents: what an own and a peer's answer weigh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scipy import special

from dissensus.identity.design.graph import read_peers
from dissensus.identity.figures.frames import Estimates, is_defined
from dissensus.identity.inference.power import power_of
from dissensus.identity.outcomes import OUTCOMES, PRIMARY
from dissensus.identity.terms import ANONYMIZED, POOLED, VANILLA
from dissensus.report.frames import Record, records
from dissensus.report.truth import Diagnosed, Effect, Truth
from dissensus.report.view import Artefacts, View
from dissensus.stats.results import NAN


def effects(artefacts: Artefacts, view: View, _: Diagnosed) -> Iterator[Effect]:
    """The Identity Bias Coefficient of every team whose agents hear one peer and have no persona.

    An agent with the own belief of weight 1 keeps its answer with probability w_self / W beside
    what its belief adds, W = 1 + w_self + w_peer, and takes a peer's with w_peer / W. What belief
    adds to the two is equal in expectation, since agents answer from one belief, so that
    conformity less obstinacy is (w_peer - w_self) / W, whatever the questions are.
    """
    estimates, manifest = Estimates.of(artefacts), artefacts.frame("manifest")
    bank = POOLED if len(estimates.banks) > 1 else estimates.banks[0]
    power = artefacts.frame("power")
    spreads = dict(power[power["bank"] == POOLED].set_index("team")["sd"].items())
    debating = manifest[manifest["graph"] != ""].drop_duplicates("team")
    for row in records(debating):
        weights = view.planted.get(row["model"], {}).get("weights")
        hears_one = all(len(peers) == 1 for peers in read_peers(row["graph"]))
        ibc = estimates.get(row["team"], bank, "ibc", "difference")
        if weights and hears_one and not row["personas"] and is_defined(ibc):
            true = _bias(weights[VANILLA]) - _bias(weights[ANONYMIZED])
            questions = int(ibc["n_questions"])
            reached = power_of(true, questions, spreads[row["team"]], view.confidence)
            words = f"{row['team']}: {OUTCOMES[PRIMARY].over}"
            row_of = ibc | {"n": questions, "p_value": _z_test(ibc)}
            yield Effect(words, Truth(true), row_of, float(reached))


def _z_test(row: Record) -> float:
    """Two-sided p-value of a coefficient of zero, as its power is computed."""
    return float(2.0 * special.ndtr(-abs(row["estimate"] / row["se"]))) if row["se"] else NAN


def _bias(weights: Mapping[str, float]) -> float:
    self_weight, peer_weight = weights["self"], weights["peer"]
    return (peer_weight - self_weight) / (1.0 + self_weight + peer_weight)
