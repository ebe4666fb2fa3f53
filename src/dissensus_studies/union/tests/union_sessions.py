"""Whole sessions of the union study between models whose every reply a test decides."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dissensus.llm.call import Reply, Request
from dissensus.llm.journal import NoJournal
from dissensus.session.protocol import Call, Steps, Turn
from dissensus.session.runner import CallFailed, Limits, Session, run_session
from dissensus.tables.artefact import Schema
from fake_client import FakeClient
from scripted import ROOT

from ..prompts import Wording
from ..protocol import Draw, Models, Rules, debate
from ..tables import CHUNKS, PASSAGES

PROMPTS = {
    name: str(ROOT / "studies" / "union" / "prompts" / f"{file}.yaml")
    for name, file in (("prompts", "debate"), ("judging", "judging"))
}
WORDING = Wording.read(PROMPTS["prompts"], PROMPTS["judging"])
PROPOSITION = ("Dr Mara Lindqvist", "Tobias Achterberg", "Yusra Haddad")
OPPOSITION = ("Prof Ines Calvário-Roth", "Rt Hon Gideon Ashworth", "Dr Kwabena Osei-Boateng")
ORDER = tuple(name for pair in zip(PROPOSITION, OPPOSITION, strict=True) for name in pair)
STUDENTS = ("Tobias Achterberg", "Yusra Haddad")
MOTION = {
    "motion_id": "lottery",
    "motion": "This House would choose its legislators by lot",
    "about": "",
    "proposition": list(PROPOSITION),
    "opposition": list(OPPOSITION),
    "students": list(STUDENTS),
    "source": "motions.yaml",
}
PROTOCOL: dict[str, Any] = {
    **{"temperature": 0.7, "top_p": None, "max_tokens": 900, "repairs": 1, "session_attempts": 1},
    **{"session_deadline_s": None, "speech_tokens": 2400, "short_tokens": 300},
    **{"passages": 3, "words": 1350},
    **{"definitions": True, "points": True, "points_a_speech": 2, "accepted": 0.45},
    **{"accepted_late": 0.3, "judging_temperature": 0.8, "audited": True},
}
MODELS = Models("speaker", "extractor", "interjector", "annotator", ("j1", "j2", "j3"))
#: Every offer is accepted, or none.
ALWAYS, NEVER = ({"accepted": share, "accepted_late": share} for share in (1.0, 0.0))

Says = Callable[[Call, int], str | Reply]


def style_of(name: str) -> str:
    """A style whose six fields name the speaker."""
    return json.dumps(
        {
            "register": f"register of {name}",
            "opening_patterns": [f"opening of {name}"],
            "devices": [f"device of {name}"],
            "disagreement_style": f"disagreement of {name}",
            "signature_phrases": [f"phrase of {name}"],
            "closing_patterns": [f"closing of {name}"],
        }
    )


def memo_of(name: str) -> str:
    parts = ("worked", "failed", "missed", "advice")
    return json.dumps({part: [f"{part} for {name}"] for part in parts})


def passage(name: str, number: int, motion: str = "lottery") -> str:
    return f"Passage {number} of {name} on {motion}."


@dataclass
class FakeInputs:
    """What other sessions and stages left; a session without a transcript failed.

    ``transcripts``: session_id -> turns; ``pool``: passages and chunks of each speaker.
    """

    transcripts: Mapping[str, Sequence[Mapping[str, Any]]]
    pool: int = 20
    read: list[str] = field(default_factory=list)

    def texts(self, session_id: str, speakers: list[str], expected: str = "") -> list[str]:
        found = {turn["speaker"]: turn["text"] for turn in self.turns(session_id)}
        return [found[name] for name in speakers]

    def turns(
        self, session_id: str, expected: Sequence[Mapping[str, Any]] = ()
    ) -> Sequence[Mapping[str, Any]]:
        self.read.append(session_id)
        if not self.transcripts.get(session_id):
            raise CallFailed(f"{session_id}, which it reads, failed")
        return self.transcripts[session_id]

    def rows_of(
        self, artefact: str, schema: Schema, where: Mapping[str, Any], expected: int = 1
    ) -> Sequence[Mapping[str, Any]]:
        self.read.append(artefact)
        assert schema in (PASSAGES, CHUNKS)
        numbers = range(1, self.pool + 1)
        rows = [
            {"speaker": name, "motion_id": motion, "text": passage(name, number, motion)}
            for motion in ("lottery", "memory")
            for name in ORDER
            for number in numbers
        ]
        return [row for row in rows if all(row[name] == value for name, value in where.items())]

    def text_of(self, artefact: str) -> str:
        raise AssertionError(artefact)


def inputs(**transcripts: Sequence[Mapping[str, Any]]) -> FakeInputs:
    """The styles of all speakers, and memos for the students."""
    styles = [{"speaker": name, "text": style_of(name)} for name in ORDER]
    memos = [{"speaker": name, "text": memo_of(name)} for name in STUDENTS]
    return FakeInputs({"lottery-e0-style": styles, "lottery-e2-memo": memos, **transcripts})


def draw(**changes: Any) -> Draw:
    values: dict[str, Any] = {
        **{"motion_id": "lottery", "motion": MOTION["motion"], "proposition": PROPOSITION},
        **{"order": ORDER, "lenses": (0, 1, 2, 3, 4, 5), "draw_seed": 11, "passages": 3},
        **{"styles": "lottery-e0-style", "memos": "", "coached": ()},
    }
    return Draw(**(values | changes))


@dataclass
class Script:
    """A provider that knows the calls of the session that asks it."""

    says: Says
    client: FakeClient = field(init=False)
    begun: Call | None = None
    rest: list[Call] = field(default_factory=list)
    times: int = 0

    def __post_init__(self) -> None:
        # Calls of a step come one after the other, so that each is known.
        self.client = FakeClient(self._reply, waits=False)

    def follow(self, steps: Callable[[], Steps]) -> Steps:
        """The steps, noting what is asked."""
        inner = steps()
        step = next(inner, None)
        while step is not None:
            self.rest, self.begun = list(step), None
            turns = yield step
            try:
                step = inner.send(turns)
            except StopIteration:
                step = None

    def _reply(self, request: Request) -> Reply:
        content = request.messages[-1].content
        new = next((one for one in self.rest if one.messages[-1].content == content), None)
        if new is not None:
            self.rest.remove(new)
            self.begun, self.times = new, 0
        else:
            self.times += 1
        assert self.begun is not None
        said = self.says(self.begun, self.times)
        return said if isinstance(said, Reply) else Reply(said)


def play(says: Says, steps: Callable[[], Steps], attempts: int = 1) -> Session:
    """Run a session whose models all say what a test decides."""
    script = Script(says)
    names = ("speaker", "extractor", "interjector", "annotator", "j1", "j2", "j3", "coach")
    limits = Limits(repairs=1, session_attempts=attempts)
    providers = dict.fromkeys(names, script.client)
    return run_session(5, lambda: script.follow(steps), providers, NoJournal(), limits)


def hold(
    says: Says | None = None,
    *,
    read: FakeInputs | None = None,
    drawn: Draw | None = None,
    **protocol: Any,
) -> Session:
    """Run a debate."""
    rules = Rules.of(PROTOCOL | protocol)
    given = read or inputs()
    steps = debate(WORDING, drawn or draw(), MODELS, rules, given)
    return play(says or talk, steps)


def short(name: str) -> str:
    """A speaker without honorifics and spaces."""
    return name.split()[-1]


def talk(call: Call, times: int) -> str:
    """What everybody says: texts that can be told apart, of every role."""
    if call.role == "prepare":
        return f"Notes of {short(call.speaker)}."
    if call.role == "speech":
        return f"This is {call.round_label}, as it is spoken.\n\nIt ends."
    if call.role == "extract":
        points = [f"point {n} of {call.round_label}" for n in range(1, 6)]
        return json.dumps({"arguments": [{"point": point} for point in points]})
    if call.role == "offer":
        point = f"{short(call.speaker)} asks in {call.round_label}"
        return json.dumps({"offers": [{"argument": 3, "point": point}]})
    if call.role == "answer":
        return f"Answer {call.number} in {call.round_label}."
    return call.expected.replace("\\ue000", f"{call.role} text")


def saying(**roles: Says) -> Says:
    """As :func:`talk`, but for some roles."""
    return lambda call, times: roles.get(call.role, talk)(call, times)


def prompts(session: Session, *roles: str) -> Iterator[tuple[Call, str]]:
    """Every first prompt of some roles; of all without any."""
    for attempt in session.attempts:
        if attempt.attempt == 1 and (not roles or attempt.call.role in roles):
            yield attempt.call, attempt.call.messages[0].content


def turns_of(session: Session) -> list[dict[str, Any]]:
    """The turns as an artefact has them."""
    return [
        {"turn": turn.number, "speaker": turn.speaker, "role": turn.role, "text": turn.text}
        | {"model": turn.model}
        for turn in session.turns
    ]


def roles(turns: Sequence[Turn]) -> list[str]:
    """The role of each step, in order."""
    steps: dict[int, str] = {}
    for turn in turns:
        steps.setdefault(turn.number, turn.role)
    return list(steps.values())
