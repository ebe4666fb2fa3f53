"""Whole deliberations between scripted or simulated agents, for tests of how they are held."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from dissensus.llm.call import Reply, Request
from dissensus.llm.journal import Journal, NoJournal
from dissensus.llm.providers.simulated import SimulatedModel
from dissensus.session.protocol import Decoding
from dissensus.session.runner import Limits, Session, run_session
from fake_client import FakeClient
from scripted import ROOT

from ..design.topics import read_topics
from ..measures.reconstruct import reconstruct_session
from ..measures.sessions import Inputs, measure
from ..prompts import Note, Topic, Wording
from ..protocol import Arm, Cast, deliberate

TOPICS = str(ROOT / "resources" / "topics" / "topics.yaml")
PROMPTS = {
    name: str(ROOT / "studies" / "deliberation" / "prompts" / f"{file}.yaml")
    for name, file in (("prompts", "round"), ("judging", "judging"))
}
WORDING = Wording.read(PROMPTS["prompts"], PROMPTS["judging"])
TOPIC = Topic("Which way?", ("left", "right"), {"e1": "The map says so.", "e2": "It is late."})
CONTROL: dict[str, Any] = {
    **{"kp": 0.15, "ki": 0.01, "kd": 0.03, "target": 0.8, "start": 0.5, "leak": 0.9},
    **{"slope_guard": True, "rca_retries": 3},
}
PLAIN = Arm("emergent", crit=False, assessed=False, retries=None, schedule=None, control={})
LIMITS = Limits(repairs=0, session_attempts=1)
DECODING = Decoding(temperature=0.7, max_tokens=900)

FOLLOWS = json.dumps({"follows": True, "reason": "It does."})
PARTS = json.dumps({"follows": False, "reason": "The text says the other."})
ASSESSED = json.dumps(
    {
        "claim": "left it is",
        "reasons": [{"validity": 8, "credibility": 7}, {"validity": 6, "credibility": 5}],
        "rivals": [{"validity": 4, "credibility": 9}],
    }
)


def reply(text: str = "Thinking.", stance: str = "left", **parts: Any) -> str:
    """A debater's reply whose object is in order."""
    other = "right" if stance == "left" else "left"
    members = {
        "stance": stance,
        "probabilities": {stance: 0.7, other: 0.3},
        "confidence": 0.7,
        "claims": [{"id": "c1", "text": f"{text} For {stance}.", "evidence": ["e1"]}],
        "engagements": [],
        **parts,
    }
    return f"{text}\n{json.dumps(members)}"


