"""Small made-up runs, as the stages before inference would leave them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

from dissensus.report.view import Artefacts, View
from dissensus.study.gather import outcomes_schema
from equal_token_rows import equal_tokens
from made_frames import frame_of

from ..design.manifest import IDS, MANIFEST
from ..design.topics import TOPICS
from ..inference.contrasts import contrast_arms
from ..inference.left_out import LEFT_OUT
from ..inference.trajectories import TRAJECTORIES, follow_debates
from ..inference.unanswered import UNANSWERED
from ..measures.records import (
    CLAIMS,
    ENGAGEMENTS,
    INFLUENCE,
    METRICS,
    PAIRS,
    ROUNDS,
    STANCES,
)

#: The study's arms, and what each sets.
ARMS: dict[str, dict[str, Any]] = {
    "emergent": {},
    "full": {"topology": "full"},
    "one_target": {"topology": "one_target"},
    "crit": {"crit": True},
    "hinted": {"hints": True},
    "rca": {"hints": True, "rca": True},
    "pid": {"schedule": "pid"},
    "pid_fast": {"schedule": "pid_fast"},
    "fixed": {"schedule": "fixed"},
    "linear": {"schedule": "linear"},
    "exponential": {"schedule": "exponential"},
    "divide": {"schedule": "divide"},
}
OPTIONS = ("disagree", "undecided", "agree", "strongly agree", "another option of the topic")
MODELS = ("model-a", "model-b", "model-c", "a-model-of-a-longer-name")
RELATIONS = ("rebut", "rebut", "rebut", "concede", "question", "support")
JUDGED = ("crit", "rca", *(arm for arm in ARMS if "schedule" in ARMS[arm]))


@dataclass(frozen=True)
class Run:
    """Every frame that figures and tables are made from."""

    topics: pd.DataFrame
    manifest: pd.DataFrame
    outcomes: pd.DataFrame
    claims: pd.DataFrame
    engagements: pd.DataFrame
    stances: pd.DataFrame
    rounds: pd.DataFrame
    metrics: pd.DataFrame
    influence: pd.DataFrame
    pairs: pd.DataFrame
    contrasts: pd.DataFrame
    equal_tokens: pd.DataFrame
    left_out: pd.DataFrame
    arms: Mapping[str, Mapping[str, Any]]

    @cached_property
    def artefacts(self) -> Artefacts:
        frames = {name: frame for name, frame in vars(self).items() if name != "arms"}
        schemas = (TRAJECTORIES, UNANSWERED)
        debates = (self.rounds, self.manifest, self.outcomes, self.claims, self.engagements)
        made = follow_debates(*debates, self.stances, "emergent", list(self.arms), 0.95)
        followed = {
            schema.name: frame_of(schema, rows) for schema, rows in zip(schemas, made, strict=True)
        }
        return Artefacts({}, frames | followed)

    def view(self, simulated: bool = True) -> View:
        settings = {"reference": "emergent", "confidence": 0.95, "target": 0.8, "arms": self.arms}
        settings["alerts"] = [0.8, 0.65]
        return View("deliberation", settings, simulated)

    def session(self, name: str) -> dict[str, pd.DataFrame]:
        """The rows of one session, by frame."""
        frames = {"claims": self.claims, "engagements": self.engagements, "stances": self.stances}
        return {key: frame[frame["session_id"] == name] for key, frame in frames.items()}


def make_run(
    draws: int = 12, arms: tuple[str, ...] = tuple(ARMS), agents: int = 4, rounds: int = 5
) -> Run:
    """A run of some of the arms; its last session of more than two is lost."""
    return _made(draws, arms, agents, rounds)


@cache
def _made(draws: int, arms: tuple[str, ...], agents: int, rounds: int) -> Run:
    rng = np.random.default_rng(draws * 1000 + len(arms) * 10 + agents)
    manifest = _manifest(draws, arms, agents, rounds, rng)
    lost = manifest["session_id"] == (manifest["session_id"].iloc[-1] if len(manifest) > 2 else "")
    outcomes = frame_of(
        outcomes_schema(IDS),
        manifest[[*IDS]].assign(
            complete=~lost,
            attempts=np.where(lost, 3, 1),
            repairs=rng.integers(0, 3, len(manifest)),
            compliant=[None if gone else True for gone in lost],
            failure=np.where(lost, "timed out", ""),
        ),
    )
    held = manifest[~lost].to_dict("records")
    measured = pd.DataFrame([_metrics(row, rng) for row in manifest.to_dict("records")])
    metrics = frame_of(METRICS, measured.assign(complete=~lost.to_numpy()))
    numbers = [name for name in metrics.columns if metrics[name].dtype == float]
    metrics.loc[lost.to_numpy(), numbers] = np.nan
    stances = frame_of(STANCES, [stance for row in held for stance in _stances(row, rng)])
    claims = frame_of(CLAIMS, [claim for row in held for claim in _claims(row, stances, rng)])
    edges = [edge for row in held for edge in _engagements(row, claims, rng)]
    again = next((arm for arm in arms if arm.endswith("_again")), None)
    return Run(
        frame_of(TOPICS, [_topic(index) for index in range(8)]),
        manifest,
        outcomes,
        claims,
        frame_of(ENGAGEMENTS, edges),
        stances,
        frame_of(ROUNDS, pd.concat([_rounds(row, rng) for row in held], ignore_index=True)),
        metrics,
        frame_of(INFLUENCE, pd.concat([_influence(row, rng) for row in held], ignore_index=True)),
        _pairs(arms, rng),
        pd.DataFrame(contrast_arms(metrics, manifest, "emergent", 0.95, 500, 1, again=again)),
        equal_tokens("arm", ["emergent"], draws),
        frame_of(
            LEFT_OUT, [{"model": "model-b", "estimate": 0.12, "ci_low": 0.04, "ci_high": 0.2}]
        ),
        {name: ARMS[name] for name in arms},
    )


def _topic(index: int) -> dict[str, Any]:
    return {
        "topic_id": f"topic-{index}",
        "title": f"Topic {index}",
        "question": f"Should the house do the {index}th thing that it has been asked to do?",
        "options": list(OPTIONS),
        "ordered": True,
        "truth": "agree" if index % 2 else "",
        "evidence_ids": ["e1"],
        "evidence": ["Evidence."],
        "supports": ["agree"],
        "source": "made up",
    }


def _manifest(
    draws: int, arms: tuple[str, ...], agents: int, rounds: int, rng: np.random.Generator
) -> pd.DataFrame:
    rows = []
    for draw in range(1, draws + 1):
        cast = [MODELS[i % len(MODELS)] for i in rng.permutation(agents)]
        for position, arm in enumerate(rng.permutation(arms).tolist()):
            rows.append(
                {
                    "session_id": f"t{draw:03d}-{arm}",
                    "draw_id": f"t{draw:03d}",
                    "block": 1,
                    "topic_id": f"topic-{draw % 8}",
                    "arm": arm,
                    "position": position,
                    "cast": cast,
                    "judge": "a-judge",
                    "hint": "valid" if draw % 2 else "invalid",
                    "agents": agents,
                    "rounds": rounds,
                    "seed": draw,
                }
            )
    return frame_of(MANIFEST, rows).sort_values("session_id", ignore_index=True)


def _named(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("session_id", "draw_id", "topic_id", "arm")}


def _metrics(row: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    judged, hinted = row["arm"] in JUDGED, row["arm"] in ("hinted", "rca")
    turns = row["agents"] * row["rounds"]
    shift = 0.15 if row["arm"] == "full" else 0.0

    def share(mean: float) -> float:
        return float(np.clip(mean + 0.1 * rng.standard_normal(), 0, 1))

    return {
        **_named(row),
        "complete": True,
        "debater_calls": turns,
        "judge_calls": turns if judged else 0,
        "retry_calls": int(rng.integers(0, 4)) if row["arm"] == "rca" else 0,
        "entropy_first": 1.5 + share(0.3),
        "entropy_last": 0.6 + share(0.3),
        "entropy_drop": 0.5 + share(0.3),
        "collapse_round": 4.0 if row["arm"] == "full" else np.nan,
        "premature": (row["draw_id"] == "t001") if row["arm"] == "full" else None,
        "retention_last": share(0.5) + shift,
        "density_mean": share(0.4) + shift,
        "claim_engagement": share(0.3),
        "rival_coverage": share(0.5),
        "groupthink": share(0.25),
        "compliance": share(0.9),
        "dangling": share(0.06),
        "ambiguous": share(0.03),
        "silent_share": share(0.4),
        "silence_effect": 0.2 + 0.2 * float(rng.standard_normal()),
        "dominance": share(0.3),
        "top_influencer": f"A{rng.integers(1, row['agents'] + 1)}",
        "marginalisation_max": share(0.6),
        "ignored_share": share(0.3),
        "sycophancy_per_switch": share(0.5),
        "sycophancy_per_opportunity": share(0.2),
        "switches": 3,
        "consistency": share(0.9),
        "undecidable": share(0.1),
        "parsed_share": share(0.95),
        "quality_last": share(0.6) if judged else np.nan,
        "contentiousness_last": share(0.5),
        "agreement_last": share(0.7),
        "abstained_last": 0.0,
        "correct_last": share(0.6) if row["topic_id"] in ("topic-1", "topic-3") else np.nan,
        "hint_accepted": share(0.6) if hinted and row["hint"] == "valid" else np.nan,
        "hint_rejected": share(0.5) if hinted and row["hint"] == "invalid" else np.nan,
    }


def _stances(row: Mapping[str, Any], rng: np.random.Generator) -> list[dict[str, Any]]:
    rows = []
    for agent, model in enumerate(row["cast"], 1):
        held = OPTIONS[int(rng.integers(len(OPTIONS)))]
        for number in range(1, row["rounds"] + 1):
            moves = number > 1 and rng.random() < 0.25
            before, held = held, OPTIONS[int(rng.integers(len(OPTIONS)))] if moves else held
            parsed = bool(rng.random() > 0.05)
            rows.append(
                {
                    **_named(row),
                    "round": number,
                    "agent": f"A{agent}",
                    "model": model,
                    "stance": held if parsed else "",
                    "probabilities": [0.2] * len(OPTIONS),
                    "confidence": 0.7,
                    "parsed": parsed,
                    "abstained": row["arm"] == "rca" and number == 2 and agent == 1,
                    "declined": False,
                    "switched": parsed and before != held,
                    "conclusion": "",
                    "consistent": None,
                }
            )
    return rows


def _claims(
    row: Mapping[str, Any], stances: pd.DataFrame, rng: np.random.Generator
) -> list[dict[str, Any]]:
    own = stances[stances["session_id"] == row["session_id"]]
    return [
        {
            **_named(row),
            "claim_id": f"{turn['agent']}.{turn['round']}.c{local}",
            "agent": turn["agent"],
            "round": turn["round"],
            "option": turn["stance"],
            "text": "A claim.",
            "evidence": ["e1"],
        }
        for turn in own.to_dict("records")
        for local in range(1, int(rng.integers(1, 4)) + 1)
    ]


def _engagements(
    row: Mapping[str, Any], claims: pd.DataFrame, rng: np.random.Generator
) -> list[dict[str, Any]]:
    own = claims[claims["session_id"] == row["session_id"]].to_dict("records")
    rows = []
    for number in range(2, row["rounds"] + 1):
        for agent in (f"A{seat}" for seat in range(1, row["agents"] + 1)):
            earlier = [c for c in own if c["round"] < number and c["agent"] != agent]
            near = [claim for claim in earlier if claim["round"] == number - 1]
            for index in range(int(rng.integers(0, 4))):
                among = near if rng.random() < 0.8 else earlier
                claim = among[int(rng.integers(len(among)))]
                resolved = bool(rng.random() > 0.05)
                rows.append(
                    {
                        **_named(row),
                        "round": number,
                        "source": agent,
                        "index": index,
                        "target_agent": claim["agent"],
                        "target_claim": claim["claim_id"],
                        "relation": RELATIONS[int(rng.integers(len(RELATIONS)))],
                        "quote": "",
                        "status": "resolved" if resolved else "dangling",
                        "resolved_agent": claim["agent"] if resolved else "",
                        "resolved_claim": claim["claim_id"] if resolved else "",
                    }
                )
    return rows


def _rounds(row: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    n, arm = row["rounds"], row["arm"]
    steps = np.arange(n)
    scheduled = ARMS[arm].get("schedule")
    beta = np.clip(0.5 + (0.06 if scheduled == "pid_fast" else -0.04) * steps, 0, 1)
    fall = np.exp(-(0.15 + 0.1 * rng.random() - (0.1 if arm == "full" else 0)) * steps)
    columns: dict[str, Any] = {
        "round": steps + 1,
        "entropy": 1.8 * fall + 0.05 * rng.standard_normal(n),
        "entropy_mm": 1.9 * fall,
        "js": fall,
        "retention": fall,
        "alert": [next((str(a) for a in (0.65, 0.8) if f < a), "") for f in fall],
        "density": np.where(steps > 0, 0.4, np.nan),
        "claim_engagement": 0.3,
        "compliance": 0.9,
        "evidence_overlap": 0.4,
        "quality": np.clip(0.5 + 0.05 * steps + 0.05 * rng.standard_normal(n), 0, 1)
        if arm in JUDGED
        else np.nan,
        "quality_signed": np.nan,
        "contentiousness": np.clip(beta + 0.04 * rng.standard_normal(n), 0, 1)
        if scheduled
        else np.nan,
        "error": 0.8 - 0.5 - 0.05 * steps if arm.startswith("pid") else np.nan,
        "control": 0.01 if arm.startswith("pid") else np.nan,
        "frozen": (steps == n - 1) & arm.startswith("pid"),
        "quadrant": "healthy",
    }
    return pd.DataFrame(_named(row) | columns)


def _influence(row: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    n = row["agents"]
    claims = rng.integers(3, 9, n)
    ignored = np.minimum(rng.integers(0, 5, n), claims)
    return pd.DataFrame(
        {
            "session_id": row["session_id"],
            "arm": row["arm"],
            "agent": [f"A{seat}" for seat in range(1, n + 1)],
            "direct_in": rng.random(n),
            "direct_out": rng.random(n),
            "katz": rng.random(n),
            "claims": claims,
            "ignored": ignored,
            "marginalisation": ignored / claims,
        }
    )


def _pairs(arms: tuple[str, ...], rng: np.random.Generator) -> pd.DataFrame:
    rows = []
    for arm in arms:
        for when in ("first", "last"):
            for i, one in enumerate(MODELS):
                for other in MODELS[i + 1 :]:
                    kl, js, distance, tv, shared = rng.random(5)
                    numbers = {"kl": 2 * kl, "jsd": js, "wasserstein": distance, "tv": tv}
                    rows.append(
                        {"arm": arm, "round": when, "agent_a": one, "agent_b": other}
                        | numbers
                        | {"nmi": shared, "nmi_p": 0.3, "n": 12}
                    )
    return frame_of(PAIRS, rows)
