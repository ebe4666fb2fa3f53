"""The estimate before a run, against debates that are played, and against numbers by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from snakemake.utils import update_config

from dissensus.llm.journal import NoJournal
from dissensus.llm.prefix_cache import Block, PrefixCache, marked_pieces
from dissensus.llm.prices import Price
from dissensus.llm.providers.simulated import SimulatedModel
from dissensus.plan.call_plan import call_plans
from dissensus.plan.cost import EMBEDDING, Line, Terms, Tokens, estimate, estimate_settings
from dissensus.plan.priced import price_settings
from dissensus.plan.quote import total_usd
from dissensus.session.protocol import PLACEHOLDER, Call
from dissensus.session.runner import Limits, Session, run_session
from dissensus.study.configuration import Configuration, load, load_file
from dissensus.study.given import stage_settings
from dissensus.study.registry import study_folder
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import write
from dissensus.text.tokens import tokenizer
from dissensus.user_files import read_yaml
from scripted import ROOT

from ..design.manifest import draw
from ..expected import ExpectedInputs
from ..motions import collect
from ..passages import QUERIES, Search, retrieve
from ..protocol.gates import Gate, Place, accepted, drawn
from ..study import Union
from ..tables import CHUNKS, MANIFEST, MOTIONS
from .test_union_study import prepare
from .union_sessions import MOTION, ORDER, PROTOCOL, passage, play

ONCE = {**PROTOCOL, "repairs": 0}
#: A dollar for a million tokens that are sent, ten for a million that are replied.
PRICE = Price(1.0, None, 10.0, None, "2026-01-01", "https://example.org")


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    return prepare(tmp_path_factory.mktemp("union"))


def terms(sessions: Sessions, **more: Terms) -> dict[tuple[str, str], Terms]:
    used = [(use.purpose, name) for use in sessions.study.models() for name in use.models]
    found = {use: Terms("openai", use[1], PRICE) for use in used}
    return found | {(EMBEDDING, name): of for name, of in more.items()}


@cache
def token() -> Any:
    return tokenizer("tekken")


def tokens(text: str) -> int:
    return len(token()(text))


def filled(expected: str, count: int) -> str:
    """A reply of so many tokens: words in the place of its placeholders, an equal part in each."""
    expected = expected.replace("\\ue000", PLACEHOLDER)
    places = expected.count(PLACEHOLDER) or 1
    return expected.replace(PLACEHOLDER, " lot" * (count // places))


def half(call: Call, times: int) -> str:
    """A reply of half of its limit."""
    return filled(call.expected, call.decoding.max_tokens // 2)


@dataclass(frozen=True)
class HalfInputs(ExpectedInputs):
    """What other sessions say has half of its limit, too."""

    def _sized(self, text: str) -> str:
        return filled(text, PROTOCOL["max_tokens"] // 2)


def played(sessions: Sessions) -> dict[str, Session]:
    inputs = HalfInputs(None, sessions.folder)
    return {name: play(half, sessions.steps(row, inputs)) for name, row in sessions.rows.items()}


def test_calls_and_tokens_are_those_of_sessions_that_are_played(sessions: Sessions) -> None:
    """Every reply has half of its limit, as in the expected estimate, and nothing goes wrong."""
    calls: Counter[tuple[str, str]] = Counter()
    sent: Counter[tuple[str, str]] = Counter()
    said: Counter[tuple[str, str]] = Counter()
    for session in played(sessions).values():
        assert not session.failure
        for attempt in session.attempts:
            use = attempt.call.purpose, attempt.call.model
            calls[use] += 1
            sent[use] += tokens("\n".join(one.content for one in attempt.call.messages))
            said[use] += attempt.call.decoding.max_tokens
    lines = {(one.purpose, one.model): one for one in estimate(sessions, terms(sessions), ONCE)}
    assert set(lines) == set(calls)
    for use, line in lines.items():
        expected, high = line.tokens["expected"], line.tokens["high"]
        assert expected.calls == calls[use]
        assert expected.input == pytest.approx(sent[use], rel=0.1)
        assert (expected.output, high.output) == (said[use] / 2, said[use])


@pytest.mark.parametrize("marks", [0, 4])
def test_what_a_cache_has_is_that_of_sessions_that_are_played(
    sessions: Sessions, marks: int
) -> None:
    """Where every reply has half of its limit, and no two have the same words."""
    numbers = count()

    def say(call: Call, times: int) -> str:
        return half(call, times).replace(" lot", f" l{next(numbers):02d}")

    inputs = HalfInputs(None, sessions.folder)
    sent: Counter[tuple[str, str]] = Counter()
    read: Counter[tuple[str, str]] = Counter()
    for row in sessions.rows.values():
        caches: defaultdict[str, PrefixCache] = defaultdict(PrefixCache)
        for attempt in play(say, sessions.steps(row, inputs)).attempts:
            use = attempt.call.purpose, attempt.call.model
            (message,) = attempt.call.messages
            cache, text = caches[attempt.call.model], message.content.encode()
            kept = marked_pieces([message.content], [message.shared], marks or 1)[0]
            blocks = [Block(piece.text.encode(), 300.0 * piece.is_marked) for piece in kept]
            used = cache.by_marks(blocks) if marks else cache.by_prefix([text])
            sent[use] += len(text) // 4
            read[use] += used.read
    given = {use: replace(of, marks=marks) for use, of in terms(sessions).items()}
    shares = {}
    for line in estimate(sessions, given, ONCE):
        use = line.purpose, line.model
        shares[use] = line.cached.read / line.tokens["expected"].input
        assert shares[use] == pytest.approx(read[use] / sent[use], abs=0.05)
    assert max(shares.values()) > 0.3


def test_the_answers_of_all_debates_are_counted_and_not_those_of_the_first(
    sessions: Sessions,
) -> None:
    gate = Gate.of(PROTOCOL)
    counts = [
        sum(sum(accepted(Place(row["draw_seed"], n, 6), gate)) for n in range(1, 7))
        for row in sessions.rows.values()
        if row["kind"] == "debate"
    ]
    assert len(set(counts)) > 1
    asked = Counter[str]()
    for planned, _, number in call_plans(sessions):
        for call in planned:
            asked[call.purpose] += number
    assert asked["interject"] == 8 * 18 + sum(counts)


@dataclass(frozen=True)
class Offer:
    argument: int


def test_which_points_are_accepted_is_drawn_as_in_the_debate() -> None:
    gate = Gate(2, 0.5, 0.2)
    for seed in range(200):
        place = Place(seed, 1 + seed % 6, 6)
        offers = [Offer(2 + n % 3) for n in range(seed % 7)]
        found = [is_accepted for _, is_accepted in drawn(offers, 5, place, gate)]
        assert found == accepted(place, gate)[: len(offers)]


def test_dollars_by_hand(sessions: Sessions) -> None:
    """Two memos at a time, of at most 900 tokens: the coach's only calls."""
    (line,) = (one for one in estimate(sessions, terms(sessions), ONCE) if one.purpose == "coach")
    low, expected, high = (line.tokens[name] for name in ("low", "expected", "high"))
    assert [each.output for each in (low, expected, high)] == [2 * 225, 2 * 450, 2 * 900]
    # Each of ten claims has a tenth of 900 tokens. In each of two debates, a student sees the ten
    # of its own speech, and of the other side those of speeches 2 and 4, of which two are answered.
    shown = 2 * 2 * (10 + 20 - 2) * 90
    assert high.input - low.input == pytest.approx(0.75 * shown, rel=0.001)
    assert line.usd("expected") == pytest.approx((expected.input + 10 * 900) / 1e6)


