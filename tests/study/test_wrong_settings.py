"""Every way to get a setting wrong gives one sentence: path, value held, what it may hold."""

from __future__ import annotations

from typing import Any

import pytest

from dissensus.study.configuration import Configuration
from dissensus.study.registry import STUDIES
from scripted import ROOT
from study.changed_settings import CONFIG, DELETE, LANGUAGE, complaint

ABOVE = "it must be above 0.5"
BLOCK = "it must be a block of settings"
A = "models.simulated-a"


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


WRONG: list[tuple[str, Any, str]] = [
    # What Snakemake's report would run.
    (
        "language/pool/sources",
        ["WUDC", "</script><b>"],
        "language.pool.sources.1 holds '</script><b>'; Snakemake's report would run it; leave out "
        "<script, </script and <!--.",
    ),
    # Unknown keys, with the near miss where there is one.
    ("seeed", 1, "seeed is no setting; 'seed' is."),
    ("language/drows", 3, "language.drows is no setting; 'draws' is."),
    (
        "language/measures/tokeniser",
        "x",
        "language.measures.tokeniser is no setting; 'tokenizer' is.",
    ),
    (
        "language/languages/zh/motoin",
        "x",
        "language.languages.zh.motoin is no setting; 'motion' is.",
    ),
    ("models/simulated-a/timout_rate", 0.5, f"{A}.timout_rate is no setting; 'timeout_rate' is."),
    ("models/simulated-a/speech/ofset", 1, f"{A}.speech.ofset is no setting; 'offset' is."),
    # Missing.
    ("run", DELETE, "run is missing; it must be set."),
    ("seed", DELETE, "seed is missing; it must be set."),
    ("language/pool/motions", DELETE, "language.pool.motions is missing; it must be set."),
    ("models/simulated-a/provider", DELETE, f"{A}.provider is missing; it must be set."),
    # Blocks that are empty, or none.
    ("language", None, "language is missing; studies names it, so it needs its block."),
    ("language", [], f"language holds []; {BLOCK}."),
    ("language", "x", f"language holds 'x'; {BLOCK}."),
    ("models", None, f"models holds null; {BLOCK}."),
    ("models", [], f"models holds []; {BLOCK}."),
    ("models", {}, "models holds {}; it needs an entry: language.panel names 'simulated-a'."),
    ("models/simulated-a", "x", f"{A} holds 'x'; {BLOCK}."),
    ("models/simulated-a", [], f"{A} holds []; {BLOCK}."),
    ("models/simulated-a/speech", None, f"{A}.speech holds null; {BLOCK}."),
    ("language/pool", None, f"language.pool holds null; {BLOCK}."),
    (
        "language/measures/weights",
        [0.5, 0.5],
        f"language.measures.weights holds [0.5, 0.5]; {BLOCK}.",
    ),
    ("language/languages", None, f"language.languages holds null; {BLOCK}."),
    ("language/languages", {}, "language.languages holds {}; it needs at least 2 entries."),
    ("language/pool/sources", [], "language.pool.sources holds []; it needs at least 1 entry."),
    # Types.
    ("seed", "x", "seed holds 'x'; it must be a whole number."),
    ("seed", "[", "seed holds '['; it must be a whole number."),
    ("seed", 1.5, "seed holds 1.5; it must be a whole number."),
    ("seed", True, "seed holds True; it must be a whole number."),
    ("run", 5, "run holds 5; it must be a text; put it in quotes."),
    ("language/draws", None, "language.draws holds null; it must be a whole number."),
    ("language/draws", "six", "language.draws holds 'six'; it must be a whole number."),
    ("language/panel", "gpt", "language.panel holds 'gpt'; it must be a list."),
    ("language/pool/years", ["x"], "language.pool.years.0 holds 'x'; it must be a whole number."),
    (
        "language/protocol/system_message",
        "maybe",
        "language.protocol.system_message holds 'maybe'; it must be true or false.",
    ),
    (
        "language/protocol/temperature",
        "hot",
        "language.protocol.temperature holds 'hot'; it must be a number.",
    ),
    # Out of range, and out of the choices.
    ("seed", -1, "seed holds -1; it must be at least 0."),
    (
        "run",
        "a/b",
        "run holds 'a/b'; it names a folder: plain letters (a to z, A to Z), digits, . - and _ "
        "only, a letter or digit first.",
    ),
    ("language/draws", 0, "language.draws holds 0; it must be at least 1."),
    (
        "language/protocol/temperature",
        float("nan"),
        "language.protocol.temperature holds nan; it must be a finite number.",
    ),
    ("models/simulated-a/timeout_rate", 2, f"{A}.timeout_rate holds 2; it must be at most 1.0."),
    *[
        (f"{study}/inference/confidence", 0.5, f"{study}.inference.confidence holds 0.5; {ABOVE}.")
        for study in ("language", "identity", "deliberation")
    ],
    (
        "models/simulated-a/speech/recycle",
        {"en": 1.5, "zh": 0.5},
        f"{A}.speech.recycle.en holds 1.5; it must be below 1.0.",
    ),
    (
        "models/simulated-a/provider",
        "opnai",
        f"{A}.provider holds 'opnai'; a model with a behaviour is simulated, another names a host.",
    ),
    (
        "language/languages/en/script",
        "greek",
        "language.languages.en.script holds 'greek'; it may be one of 'latin', 'arabic', "
        "'cyrillic', 'hangul', 'han', 'hans' or 'hant'.",
    ),
    (
        "language/measures/anchors",
        ["zz"],
        "language.measures.anchors.0 holds 'zz'; it may be one of 'z', 'clipped_z', 'normal_cdf', "
        "'ecdf', 'min_max' or 'clipped_percentile'.",
    ),
    (
        "language/measures/tokenizer",
        "tekkn",
        "language.measures.tokenizer holds 'tekkn'; it may be one of tekken, words, "
        "tiktoken:<name>, hf:<name>.",
    ),
    (
        "language/measures/alternative_embedders",
        ["openai:"],
        "language.measures.alternative_embedders holds 'openai:'; it may be one of "
        "use-multilingual, sentence-transformers:<name>, anthropic:<model>, openai:<model>.",
    ),
    # What must agree.
    (
        "language/reference",
        "de",
        "language.reference holds 'de'; it may be one of en, zh.",
    ),
    (
        "language/panel",
        ["simulated-a", "simulated-b", "simulated-c", "gpt"],
        f"language.panel holds 'gpt'; models has {', '.join(sorted(CONFIG['models']))}.",
    ),
    (
        "language/panel",
        ["a", "b", "c"],
        "language.panel holds ['a', 'b', 'c']; it needs at least 4 entries.",
    ),
    (
        "language/panel",
        ["a", "b", "c", "a"],
        "language.panel holds ['a', 'b', 'c', 'a']; it names 'a' twice; leave one out.",
    ),
    (
        "language/measures/weights",
        {"lexical": 0.5, "semantic": 0.6},
        "language.measures.weights holds {'lexical': 0.5, 'semantic': 0.6}; the weights must sum "
        "to 1, and sum to 1.1.",
    ),
    (
        "language/measures/clip_percentiles",
        [99, 1],
        "language.measures.clip_percentiles holds [99, 1]; it must be two percentiles in ascending "
        "order, such as [1, 99].",
    ),
    (
        "language/measures/clip_percentiles",
        [1, 2, 3],
        "language.measures.clip_percentiles holds [1, 2, 3]; it may have at most 2 entries.",
    ),
    (
        "language/measures/anchors",
        ["ecdf", "normal_cdf"],
        "language.measures.primary holds 'z'; it may be one of its anchors: ecdf, normal_cdf.",
    ),
    # What is not there.
    (
        "language/languages/en/prompts",
        "nope.yaml",
        "language.languages.en.prompts holds 'nope.yaml'; there is no such file.",
    ),
    (
        "language/pool/motions",
        "no.csv",
        "language.pool.motions holds 'no.csv'; there is no such file.",
    ),
    (
        "models/simulated-a/behaviour",
        "nope.module",
        f"{A}.behaviour holds 'nope.module'; it must be an importable module, such as "
        "that of a study's simulated models.",
    ),
    (
        "models/simulated-a/behaviour",
        "json",
        f"{A}.behaviour holds 'json'; that module has no function speak(messages, settings, rng).",
    ),
    (
        "models/simulated-a/speech/motions",
        "no.csv",
        f"{A}.speech.motions holds 'no.csv'; there is no such file.",
    ),
    (
        "models/simulated-a/speech/codes",
        ["no.csv"],
        f"{A}.speech.codes holds 'no.csv'; there is no such file.",
    ),
    # Names.
    (
        "models/bad name",
        {"provider": "openai"},
        "models.bad name cannot be a name; it may have plain letters (a to z, A to Z), digits, - _ "
        "and . only, a letter or digit first.",
    ),
    (
        "language/languages/zh-cn",
        LANGUAGE,
        "language.languages.zh-cn cannot be a language's name; it may have plain letters "
        "(a to z, A to Z), digits and _ only, no digit first.",
    ),
]


@pytest.mark.parametrize(("path", "value", "sentence"), WRONG, ids=lambda v: str(v)[:40])
def test_a_wrong_setting_is_one_sentence(path, value, sentence):
    assert complaint(path, value) == f"config.yaml: {sentence}"


def test_an_unknown_setting_is_answered_with_those_that_there_are():
    # Other tests may have registered studies of their own.
    known = ", ".join([*Configuration.model_fields, *STUDIES])
    assert complaint("colour", 1) == (f"config.yaml: colour is no setting; known here are {known}.")
