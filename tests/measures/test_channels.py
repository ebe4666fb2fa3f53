"""Public against private answers: planted divergence is found, and pairs are of one opportunity."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dissensus.measures import channel_divergence


def debate(rng: np.random.Generator, hidden: float, n: int = 4000) -> pd.DataFrame:
    """Agents whose private stance is another than their public one at a chance."""
    rows = []
    for number in range(n):
        place = {"session_id": f"s{number // 20}", "round_label": f"round {number % 5}"}
        place["speaker"] = f"A{number % 20 // 5}"
        stance = str(rng.choice(["yes", "no"]))
        other = {"yes": "no", "no": "yes"}[stance]
        private = other if rng.random() < hidden else stance
        rows += [
            {**place, "role": "public", "value": stance},
            {**place, "role": "private", "value": private},
        ]
    return pd.DataFrame(rows).sample(frac=1.0, random_state=1)


@pytest.mark.parametrize("hidden", [0.0, 0.03, 0.4])
def test_a_planted_divergence_is_found(hidden: float) -> None:
    found = channel_divergence(debate(np.random.default_rng(1), hidden), "public", "private")
    assert found.n == 4000 and np.isnan(found.distance)
    assert abs(found.share - hidden) <= 3 * (hidden * (1 - hidden) / 4000) ** 0.5


def test_pairs_are_of_one_speaker_and_round_and_what_is_missing_counts_nowhere() -> None:
    turns = pd.DataFrame(
        [
            ("A1", "round 1", "say", 40.0),
            ("A1", "round 1", "rate", 50.0),
            ("A2", "round 1", "say", 70.0),
            ("A2", "round 1", "rate", 70.0),
            ("A2", "round 2", "say", 10.0),
            ("A2", "round 2", "rate", None),
            ("A3", "round 2", "rate", 99.0),
        ],
        columns=["speaker", "round_label", "role", "value"],
    )
    assert channel_divergence(turns, "say", "rate") == (0.5, 5.0, 2)
    nothing = channel_divergence(turns, "say", "whisper")
    assert nothing.n == 0 and np.isnan(nothing.share)
    with pytest.raises(ValueError, match="'say' has two answers of round 1, A1; give one"):
        channel_divergence(pd.concat([turns, turns.iloc[:1]]), "say", "rate")
