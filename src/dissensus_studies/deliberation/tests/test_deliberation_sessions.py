"""Whole sessions, from the text of their turns to every artefact."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dissensus.tables.artefact import read, write

from ..measures.reconstruct import Tables, reconstruct, reconstruct_session
from ..measures.records import (
    CLAIMS,
    ENGAGEMENTS,
    INFLUENCE,
    JUDGEMENTS,
    METRICS,
    PAIRS,
    ROUNDS,
    STANCES,
)
from ..measures.sessions import Inputs, Measured, measure
from .deliberation_debates import OPTIONS, certain, reply

IDS = ("session_id", "draw_id", "topic_id", "arm")
STUDY: dict[str, Any] = {
    "arms": {
        "emergent": {"schedule": None, "hints": False, "sees": "all", "without": None},
        "rca": {"schedule": None, "hints": True, "sees": "all", "without": None},
        "pid": {"schedule": "pid", "hints": False, "sees": "all", "without": None},
        "refined": {"schedule": None, "hints": False, "sees": "own", "without": None},
    },
    "control": {
        **{"kp": 0.15, "ki": 0.01, "kd": 0.03, "target": 0.8, "leak": 0.9, "start": 0.5},
        **{"slope_guard": True, "rca_retries": 1},
    },
    "measures": {
        **{"movement": 0.05, "katz": 0.5, "collapse": 0.2, "alerts": [0.8, 0.65]},
        "material": "all",
    },
    **{"resamples": 99, "seed": 1},
}
TOPIC = {"topic_id": "toll", "options": list(OPTIONS), "ordered": True, "truth": "P"}
ASSESSED = {"claim": "x", "reasons": [{"validity": 8, "credibility": 7}], "rivals": []}


def turn(
    number: int, round_: int, speaker: str, text: str, role: str = "debater"
) -> dict[str, Any]:
    model = "judge" if speaker.startswith("J:") else f"model-{speaker}"
    return {
        **{"turn": number, "speaker": speaker, "role": role, "round_label": f"round {round_}"},
        **{"model": model, "text": text},
    }


def claim(name: str, text: str = "A claim is made.", *evidence: str) -> dict[str, Any]:
    return {"id": name, "text": text, "evidence": list(evidence)}


def engage(agent: str, name: str, relation: str = "rebut", quote: str = "") -> dict[str, Any]:
    return {"agent": agent, "claim": name, "relation": relation, "quote": quote}


def named(session: str, turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = {"session_id": session, "draw_id": session[:4], "topic_id": "toll"}
    return [{**ids, "arm": session[5:], **one} for one in turns]


#: A1 holds P. A2 comes over after conceding, A3 never answers and stays.
PLAIN = named(
    "t001-emergent",
    [
        turn(1, 1, "A1", reply("P", claims=[claim("c1", "Queues fall.", "e1", "e2")])),
        turn(1, 1, "A2", reply("Q", claims=[claim("c1", "Shops lose.", "e2")])),
        turn(1, 1, "A3", reply("Q", "I therefore conclude: P.")),
        turn(2, 2, "A1", reply("P", "So P it is.", engagements=[engage("A2", "A2.1.c1")])),
        turn(2, 2, "A2", reply("P", engagements=[engage("A1", "c1", "concede")])),
        turn(2, 2, "A3", reply("Q", engagements=[engage("A2", "A2.9.c1"), engage("A2", "zz")])),
        turn(3, 3, "A1", reply("P")),
        turn(3, 3, "A2", "I have nothing that can be read."),
        turn(3, 3, "A3", reply("Q")),
    ],
)


def test_the_tables_of_a_session():
    tables = reconstruct_session(PLAIN, OPTIONS)
    assert [(row["claim_id"], row["option"], row["evidence"]) for row in tables.claims] == [
        ("A1.1.c1", "P", ["e1", "e2"]),
        ("A2.1.c1", "Q", ["e2"]),
    ]
    edges = [(row["source"], row["index"], row["status"]) for row in tables.engagements]
    assert edges == [
        ("A1", 0, "resolved"),
        ("A2", 0, "resolved"),
        *(("A3", 0, "future"), ("A3", 1, "dangling")),
    ]
    conceded = tables.engagements[1]
    assert (conceded["target_claim"], conceded["resolved_claim"]) == ("c1", "A1.1.c1")
    stances = {(row["round"], row["agent"]): row for row in tables.stances}
    assert len(stances) == 9
    assert [key for key, row in stances.items() if row["switched"]] == [(2, "A2")]
    assert stances[1, "A3"]["consistent"] is False
    assert stances[2, "A1"]["conclusion"] == "P"
    assert stances[3, "A1"]["consistent"] is None
    lost = stances[3, "A2"]
    assert (lost["stance"], lost["probabilities"], lost["parsed"]) == ("", [], False)


def test_an_agent_whose_last_retry_is_rejected_abstains():
    no, yes = '{"follows": false, "reason": "no"}', '{"follows": true}'
    turns = named(
        "t001-rca",
        [
            turn(1, 1, "A1", reply("P")),
            turn(1, 1, "A2", reply("Q")),
            *(turn(2, 1, f"J:{agent}", yes, "judge:rca") for agent in ("A1", "A2")),
            turn(3, 2, "A1", reply("Q", claims=[claim("c1")])),
            turn(3, 2, "A2", reply("Q", claims=[claim("c1")])),
            *(turn(4, 2, f"J:{agent}", no, "judge:rca") for agent in ("A1", "A2")),
            turn(5, 2, "A1", reply("R", claims=[claim("c2")]), "retry"),
            turn(5, 2, "A2", reply("P", claims=[claim("c2")]), "retry"),
            turn(6, 2, "J:A1", no, "judge:rca"),
            turn(6, 2, "J:A2", yes, "judge:rca"),
        ],
    )
    tables = reconstruct_session(turns, OPTIONS)
    first, second = (row for row in tables.stances if row["round"] == 2)
    assert (first["stance"], first["abstained"], first["switched"]) == ("P", True, False)
    assert first["probabilities"] == list(certain("P"))
    assert (first["consistent"], first["confidence"]) == (None, None)
    assert (second["stance"], second["abstained"], second["switched"]) == ("P", False, True)
    # The judge decides where the text does not.
    assert second["consistent"] is True
    assert [row["claim_id"] for row in tables.claims] == ["A2.2.c2"]
    ruled = [(row["agent"], row["attempt"], row["accepted"]) for row in tables.judgements[2:]]
    assert ruled == [("A1", 1, False), ("A2", 1, False), ("A1", 2, False), ("A2", 2, True)]


def test_what_a_judge_writes_is_computed_here():
    said = {**ASSESSED, "rivals": [{"validity": 4, "credibility": 9}]}
    turns = named(
        "t001-pid",
        [
            turn(1, 1, "A1", reply("P")),
            turn(2, 1, "J:A1", json.dumps(said), "judge:crit"),
            turn(3, 2, "A1", reply("P")),
            turn(4, 2, "J:A1", "I would rather not.", "judge:crit"),
        ],
    )
    read_one, unread = reconstruct_session(turns, OPTIONS).judgements
    assert (read_one["gamma"], read_one["reasons"]) == (pytest.approx(0.46), [0.56])
    assert read_one["signed"] == pytest.approx(0.2 / 0.92)
    assert (unread["gamma"], unread["parsed"], unread["reasons"]) == (None, False, [])
    assert read_one["judge"] == "judge"


def session(name: str, **parts: Any) -> dict[str, Any]:
    return {
        **{"session_id": name, "draw_id": name[:4], "topic_id": "toll", "arm": name[5:]},
        **{"agents": 3, "rounds": 3, "cast": ["x", "y", "z"]},
        **{"hint": "none", "hint_option": "", "hint_round": 1},
        **parts,
    }


def measured(turns: list[dict[str, Any]], manifest: list[dict[str, Any]]) -> Measured:
    held = {row["session_id"] for row in turns}
    sessions = {name: [row for row in turns if row["session_id"] == name] for name in sorted(held)}
    tables = reconstruct(sessions, {"toll": OPTIONS})
    outcomes = [
        {"session_id": row["session_id"], "complete": row["session_id"] in held} for row in manifest
    ]
    inputs = Inputs(manifest, [TOPIC], outcomes, turns, **vars(tables))
    return measure(inputs, STUDY)


def test_the_metrics_of_a_session_by_hand():
    (row,) = measured(PLAIN, [session("t001-emergent")]).metrics
    expected = {
        **{"debater_calls": 9, "judge_calls": 0, "retry_calls": 0},
        # A1 and A2 hold P in round 2 and A3 holds Q; in round 3 A2 is unknown.
        **{"entropy_first": 0.9182958, "entropy_last": 1.0, "entropy_drop": -0.0817042},
        **{"collapse_round": None, "premature": None, "retention_last": 1 / 0.9182958},
        # Round 2: one ordered pair of six; round 3: none.
        "density_mean": 1 / 12,
        # Round 2: A1 - A2.1.c1, A2 and A3 - A1.1.c1, two engaged; round 3: A1, and A2 now of P too,
        # - A2.1.c1 but that is A2's own, A3 - A1.1.c1.
        "claim_engagement": 2 / 5,
        # Round 2: A1 and A2 engage their one rival option, A3 does not; round 3: A1 has Q, which A3
        # still holds, A3 has P, A2 has no other's claim for Q; nobody engages any. None is lost.
        **{"rival_coverage": 2 / 5, "groupthink": 0},
        **{"compliance": 2 / 4, "dangling": 1 / 4, "ambiguous": 0},
        # Of the exposures only A3's is silent, and it does not move; A2 moved, A1 did not.
        **{"silent_share": 1 / 3, "silence_effect": -1 / 2},
        # Each of A1 and A2 is engaged once, A3 never.
        **{"dominance": 1 / 3, "top_influencer": "A1", "marginalisation_max": 0},
        "ignored_share": 0,
        # Q led in round 1: A2 left it, A1 could have joined; P led in round 2: A3 could.
        **{"sycophancy_per_switch": 0, "sycophancy_per_opportunity": 0, "switches": 1},
        # Of nine turns A3's first contradicts its stance and A1's second agrees.
        **{"consistency": 1 / 2, "undecidable": 7 / 9, "parsed_share": 8 / 9},
        **{"quality_last": None, "contentiousness_last": None},
        **{"agreement_last": 1 / 2, "correct_last": 1 / 2, "abstained_last": 0},
        **{"hint_accepted": None, "hint_rejected": None, "complete": True},
    }
    assert {name: row[name] for name in expected} == {
        name: pytest.approx(value, abs=1e-6) if isinstance(value, float) else value
        for name, value in expected.items()
    }
    assert set(METRICS.columns) == set(row)


def test_where_agents_do_not_see_each_other_nothing_is_measured():
    turns = [{**row, "session_id": "t001-refined", "arm": "refined"} for row in PLAIN]
    found = measured(turns, [session("t001-refined")])
    (row,) = found.metrics
    assert (row["complete"], row["debater_calls"], row["judge_calls"]) == (True, 9, 0)
    empty = set(row) - {"complete", "debater_calls", "judge_calls", "retry_calls", *IDS}
    assert {row[name] for name in empty} == {None, ""}
    assert found.rounds == found.influence == found.pairs == []


def hinted(hint: str, option: str, round_: int) -> dict[str, Any]:
    turns = [{**row, "session_id": "t001-rca", "arm": "rca"} for row in PLAIN[:6]]
    given = {"hint": hint, "hint_option": option, "hint_round": round_, "rounds": 2}
    return measured(turns, [session("t001-rca", **given)]).metrics[0]


def test_hints_count_for_those_who_did_not_hold_their_option():
    # Before round 2 A2 and A3 hold Q; A2 ends on P.
    assert hinted("valid", "P", 2)["hint_accepted"] == pytest.approx(1 / 2)
    assert hinted("valid", "P", 2)["hint_rejected"] is None
    assert hinted("invalid", "P", 2)["hint_rejected"] == pytest.approx(1 / 2)
    # Before round 1 nobody holds anything: two of three end on P.
    assert hinted("valid", "P", 1)["hint_accepted"] == pytest.approx(2 / 3)
    assert hinted("none", "", 1)["hint_accepted"] is None
    assert hinted("invalid", "S", 2)["hint_rejected"] == 1


def test_a_lost_session_keeps_its_row_and_every_artefact_its_schema(tmp_path: Path):
    judged = [
        {**row, "session_id": "t001-pid", "arm": "pid", "turn": 2 * row["turn"]} for row in PLAIN
    ]
    turns = [
        one
        for row in judged
        for one in (
            row,
            {
                **row,
                **{"speaker": f"J:{row['speaker']}", "role": "judge:crit", "model": "judge"},
                "text": json.dumps(ASSESSED),
            },
        )
    ]
    manifest = [session(f"t001-{arm}") for arm in ("emergent", "pid", "rca")]
    found = measured([*PLAIN, *turns], manifest)
    assert [row["complete"] for row in found.metrics] == [True, True, False]
    assert [row["judge_calls"] for row in found.metrics] == [0, 9, 0]
    assert found.metrics[1]["quality_last"] == pytest.approx(0.56)
    assert (found.metrics[2]["switches"], found.metrics[2]["top_influencer"]) == (None, "")
    assert len(found.rounds) == len(found.influence) == 6
    assert len(found.pairs) == 2 * 2 * 3
    tables = reconstruct({"t001-emergent": PLAIN, "t001-pid": turns}, {"toll": OPTIONS})
    for schema in (CLAIMS, ENGAGEMENTS, STANCES, JUDGEMENTS):
        kept(tmp_path, schema, getattr(tables, schema.name))
        kept(tmp_path, schema, getattr(Tables(), schema.name))
    for schema in (ROUNDS, METRICS, INFLUENCE, PAIRS):
        kept(tmp_path, schema, getattr(found, schema.name))
        kept(tmp_path, schema, [])


def kept(folder: Path, schema: Any, rows: list[dict[str, Any]]) -> None:
    path = folder / f"{schema.name}.parquet"
    write(path, schema, rows, {})
    assert read(path, schema).num_rows == len(rows)