def test_a_sample_is_counted_as_it_will_be_sent(sessions: Sessions) -> None:
    """The styles show chunks that are there; passages are taken to be like them."""
    style = next(p for p, *_ in call_plans(sessions) if p[0].purpose == "extract" and len(p) == 6)
    for call, name in zip(style, sorted(ORDER), strict=True):
        assert call.shown == 0
        assert all(passage(name, n) in call.prompt for n in (1, 2))
    debate = next(p for p, *_ in call_plans(sessions) if len(p) > 6)
    notes = [call for call in debate if "private notes for the debate: the" in call.prompt]
    assert len(notes) == 6
    # A style, of another session, and nothing else that is not there yet.
    assert {round(call.shown) for call in notes} == {900}


def test_texts_of_the_corpora_are_placeholders_before_they_are_read(tmp_path: Path) -> None:
    inputs = ExpectedInputs(900, tmp_path)
    (row,) = inputs.rows_of("chunks.parquet", CHUNKS, {"speaker": "A"})
    assert row["text"].startswith(PLACEHOLDER)
    assert inputs.searched() == []


def test_embeddings_are_chunks_queries_and_claims(sessions: Sessions) -> None:
    line = estimate(sessions, terms(sessions, large=Terms("openai", "large", PRICE)), ONCE)[-1]
    texts = [passage(name, n) for name in ORDER for n in (1, 2)]
    texts += [query.replace("{MOTION}", MOTION["motion"]) for query in QUERIES]
    before = sum(map(tokens, texts))
    claims = 8 * 6
    assert line.tokens["high"] == Tokens(22 + 10 * claims, before + claims * 900)
    assert line.usd("low") == pytest.approx((before + claims * 225) / 1e6)
    asked: list[str] = []

    def embed(given: Any) -> Any:
        asked.extend(given)
        return [[1.0, 0.0]] * len(given)

    chunks = ExpectedInputs(None, sessions.folder)._rows("chunks.parquet", CHUNKS)
    retrieve([MOTION], chunks, Search(embed, 2, 0.5))
    assert Counter(asked) == Counter(texts)


