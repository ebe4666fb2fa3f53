"""Debates that a model translates: drawn, priced, run, lost with their debate, and measured."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dissensus.errors import ResourceError
from dissensus.plan.call_plan import unidentified
from dissensus.plan.cost import estimate_settings
from dissensus.plan.priced import price_settings
from dissensus.plan.quote import price_remedies
from dissensus.session.inputs import PlaceholderInputs
from dissensus.session.protocol import Decoding
from dissensus.study.configuration import load
from dissensus.study.sessions import Sessions
from dissensus.user_files import read_yaml
from scripted import ROOT
from serving import serving
from support import SMALL, Project

from .. import kinds
from ..design.manifest import Drawing, draw_manifest
from ..study import Language
from ..translation import TranslationPrompts, expected_turns, translate

PANEL = ("a", "b", "c", "d")
POOL = [{"motion_id": f"m{n}", "domain_id": n % 2, "drawable": True} for n in range(6)]
SPEECH = "A market hides its prices. Who pays? Those who cannot leave it."


def drawn(languages: tuple[str, ...] = ("en", "zh"), translated: int | None = None) -> Any:
    return draw_manifest(POOL, Drawing(3, 9, 4, languages, PANEL, "en", translated))


def test_each_debate_is_translated_once_a_contrast_and_nothing_else_changes() -> None:
    rows = drawn()
    debates = [row for row in rows if not row["rendered_from"]]
    assert debates == drawn(translated=0)
    made = {row["session_id"]: row for row in rows if row["rendered_from"]}
    assert len(made) == 18
    row = made["d004-en-as-zh"]
    assert (row["language"], row["rendered_from"], row["position"] > 2) == ("zh", "en", True)
    assert len({row["seed"] for row in rows}) == len(rows)
    for draw in {row["draw_id"] for row in rows}:
        places = sorted(row["position"] for row in rows if row["draw_id"] == draw)
        assert places == [1, 2, 3, 4]


def test_a_larger_sample_of_draws_has_the_smaller_one_among_it() -> None:
    few, more = (
        {row["draw_id"] for row in drawn(translated=n) if row["rendered_from"]} for n in (2, 5)
    )
    assert len(few) == 2 and few < more and len(more) == 5


def test_a_third_language_is_compared_with_the_reference_alone() -> None:
    pairs = Counter((r["rendered_from"], r["language"]) for r in drawn(("en", "zh", "fr")))
    assert {pair for pair in pairs if pair[0]} == {
        ("en", "zh"), ("zh", "en"), ("en", "fr"), ("fr", "en")
    }  # fmt: skip


class Debate(PlaceholderInputs):
    def turns(self, session_id: str, expected: Any = ()) -> Any:
        assert session_id == "d001-en"
        return [{"turn": 1, "speaker": "P1", "role": "P1", "round_label": "1", "text": SPEECH}]


def test_a_translation_has_as_many_sentences_as_its_speech_in_the_other_script() -> None:
    prompts = TranslationPrompts.read(ROOT / "studies/language/prompts/translate.yaml")
    wanted = {"into": "zh", "script": "hans", "model": "t", "decoding": Decoding(0.2, 512)}
    steps = translate(prompts, "d001-en", (), inputs=Debate(), **wanted)()
    (call,) = next(steps)
    (message,) = call.messages
    assert message.content.endswith(f"\n{SPEECH}") and "into Chinese" in message.content
    assert (call.purpose, call.model, call.number) == ("translation", "t", 1)
    assert call.format.read("市场藏起价格。谁来付？离不开的人。").problems == ()
    problems = call.format.read("The market hides.").problems
    assert problems == ("1 sentences instead of exactly 3", "not in the language asked for")
    (again,) = call.again(problems)
    assert again.content.startswith(message.content) and problems[0] in again.content


def settings(**changes: Any) -> Any:
    values = read_yaml(ROOT / "config.yaml")
    values["language"]["instrument"] |= changes
    return load({**values, "studies": ["language"]})


def test_a_simulated_debater_is_no_translator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    chosen = settings(translator="simulated-a")
    models = {name: model.model_dump() for name, model in chosen.models.items()}
    with pytest.raises(ResourceError, match="a simulated debater, which cannot translate"):
        Language(chosen.language).check_models(models)


def test_real_debates_without_a_translator_leave_the_effect_unidentified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    chosen = settings()
    simulated = {name: model.model_dump() for name, model in chosen.models.items()}
    real = {name: {"provider": "openai", "model": "m"} for name in simulated}
    study = Language(chosen.language)
    motion = {"drawable": True, "domain_id": 1, "motion_id": "m"}
    drawing = Drawing(1, 100, 25, ["en", "zh"], chosen.language.panel, "en")
    rows = draw_manifest([motion], drawing)
    assert study.unidentified(rows, simulated, 1) is None
    assert Language(settings(translator="simulated-a").language).unidentified(rows, real, 1) is None
    gap = study.unidentified(rows, real, 1)
    assert gap and "cannot be told" in gap.reason and "language.instrument.translator" in gap.mend
    assert list(gap.remedies) == chosen.language.panel
    for model, (mended, added) in gap.remedies.items():
        assert mended.settings.instrument.translator == model
        # 20 draws, each in both directions.
        assert Counter(row["rendered_from"] for row in added) == {"en": 20, "zh": 20}


def test_what_a_translator_would_cost_is_what_its_calls_cost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    values = read_yaml(ROOT / "config.yaml")
    model = {"provider": "p", "model": "m", "price": {"input": 0.0, "output": 1.0}}
    chosen = load(
        {
            **values,
            "studies": ["language"],
            "providers": {"p": {"interface": "openai", "base_url": "http://127.0.0.1:9/v1"}},
            "models": dict.fromkeys(PANEL, model),
            "language": {**values["language"], "draws": 3, "panel": [*PANEL]},
        }
    )
    study = Language(chosen.language)
    motion = {"motion_en": "This House Would tax empty homes", "motion_zh": "本院将对空置房屋征税"}
    pool = [{"drawable": True, "domain_id": 1, "motion_id": "m"}]
    rows = draw_manifest(pool, Drawing(1, 3, 25, ["en", "zh"], PANEL, "en"))
    sessions = Sessions(
        study,
        tmp_path,
        {row["session_id"]: row for row in rows},
        {"m": motion},
        dict.fromkeys(PANEL, "0"),
    )
    gap = unidentified(chosen, sessions)
    assert gap
    given = price_settings(chosen, "language")
    told = list(price_remedies(gap, sessions, given, estimate_settings(given, sessions)))
    # 6 translations of 8 speeches; of 512 tokens a half, a tenth again, 1.02 times.
    calls, usd = 48 * 1.1 * 1.02, 48 * 1.1 * 1.02 * 256e-6
    assert told[0].startswith(f"  with {PANEL[0]}: 6 sessions more, {calls:.0f} calls, ${usd:.4f},")
    assert len(told) == len(PANEL)


def test_what_is_expected_of_a_debate_is_its_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    schedule = kinds.LanguageDebate(settings().language).prompts["en"].schedule
    turns = expected_turns(schedule)
    assert [turn["turn"] for turn in turns] == [*range(1, 9)]
    assert {turn["speaker"] for turn in turns} == {"P1", "P2", "O1", "O2"}


@pytest.mark.thorough
def test_a_run_with_a_translator_measures_its_instrument(project: Project) -> None:
    """A server's fixed words are no translation; what is tested is that they are measured."""
    instrument = {"translator": "t", "draws": 3}
    with serving("--words", "fixed", "--model", "t=simulated-a") as server:
        provider = {
            "interface": "openai",
            "base_url": f"{server.address}/v1",
            "simulated": True,
        }
        model = {"provider": "p", "model": "t", "price": {"input": 1.0, "output": 5.0}}
        project.configure(
            {
                "run": "real",
                "providers": {"p": provider},
                "models": dict.fromkeys((*PANEL, "t"), model),
                "language": {**SMALL["language"], "panel": [*PANEL], "instrument": instrument},
            }
        )
        plan = project.succeed("plan", "cost")
        assert "14 sessions (4 en, 3 en as zh, 4 zh, 3 zh as en)" in plan
        assert "translation: t: 48 calls" in plan
        project.succeed("results/real/language/instrument.parquet", cores=4)
    folder = project.results("real")
    renderings = pq.read_table(folder / "renderings.parquet").to_pylist()
    assert Counter(row["rendered_from"] for row in renderings) == {"en": 3, "zh": 3}
    assert pq.read_table(folder / "metrics.parquet").num_rows == 8
    tried = pq.read_table(folder / "shards/1/attempts.parquet").to_pylist()
    calls = [row for row in tried if "-as-" in row["session_id"]]
    assert {row["purpose"] for row in calls} == {"translation"} and len(calls) >= 48
    assert pq.read_table(folder / "instrument.parquet").num_rows > 10
    assert Path(folder / "journal/d001-en.jsonl").exists()
