"""Settings that are wrong in their type, range or name: each is one sentence that names it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from dissensus.errors import SettingError
from dissensus.study.configuration import load
from marking import thorough_but
from scripted import ROOT, default_configuration

#: One model of each behaviour is enough.
_MODELS = ("simulated-a", "identity-deferring", "deliberation-a", "deliberation-judge")
CONFIG = default_configuration()
INF, NAN = float("inf"), float("nan")
KEY = "sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8t"
FRENCH = {"prompts": "studies/language/prompts/en.yaml", "motion": "motion_en", "script": "latin"}


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def complaint(path: str, value: Any, name: Any = None) -> str:
    """What is said of the default configuration with one value changed, or with one more name."""
    values = json.loads(json.dumps(CONFIG))
    *above, last = path.split("/")
    block = values
    for key in above:
        block = block[key]
    block[last if name is None else name] = value
    with pytest.raises(SettingError) as caught:
        load(values)
    return str(caught.value)


def leaves(block: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Every setting of a block that is no block itself."""
    for name, value in block.items():
        if path == "models/" and name not in _MODELS:
            continue
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{path}{name}/")
        else:
            yield f"{path}{name}", value


LEAVES = dict(leaves(CONFIG))
NUMBERS = [path for path, value in LEAVES.items() if type(value) is float]


def wrong_kind(value: Any) -> Any:
    """A value that no setting takes where it takes ``value``."""
    return ["x"] if isinstance(value, dict) else {"x": {"y": []}}


@pytest.mark.parametrize("path", thorough_but(LEAVES, *[*LEAVES][::6]))
def test_a_value_of_another_kind_is_refused_by_its_path(path: str) -> None:
    said = complaint(path, wrong_kind(LEAVES[path]))
    assert all(line.startswith("config.yaml: ") and line.endswith(".") for line in said.split("\n"))
    assert path.replace("/", ".").removesuffix(".0") in said


@pytest.mark.parametrize("path", thorough_but(NUMBERS, *NUMBERS[::6]))
@pytest.mark.parametrize("number", [INF, NAN], ids=str)
def test_no_number_is_infinite(path: str, number: float) -> None:
    assert complaint(path, number) == (
        f"config.yaml: {path.replace('/', '.')} holds {number}; it must be a finite number."
    )


@pytest.mark.parametrize(
    "path",
    [
        "studies",
        "language/panel",
        "language/pool/sources",
        "language/pool/years",
        "language/measures/alternative_tokenizers",
        "language/measures/anchors",
        "language/diagnosis/effects",
        "deliberation/panel",
        "deliberation/judges",
        "deliberation/diagnosis/effects",
    ],
)
def test_a_list_names_each_thing_once(path: str) -> None:
    first, *rest = LEAVES[path]
    may = f"it names {first!r} twice; leave one out."
    assert complaint(path, [first, *rest, first]).endswith(may)