def test_nothing_is_embedded_by_a_study_without_a_line_for_it(sessions: Sessions) -> None:
    assert all(one.purpose != EMBEDDING for one in estimate(sessions, terms(sessions), ONCE))


def drawn_as_configured(
    folder: Path, configuration: Configuration, motions: int, **changes: int
) -> Sessions:
    """The sessions of a configuration with so many of its motions."""
    folder.mkdir()
    assert configuration.union
    settings = configuration.union.model_copy(update=changes)
    corpus = {f"corpus.{name}": value for name, value in settings.corpus.model_dump().items()}
    found = collect({"motions": settings.motions, "speakers": settings.speakers, **corpus}, 7)
    rows = found["motions"][1][:motions]
    study = Union(settings)
    given = stage_settings(study, study.manifest)
    manifest = draw({row["motion_id"]: row for row in rows}, given, configuration.seed)
    write(folder / "motions.parquet", MOTIONS, rows, {})
    write(folder / "manifest.parquet", MANIFEST, manifest, {})
    write(folder / "chunks.parquet", CHUNKS, found["chunks"][1], {})
    models = {name: model.model_dump() for name, model in configuration.models.items()}
    return Sessions.of(study, folder, models)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Sessions, dict[str, Session]]:
    """A debate of each arm of the default configuration between its simulated people."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        configuration = load_file(ROOT / "config.yaml")
        folder = tmp_path_factory.mktemp("demo") / "union"
        sessions = drawn_as_configured(folder, configuration, 1, epochs=1, runs=1)
        models = {name: model.model_dump() for name, model in configuration.models.items()}
        people = {name: SimulatedModel(name, models[name]) for name in sessions.identities}
        return sessions, run_all(sessions, people)


@dataclass(frozen=True)
class Heard(ExpectedInputs):
    """Styles as they were said in a session before."""

    styles: Mapping[str, str] = ()  # type: ignore[assignment]

    def texts(self, session_id: str, speakers: list[str], expected: str = "") -> list[str]:
        return [self.styles[name] for name in speakers]


def run_all(sessions: Sessions, people: dict[str, Any]) -> dict[str, Session]:
    limits, found, styles = Limits(repairs=2, session_attempts=1), {}, {}
    for row in sorted(sessions.rows.values(), key=lambda row: str(row["kind"]), reverse=True):
        steps = sessions.steps(row, Heard(None, sessions.folder, styles))
        session = run_session(row["seed"], steps, people, NoJournal(), limits)
        if row["kind"] == "style":
            styles.update({turn.speaker: turn.text for turn in session.turns})
        found[str(row["session_id"])] = session
    return found


def test_a_simulated_run_makes_the_calls_that_were_counted(
    demo: tuple[Sessions, dict[str, Session]],
) -> None:
    """First attempts, by purpose; points of information are at most as many."""
    sessions, found = demo
    made = Counter(
        attempt.call.purpose
        for session in found.values()
        for attempt in session.attempts
        if attempt.attempt == 1
    )
    counted = Counter[str]()
    for planned, _, number in call_plans(sessions):
        for call in planned:
            counted[call.purpose] += number
    assert 0.6 * counted["interject"] <= made.pop("interject") <= counted.pop("interject")
    assert made == counted


def test_a_simulated_run_sends_and_says_what_the_estimate_allows(
    demo: tuple[Sessions, dict[str, Session]],
) -> None:
    """No reply is longer than its limit, and what is sent is between the low and the high."""
    sessions, found = demo
    sent, said = Counter[str](), Counter[str]()
    for session in found.values():
        for attempt in session.attempts:
            assert tokens(attempt.reply.text) <= attempt.call.decoding.max_tokens
            sent[attempt.call.purpose] += tokens(attempt.call.messages[0].content)
            said[attempt.call.purpose] += tokens(attempt.reply.text)
    purposes: dict[str, list[Line]] = {}
    for line in estimate(sessions, terms(sessions), sessions.study.settings.protocol.model_dump()):
        purposes.setdefault(line.purpose, []).append(line)
    for purpose, total in sent.items():
        low, high = (
            sum((line.tokens[name] for line in purposes[purpose]), Tokens())
            for name in ("low", "high")
        )
        assert 0.6 * low.input <= total <= high.input
        assert said[purpose] <= high.output


def test_the_documented_cost_is_that_of_the_real_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every model has a price, the expected cost fits the budget, and the page says both."""
    monkeypatch.chdir(ROOT)
    values = read_yaml(Path("config.yaml"))
    update_config(values, read_yaml(Path("config/union-models.yaml")))
    configuration = load(values, "config/union-models.yaml")
    sessions = drawn_as_configured(tmp_path / "union", configuration, 2)
    lines = estimate_settings(price_settings(configuration, "union"), sessions)
    assert all(line.has_price or line.terms.free == "local" for line in lines)
    usd = {name: total_usd(lines, name) for name in ("low", "expected", "high", "ceiling")}
    assert configuration.budget_usd
    assert usd["expected"] < configuration.budget_usd < usd["high"]
    page = (study_folder("union") / "docs.md").read_text(encoding="utf-8")
    assert f"would come to {usd['ceiling']:,.2f};" in page
    row = " | ".join(f"${usd[name]:,.0f}" for name in ("low", "expected", "high"))
    assert f"| `config/union-models.yaml` | {row} |" in (ROOT / "README.md").read_text("utf-8")
    page = " ".join(page.split())
    assert f"stops the run at {configuration.budget_usd:g} dollars" in page
    assert f"and {len(sessions.rows)} sessions in all" in page
    demo = drawn_as_configured(tmp_path / "demo", load_file(ROOT / "config.yaml"), 2)
    asked = Counter[str]()
    for planned, _, number in call_plans(demo):
        for call in planned:
            asked[call.purpose] += number
    assert f"{asked.total():,} calls in {len(demo.rows)} sessions" in page
    assert f"of which {asked['interject']:,} are points of information" in page
