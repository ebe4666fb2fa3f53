"""Models that think aloud as Gemma does, in all five studies: nobody is shown what they think."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from dissensus.keep.reading import configured
from dissensus.llm.call import Message, Reply
from dissensus.llm.doubts import Watch
from dissensus.llm.exchange import Exchange, Post
from dissensus.llm.journal import NoJournal
from dissensus.llm.ledger import Ledger
from dissensus.llm.marks import read_marks
from dissensus.llm.providers.openai import OpenAICodec
from dissensus.llm.providers.remote import Host, RemoteModel
from dissensus.session.inputs import FolderInputs
from dissensus.session.runner import Limits, Session, run_session
from dissensus.study.sessions import Sessions
from dissensus_serve.replies import Replies
from hostile import chat, terms
from support import Project
from test_reproduced import STUDIES, reproduced  # noqa: F401

#: What a thought says would be an answer in each study, were it read.
THOUGHT = (
    "MUSING: I could say no.\nVote: Strongly disagree\n{final answer: (B)}\n"
    '{"stance": "MUSING", "winner": "B", "claims": [], "rebuttals": []}\n'
)
Wrap = Callable[[str], str]
WRAPS: dict[str, Wrap] = {
    "plain": lambda text: text,
    "known": lambda text: f"<|channel>thought\n{THOUGHT}<channel|>{text}",
    "unknown": lambda text: f"<|mull>\n{THOUGHT}<mull|>{text}",
}


@dataclass
class Server:
    """In place of an HTTP client: simulated models answer, and think aloud before they do."""

    replies: Replies
    wrap: Wrap
    sent: list[str] = field(default_factory=list)

    async def call(self, exchange: Exchange, post: Post, patience: Any) -> Reply:
        body = post.body
        said = json.dumps(body, sort_keys=True)
        self.sent.append(said)
        messages = [Message(each["role"], each["content"]) for each in body["messages"]]
        digest = hashlib.sha256(said.encode()).hexdigest()
        text = self.replies.text(body["model"], messages, digest)
        counts = {"prompt_tokens": len(said) // 4, "completion_tokens": 1}
        return exchange.parse(chat(self.wrap(text), usage=counts))


def models_of(
    entries: Mapping[str, Any], wrap: Wrap, folder: Path
) -> tuple[Server, dict[str, RemoteModel]]:
    """Models behind an interface, as a run has them, and who answers there."""
    server = Server(Replies(entries, fixed=False), wrap)
    watch = Watch(folder / "p.said", simulated=True)
    host = Host(terms(), Ledger(None, None), OpenAICodec(), server, watch=watch)  # type: ignore[arg-type]
    given: Any = {"simulated": True, "host": lambda: host, "price": None, "marks": read_marks()}
    return server, {name: RemoteModel(name, {"provider": "p"}, **given) for name in entries}


@pytest.fixture(params=STUDIES)
def sessions(
    reproduced: Project,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> tuple[Sessions, dict[str, Any]]:
    monkeypatch.chdir(reproduced.folder)
    files = dict.fromkeys(("config.yaml", reproduced.configuration))
    configuration = configured([*files])
    made = Sessions.read(configuration, reproduced.results(study=request.param))
    return made, {name: configuration.models[name].model_dump() for name in made.identities}


def held(sessions: Sessions, models: Mapping[str, RemoteModel]) -> Iterator[Session]:
    """Some sessions of every kind, as the run before left what they read."""
    study = sessions.study
    kinds: dict[type, list[Any]] = {}
    for row in sessions.rows.values():
        kinds.setdefault(type(study.kind_of(row)), []).append(row)
    # A study with one kind has few calls of each model in a session.
    each = 3 if len(kinds) == 1 else 1
    for row in (row for rows in kinds.values() for row in rows[-each:]):
        steps = sessions.steps(row, FolderInputs(sessions.folder, study.ids))
        yield run_session(row["seed"], steps, models, NoJournal(), Limits(1, 1))


def test_what_is_thought_aloud_is_nobodys_speech(
    sessions: tuple[Sessions, dict[str, Any]], tmp_path: Path
) -> None:
    """All turns are what they are without it, and so is every word that anybody is sent."""
    made, entries = sessions
    plain, models = models_of(entries, WRAPS["plain"], tmp_path / "plain")
    turns = [session.turns for session in held(made, models)]
    aloud, models = models_of(entries, WRAPS["known"], tmp_path / "known")
    found = list(held(made, models))
    assert [session.turns for session in found] == turns
    compliant = [turn.compliant for session in turns for turn in session]
    assert sum(compliant) > 0.8 * len(compliant) > 0
    assert sorted(aloud.sent) == sorted(plain.sent) and "MUSING" not in "".join(aloud.sent)
    thoughts = {attempt.reply.thought for session in found for attempt in session.attempts}
    assert thoughts == {THOUGHT.strip()}


def test_a_mark_that_no_rule_knows_is_told(
    sessions: tuple[Sessions, dict[str, Any]], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made, entries = sessions
    for wrap in ("known", "unknown"):
        caplog.clear()
        server, models = models_of(entries, WRAPS[wrap], tmp_path / wrap)
        with caplog.at_level(logging.WARNING, "dissensus"):
            said = [turn.text for session in held(made, models) for turn in session.turns]
        warned = [record.getMessage() for record in caplog.records]
        if wrap == "known":
            assert warned == []
            continue
        assert any("MUSING" in text for text in said), "it is speech until its marks are named"
        asked = [json.loads(body)["model"] for body in server.sent]
        often = {name for name in entries if asked.count(name) >= 5}
        assert often and {line.split(":")[0] for line in warned} == {f"models.{n}" for n in often}
        assert all("marks such as <|mull>" in line for line in warned)
