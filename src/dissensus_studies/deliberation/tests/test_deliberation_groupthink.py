"""Rival options that agents engage, and agreement that comes without: by hand, and planted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from ..measures.debate import MeasuredDebate
from ..measures.groupthink import groupthink, rival_coverage
from .deliberation_debates import debate, debates, permuted
from .deliberation_sessions import PLAIN, measured_session, simulated

CLAIMS = ("A1.1.c1", "A2.1.c1", "A2.1.c2", "A3.1.c1")
EDGES = (
    (2, "A1", "rebut", "A2.1.c2"),
    (2, "A2", "rebut", "A1.1.c1"),
    (2, "A2", "question", "A3.1.c1"),
    (2, "A3", "concede", "A2.1.c1"),
)
#: A1 engages one of its rivals' options, A2 both, A3 one. In round 3 nobody engages any; R, which
#: nobody holds any longer, is no rival there.
THREE = debate(["PQR", "PQQ", "PPP"], CLAIMS, EDGES, {"A1.1.c1": ("e1",)})


def test_rivals_are_options_that_others_hold_and_argue_for() -> None:
    assert rival_coverage(THREE, "all") == pytest.approx(4 / 9)
    # Only P is argued with evidence: A2 engages it and A3 does not, and neither does in round 3.
    assert rival_coverage(THREE, "evidenced") == pytest.approx(1 / 4)
    # Claims of the same option are one rival, and a claim engaged twice covers once.
    twice = debate(["PQ", "PQ"], ["A2.1.c1", "A2.1.c2"], [(2, "A1", "rebut", "A2.1.c1")] * 2)
    assert rival_coverage(twice, "all") == 1
    assert rival_coverage(debate(["PP", "PP"], CLAIMS[:2]), "all") is None
    assert rival_coverage(debate(["PQ"], CLAIMS[:2]), "all") is None


def test_who_gives_no_stance_has_no_rivals_and_is_none() -> None:
    # After round 2 A2 alone holds Q; A3 has none, so that A1 has Q, A2 has P, and A3 nothing.
    some = debate(["PQR", "PQ-", "PPP"], CLAIMS, [*EDGES, (3, "A3", "rebut", "A1.1.c1")])
    assert rival_coverage(some, "all") == pytest.approx(4 / 8)
    none = debate(["PQ", "P-", "PQ"], CLAIMS[:3], [(2, "A1", "rebut", "A2.1.c1")])
    assert rival_coverage(none, "all") == pytest.approx(1 / 2)


def test_groupthink_by_hand() -> None:
    assert groupthink(0.25, 0.6) == pytest.approx(0.75 * 0.4)
    assert groupthink(0.0, 0.0) == 1
    assert groupthink(1.2, 0.1) == groupthink(0.3, 1.0) == 0
    assert groupthink(None, 0.5) is None
    assert groupthink(0.5, None) is None


@given(debates())
@settings(max_examples=40)
def test_coverage_is_a_share_whatever_agents_are_called(one: MeasuredDebate) -> None:
    found = rival_coverage(one, "all")
    assert found is None or 0 <= found <= 1
    order = list(range(len(one.agents), 0, -1))
    assert rival_coverage(permuted(one, order), "all") == found


def planted(topology: str = "emergent", **speech: Any) -> dict[str, list[float]]:
    """Outcome -> its known values, of whole simulated sessions from their texts on."""
    how = replace(PLAIN, topology=topology)
    rows = [
        measured_session([simulated(**({"epsilon": 1.0} | speech))] * 4, how, topic=topic, rounds=3)
        for topic in range(5)
    ]
    names = ("rival_coverage", "groupthink", "retention_last")
    return {name: [row[name] for row in rows if row[name] is not None] for name in names}


def test_agents_that_ignore_their_rivals_think_as_a_group_and_those_that_answer_do_not() -> None:
    ignoring, answering = planted(silence=1.0), planted(silence=0.0)
    assert set(ignoring["rival_coverage"]) == {0.0}
    assert ignoring["groupthink"] == pytest.approx(
        [1 - kept for kept in ignoring["retention_last"]]
    )
    assert min(ignoring["groupthink"]) > 0.5
    assert set(answering["rival_coverage"]) == {1.0}
    assert set(answering["groupthink"]) == {0.0}
    # Nothing is lost where nobody hears anyone: silence alone is no groupthink.
    apart = planted(silence=1.0, epsilon=0.0)
    assert apart["groupthink"] == pytest.approx([0.0] * len(apart["groupthink"]), abs=0.01)
    # Whoever must answer everyone covers all rivals; whoever may answer one, fewer.
    one = planted("one_target", silence=1.0, stubbornness=1.0)
    assert set(planted("full", silence=1.0)["rival_coverage"]) == {1.0}
    assert 0.2 < float(np.mean(one["rival_coverage"])) < 0.8