@dataclass
class Agents:
    """A provider that answers by who is asked, in which round, as what, for the how-manieth time.

    ``says`` takes agent, round, role (debater, retry, crit or rca) and the number of such calls
    before.
    """

    says: Callable[[str, int, str, int], str]
    provider: FakeClient = field(init=False)
    seen: dict[tuple[str, int, str], int] = field(default_factory=dict)
    asked: list[tuple[str, int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.provider = FakeClient(self._say)

    def _say(self, request: Request) -> Reply:
        place = _place_of(request)
        with self.provider.lock:
            times = self.seen.get(place, 0)
            self.seen[place] = times + 1
            self.asked.append(place)
        return Reply(self.says(*place, times))


def _place_of(request: Request) -> tuple[str, int, str]:
    """Who is asked or judged, in which round, as what; read from the prompt as anyone would."""
    content = request.messages[0].content
    if "You assess one turn" in content or "You check one turn" in content:
        header = content.split("\n--- ")[1].split(" ---")[0]
        agent, _, round_ = header.partition(", round ")
        return agent, int(round_), "crit" if "You assess" in content else "rca"
    agent, _, rest = content.rpartition("\nYou are ")[2].partition(",")
    round_ = rest.removeprefix(" and this is round ").split()[0]
    return agent, int(round_), "retry" if len(request.messages) > 1 else "debater"


def hold(
    agents: Agents,
    arm: Arm = PLAIN,
    *,
    count: int = 3,
    rounds: int = 3,
    note: Note | None = None,
    repairs: int = 0,
    journal: Journal | None = None,
) -> Session:
    """Hold a session in which one provider plays all the agents and the judge."""
    cast = Cast({f"A{seat}": "panel" for seat in range(1, count + 1)}, "judge")
    steps = deliberate(WORDING, TOPIC, cast, arm, rounds, note, DECODING)
    models = dict.fromkeys(("panel", "judge"), agents.provider)
    limits = replace(LIMITS, repairs=repairs)
    return run_session(7, steps, models, NoJournal() if journal is None else journal, limits)


def prompts(session: Session, role: str = "debater") -> dict[tuple[int, str], str]:
    """(round, speaker) -> the first prompt of a turn of that role."""
    found: dict[tuple[int, str], str] = {}
    for attempt in session.attempts:
        call = attempt.call
        if call.role == role:
            place = int(call.round_label.removeprefix("round ")), call.speaker
            found.setdefault(place, "\n".join(message.content for message in call.messages))
    return found


def simulated(role: str = "debater", **speech: Any) -> dict[str, Any]:
    """A model's settings, its speech without noise or faults unless they are asked for."""
    still = {"noise": 0.0, "heat": 0.0, "silence": 0.0, "yields": 0.0, "stubbornness": 0.0}
    return {
        "provider": "simulated",
        "behaviour": "dissensus_studies.deliberation.simulated",
        "speech": {"role": role, "topics": TOPICS, **(still | speech)},
    }


@cache
def topic_rows() -> list[dict[str, Any]]:
    """The project's topics."""
    return read_topics(TOPICS)


def hold_simulated(
    models: Sequence[Mapping[str, Any]],
    arm: Arm = PLAIN,
    *,
    topic: int = 0,
    rounds: int = 5,
    seed: int = 1,
    note: Note | None = None,
    judge: Mapping[str, Any] | None = None,
    repairs: int = 0,
) -> Session:
    """Hold a session between simulated agents on one of the project's topics."""
    row = topic_rows()[topic]
    evidence = dict(zip(row["evidence_ids"], row["evidence"], strict=True))
    what = Topic(row["question"], tuple(row["options"]), evidence)
    cast = {f"A{seat}": f"m{seat}" for seat in range(1, len(models) + 1)}
    held: dict[str, Any] = {
        name: SimulatedModel(name, one) for name, one in zip(cast.values(), models, strict=True)
    }
    held["judge"] = SimulatedModel("judge", judge or simulated("judge"))
    steps = deliberate(WORDING, what, Cast(cast, "judge"), arm, rounds, note, DECODING)
    return run_session(seed, steps, held, NoJournal(), replace(LIMITS, repairs=repairs))


def study_values(**changes: Any) -> dict[str, Any]:
    """Settings of a small study; a block among the changes changes single values of that block."""
    values: dict[str, Any] = {
        **{"draws": 4, "block_size": 2, "rounds": 3, "topics": TOPICS, **PROMPTS},
        **{"panel": ["m1", "m2", "m3"], "judges": ["judge"], "reference": "emergent"},
        "arms": {
            **{"emergent": {}, "crit": {"crit": True}, "hinted": {"hints": True}},
            **{"rca": {"hints": True, "rca": True}, "pid": {"schedule": "pid"}},
        },
        "control": CONTROL,
        "protocol": {
            **{"temperature": 0.7, "max_tokens": 900, "repairs": 1, "session_attempts": 1},
            "session_deadline_s": None,
        },
        "inference": {"confidence": 0.95, "resamples": 200, "flips": 200},
        "measures": {
            **{"movement": 0.05, "katz": 0.5, "collapse": 0.2, "alerts": [0.8, 0.65]},
            "material": "all",
        },
        "diagnosis": {
            **{"simulations": 5, "effects": [0.0], "sessions": 1},
            **{"debaters": [simulated()] * 3, "judge": simulated("judge")},
        },
    }
    for name, change in changes.items():
        block = name in ("control", "protocol", "inference", "measures")
        values[name] = {**values[name], **change} if block else change
    return values


def measured_session(
    models: Sequence[Mapping[str, Any]], arm: Arm = PLAIN, *, topic: int = 0, rounds: int = 5
) -> dict[str, Any]:
    """The row of metrics of a session between simulated agents."""
    row = topic_rows()[topic]
    ids = {"session_id": f"t{topic}-x", "draw_id": f"t{topic}", "arm": "x"}
    ids["topic_id"] = row["topic_id"]
    held = hold_simulated(models, arm, topic=topic, rounds=rounds, seed=topic)
    turns = [{**vars(turn), **ids} for turn in held.turns]
    cast = [f"m{seat}" for seat in range(1, len(models) + 1)]
    manifest = {**ids, "agents": len(cast), "rounds": rounds, "cast": cast}
    tables = reconstruct_session(turns, row["options"])
    outcomes = [{"session_id": ids["session_id"], "complete": True}]
    study = {
        "arms": {"x": {"schedule": None, "hints": False, "sees": "all", "without": None}},
        **{name: study_values()[name] for name in ("control", "measures")},
        **{"resamples": 1, "seed": 1},
    }
    return measure(Inputs([manifest], [row], outcomes, turns, **vars(tables)), study).metrics[0]