M, P = "models/gpt", "providers/openai"
OURS = "a request has its own, and its reply could not be read; leave it out"
#: Path, value, and what the sentence has of its own.
WRONG: list[tuple[str, Any, str]] = [
    # More than any run has.
    ("language/draws", 10**12, "at most 100000, since each draw has sessions"),
    ("deliberation/draws", 10**12, "at most 100000, since each draw has sessions"),
    ("seed", 2**63, "must be below 9223372036854775808"),
    ("language/block_size", 10**9, "at most 1000000"),
    ("language/measures/repetitions", 10**9, "at most 1000000"),
    ("language/inference/resamples", 10**12, "at most 10000000"),
    ("language/protocol/repairs", 10**6, "at most 1000"),
    ("identity/agents", 1000, "at most 100"),
    ("identity/rounds", 10**6, "at most 1000"),
    ("deliberation/rounds", 10**6, "at most 1000"),
    ("shards", 10**9, "at most 1000000"),
    (f"{P}/requests_per_minute", 1e300, "at most 1000000000000"),
    (f"{P}/requests_per_minute", 1e-9, "at least 0.01"),
    (f"{P}/tokens_per_minute", 0, "at least 0.01"),
    (f"{P}/timeout_s", 1e300, "at most 31536000"),
    (f"{P}/deadline_s", INF, "finite"),
    (f"{P}/retries", 10**9, "at most 1000"),
    (f"{P}/batch_poll_s", 0, "above 0"),
    # Names.
    ("run", "a" * 101, "at most 100 characters"),
    ("run", "../a", "plain letters (a to z, A to Z), digits, . - and _ only"),
    ("run", "été", "plain letters (a to z, A to Z), digits, . - and _ only"),
    ("language/languages/français", FRENCH, "plain letters (a to z, A to Z), digits and _ only"),
    ("language/languages/1st", FRENCH, "no digit first"),
    (f"language/languages/{'a' * 61}", FRENCH, "60 characters at most"),
    ("deliberation/arms/müde", {}, "plain letters"),
    ("deliberation/arms/a b", {}, "plain letters"),
    ("identity/teams/équipe", {"model": "identity-deferring"}, "digits and - only"),
    ("identity/banks/a_b", CONFIG["identity"]["banks"]["choice"], "digits and - only"),
    ("models/gpt\N{GREEK SMALL LETTER ALPHA}", {"provider": "openai"}, "cannot be a name"),
    ("providers/..", {"interface": "openai"}, "cannot be a name"),
    # Addresses and keys.
    (f"{P}/base_url", "http://", "must name a host"),
    (f"{P}/base_url", "http://:8000/v1", "must name a host"),
    (f"{P}/base_url", "http://a b/v1", "must name a host"),
    (f"{P}/base_url", "http://a:99999/v1", "must name a host"),
    (f"{P}/base_url", "http://[::1/v1", "must name a host"),
    (f"{P}/base_url", "localhost:8000", "begins with http:// or https://"),
    (f"{P}/key_from", KEY, "the name of an environment variable, not the key"),
    (f"{P}/key_from", KEY.replace("-", "_"), "the name of an environment variable, not the key"),
    (f"{P}/key_from", "gsk_Ab3dEf6hIj9kLm2nOp", "the name of an environment variable, not"),
    (f"{P}/key_from", "a1b2c3d4e5f60718293a4b5c6d7e8f90", "the name of an environment variable"),
    (f"{P}/key_from", [KEY], "must be a text"),
    (f"{P}/interface", KEY, "may be one of"),
    (f"{P}/key", KEY, "providers.openai.key is no setting"),
    (M, {"provider": KEY}, "may be one of"),
    (M, {"provider": "openai", "parameters": KEY}, "must be a block"),
    ("language/panel", [KEY, KEY, "a", "b"], "twice"),
    ("language/reference", KEY, "may be one of en, zh"),
    # What a request or the study sets.
    *[
        (M, {"provider": "openai", "parameters": {name: value}}, f"parameters.{name} holds")
        for name, value in [
            *[("messages", []), ("model", "x"), ("stream", True), ("n", 2), ("tools", [])],
            *[("response_format", {"type": "text"}), ("stop", ["x"]), ("system", "x")],
            *[("temperature", 1.0), ("top_p", 0.5), ("max_tokens", 9), ("seed", 1)],
        ]
    ],
    (M, {"provider": "openai", "parameters": {"messages": []}}, OURS),
    (M, {"provider": "openai", "parameters": {"top_p": 1}}, "by rename: {top_p: null}"),
    (
        M,
        {
            "provider": "openai",
            "rename": {"max_tokens": "max_completion_tokens"},
            "parameters": {"max_completion_tokens": 1},
        },
        "the study's protocol sets max_tokens",
    ),
    (M, {"provider": "openai", "rename": {"seed": "stream"}}, "rename.seed holds 'stream'"),
    (M, {"provider": "openai", "parameters": {"a": INF}}, "must be what JSON has"),
    # Texts.
    ("language/pool/motions", "a\0.csv", "language.pool.motions holds the character U+0000"),
    ("language/pool/sources", ["wu\x1bdc"], "pool.sources.0 holds the character U+001B"),
    ("models/a\0b", {"provider": "openai"}, "models.a\\x00b holds the character U+0000"),
    (M, {"provider": "openai", "model": "\ud800"}, "models.gpt.model holds the character U+D800"),
    # What must agree.
    ("language/measures/clip_percentiles", [NAN, 99], "must be a finite number"),
    ("identity/teams/deferring/banks", ["choice", "choice"], "'choice' twice"),
    ("identity/teams/deferring/graph", {"1": ["\N{SUPERSCRIPT TWO}"]}, "ring, full, star"),
    ("studies", ["language", "nope"], "'nope' is no study"),
    ("studies", [], "at least 1 entry"),
    ("prices", "nowhere.csv", "there is no such file"),
    ("study_folders/own", "nowhere", "must be a folder with a study.py"),
]


@pytest.mark.parametrize(("path", "value", "words"), WRONG, ids=lambda v: ascii(v)[:40])
def test_a_wrong_setting_says_what_it_may_be(path: str, value: Any, words: str) -> None:
    said = complaint(path, value)
    assert words in said
    assert said.startswith(("config.yaml: ", "study_folders")) and said.endswith(".")
    assert "\0" not in said


@pytest.mark.parametrize(("path", "value"), [(p, v) for p, v, _ in WRONG if KEY in str(v)])
def test_a_key_in_a_wrong_place_is_not_repeated(path: str, value: Any) -> None:
    assert KEY[8:] not in complaint(path, value)


@pytest.mark.parametrize("name", [False, True, 1, 2.5, None], ids=str)
@pytest.mark.parametrize(
    ("path", "where"),
    [("language/languages/x", "language.languages"), ("models/x", "models"), ("x", "the file")],
)
def test_a_name_that_yaml_does_not_read_as_text(path: str, where: str, name: Any) -> None:
    values = json.loads(json.dumps(CONFIG))
    block = values
    for key in path.split("/")[:-1]:
        block = block[key]
    block[name] = FRENCH
    with pytest.raises(SettingError) as caught:
        load(values)
    said = f"{where} has the name {name!r}, which is no text; put it in quotes"
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (f"{P}/key_from", "MY_COMPANY_OPENAI_KEY_2"),
        (f"{P}/base_url", "http://[::1]:8000/v1"),
        (
            M,
            {"provider": "openai", "rename": {"seed": None}, "parameters": {"seed": 1}},
        ),
        ("language/inference/flips", 1_000_000),
        # The default's alternative: measured once.
        ("language/measures/tokenizer", "words"),
    ],
)
def test_what_looks_odd_and_is_right(path: str, value: Any) -> None:
    values = json.loads(json.dumps(CONFIG))
    *above, last = path.split("/")
    block = values
    for key in above:
        block = block[key]
    block[last] = value
    load(values)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("seed", "010", "seed holds 010, which YAML reads as 8; write 10 for the number"),
        ("seed", "1:30", "seed holds 1:30, which YAML reads as 90; write 90 for the number"),
        ("language/draws", "012", "language.draws holds 012, which YAML reads as 10; write 12"),
    ],
)
def test_numbers_of_a_command_line_are_not_taken_for_others(
    path: str, value: str, words: str
) -> None:
    assert words in complaint(path, value)
