"""A whole run of the language study that stops: killed after a look, then with a larger most."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from dissensus.design.looks import looks_of
from dissensus.design.stopping import ANYTIME, GO_ON, STOP, Rule
from support import SMALL, Project

LANGUAGE = "results/demo/language"
ESTIMATES = tuple(
    f"{LANGUAGE}/{name}.parquet" for name in ("language_effect", "diagnostics", "instrument")
)
BLOCK, DRAWS = 4, 20


def configure(project: Project, most: int | None) -> None:
    """Debaters who recycle nearly always in the other language, and a stop by evidence."""
    speech = {"speech": {"recycle": {"en": 0.3, "zh": 0.95}}}
    stops = {"draws": DRAWS, "block_size": BLOCK, "stop": {"alpha": 0.05, "most": most}}
    project.configure(
        {
            "models": {f"simulated-{letter}": speech for letter in "abcd"},
            "language": {**SMALL["language"], **stops},
        }
    )


def frame(project: Project, name: str) -> pd.DataFrame:
    return pq.read_table(project.folder / LANGUAGE / f"{name}.parquet").to_pandas()


def by_hand(project: Project) -> list[dict[str, Any]]:
    """The looks of the run's own texts, without its stages: the scale is of the first block."""
    components, manifest = frame(project, "components"), frame(project, "manifest")
    texts = components[components["tokenizer"] == "tekken"].set_index("session_id")
    draws = manifest[manifest["rendered_from"] == ""].drop_duplicates("draw_id")
    parts = {"s_lex_turn": 0.5, "s_sem_pooled": 0.5}
    rows = []
    first = []
    for row in draws.to_dict("records"):
        names = [f"{row['draw_id']}-{name}" for name in ("zh", "en-as-zh", "zh-as-en", "en")]
        if not set(names) <= set(texts.index):
            continue
        read = texts.loc[names, [*parts]].to_numpy()
        first += [read[2:]] if row["block"] == 1 else []
        rows.append((row, (read[0] - read[1] + read[2] - read[3]) / 2))
    spread = np.concatenate(first).std(axis=0, ddof=1)
    named = {"contrast": "zh-en", "outcome": "hi_z", "arm": "zh", "reference": "en", "bound": None}
    differences = [
        {
            **named,
            **{name: row[name] for name in ("draw_id", "block")},
            "cluster": row["motion_id"],
            "difference": float((difference / spread) @ [*parts.values()]),
        }
        for row, difference in rows
    ]
    return looks_of(pd.DataFrame(differences), Rule(None, 0.05, 0.95))


@pytest.mark.thorough
def test_it_is_killed_goes_on_gets_more_draws_and_stops(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    configure(project, most=2 * BLOCK + 3)
    look = project.folder / LANGUAGE / "looks/1/looks.parquet"
    project.kill_when(look.exists, *ESTIMATES)
    project.succeed(*ESTIMATES)
    early, before = frame(project, "looks"), project.requests()
    assert list(early["verdict"]) == [GO_ON] * len(early)
    configure(project, most=None)
    project.succeed(*ESTIMATES)
    looks, manifest = frame(project, "looks"), frame(project, "manifest")
    last = int(looks["block"].iloc[-1])
    assert looks["verdict"].iloc[-1] == STOP and len(early) < last < manifest["block"].max()
    pd.testing.assert_frame_equal(looks.head(len(early)), early)
    # Nothing is asked twice, and nothing of a later block.
    requests = project.requests()
    assert before.items() <= requests.items() and set(requests.values()) == {1}
    run = set(manifest[manifest["block"] <= last]["session_id"])
    assert {path.stem for path in (project.folder / LANGUAGE / "journal").glob("*.jsonl")} == run
    for name in ("outcomes", "metrics"):
        assert set(frame(project, name)["session_id"]) == run
    # The draws of a motion are in one block.
    assert (manifest.groupby("motion_id")["block"].nunique() == 1).all()
    for made, row in zip(looks.to_dict("records"), by_hand(project), strict=True):
        for name in ("estimate", "e_value", "p_value"):
            assert made[name] == pytest.approx(row[name])
    # The study is judged by its last look, on the scale that all its indices have.
    effect = frame(project, "language_effect")
    (headline,) = effect[effect["headline"]].to_dict("records")
    assert headline["method"] == ANYTIME and headline["estimate"] == looks["estimate"].iloc[-1]
    (net,) = effect[(effect["method"] == "net") & (effect["outcome"] == "hi_z")].to_dict("records")
    assert net["estimate"] == pytest.approx(headline["estimate"])
    diagnostics = frame(project, "diagnostics")
    sessions = diagnostics[diagnostics["check"] == "attempts"]["n"]
    assert set(sessions) <= {len(run), len(run) // 2}
