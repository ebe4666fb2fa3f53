"""Mistakes that users make in a study of their own: each is one sentence, before any session."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from dissensus.digests import PACKAGES
from dissensus.errors import DissensusError
from dissensus.plan.preflight import check_inputs
from dissensus.plan.rehearsal import rehearse
from dissensus.study.configuration import load
from dissensus.study.registry import STUDIES, register
from dissensus.study.sessions import Sessions
from support import ROOT

TEMPLATE = ROOT / "src/dissensus/project/template/echo"
STUDY = (TEMPLATE / "study.py").read_text("utf-8")
NAMES = (f"mistaken_{number}" for number in range(10_000))

SETTINGS = "    class Settings(ExperimentSettings):\n        model: Model\n        prompt: File\n"
OUTCOMES = '    outcomes = {"distance": "How far the estimate is from the other\'s."}'
MEASURE = '        return {"distance": None if estimate is None else abs(estimate - item.other)}'
CALL = STUDY[STUDY.index("        yield session.call(") : STUDY.index("    def measure")].rstrip()
READS = "    return int(numbers[-1]) if numbers else None"
ITEM = 'yield {"question": f"How long is bridge {number}, in metres?", "other": int(other)}'
IS_SHOWN = 'session.arm == "shown" else'
ASKS = '        yield session.call("A1", prompt, last_number'
DOSE = f'{OUTCOMES}\n    factors = {{"dose": (1, 3)}}'
SIDE = f'{OUTCOMES}\n    factors = {{"side": ("for", "against")}}'

#: What is put in the place of what, and what is said of it.
MISTAKES: list[tuple[str, str, str]] = [
    # Settings.
    (f"{SETTINGS}\n", "", "{study}: m|prompt is no setting; known here are"),
    ("class Settings(ExperimentSettings):", "class Settings:", "Settings is no ExperimentSettings"),
    ("class Settings(", "class Setting(", "has settings called Setting, which nothing reads"),
    ("session.settings.prompt", "session.settings.promt", "line 32: session d001-"),
    (
        "        for number",
        "        self.settings.many\n        for number",
        "has no attribute 'many'",
    ),
    # Arms, outcomes, contrasts.
    (IS_SHOWN, 'session.arm == "show" else', "'show' is no arm; there are alone, shown"),
    ('("alone", "shown")', '("alone")', "Echo.arms is 'alone'; it needs different names"),
    ('("alone", "shown")', '("alone", "alone")', "it needs different names"),
    (OUTCOMES, '    outcomes = ["distance"]', "its form is"),
    (OUTCOMES, f"{OUTCOMES}\n    outcome = 3", "declares outcome, which nothing reads"),
    (
        OUTCOMES,
        f'{OUTCOMES}\n    contrasts = {{"up": ("shown", "alone"), "down": ("alone", "shown")}}',
        "has 'up' and 'down', which is the same turned round",
    ),
    (
        OUTCOMES,
        f'{OUTCOMES}\n    contrasts = {{"up": ("shown", "alone"), '
        '"more": {"shown": 2, "alone": -2}}',
        "has 'up' and 'more', which is the same once more",
    ),
    (OUTCOMES, f'{OUTCOMES}\n    contrasts = {{"up": ("shwn", "alone")}}', "has the arm 'shwn'"),
    (
        OUTCOMES,
        f'{OUTCOMES}\n    contrasts = {{"up": {{"shown": 1}}}}',
        "they must be other than 0",
    ),
    (OUTCOMES, f'{OUTCOMES}\n    cluster = "bridge"', "cluster is 'bridge'; it may be item_id"),
    # Factors.
    (OUTCOMES, f'{OUTCOMES}\n    factors = {{"dose": (1,)}}', "at least two different texts"),
    (OUTCOMES, f'{OUTCOMES}\n    factors = {{"arm": (1, 2)}}', "is a column of every study"),
    (OUTCOMES, f'{OUTCOMES}\n    sample = "which"', "it must be a factor, and there are none"),
    (
        OUTCOMES + "|" + IS_SHOWN,
        f'{DOSE}|session.factors.dose == "3" else',
        "line 32: '3' is no dose; there are 1, 3, which are numbers",
    ),
    (OUTCOMES + "|" + IS_SHOWN, f"{DOSE}|session.factors.dose == 5 else", "line 32: 5 is no dose"),
    (OUTCOMES + "|" + IS_SHOWN, f"{DOSE}|session.factors.does == 1 else", "there is no 'does'"),
    (
        OUTCOMES + "|" + IS_SHOWN,
        f'{SIDE}|session.factors.side == "agains" else',
        "'agains' is no side; there are for, against",
    ),
    (OUTCOMES + "|" + IS_SHOWN, f"{SIDE}|session.factors.side > 3 else", "'>' not supported"),
    # What is measured.
    (MEASURE, '        return {"dist": 1.0}', "measure gives dist; outcomes declares distance"),
    (MEASURE, '        return {"distance": 1.0, "b": 2.0}', "measure gives b, distance"),
    (MEASURE, '        return {"distance": "far"}', "as 'far'; it must be a number, or None"),
    (MEASURE, '        return {"distance": [1.0]}', "as [1.0]; it must be a number, or None"),
    (MEASURE, '        return {"distance": 1j}', "as 1j; it must be a number"),
    (MEASURE, '        return {"distance": 10**400}', "it must be a number, or None"),
    (MEASURE, '        return {"distance": float("inf")}', "as inf; it must be finite"),
    (MEASURE, '        return {"distance": turns["value"]}', "it must be a number, or None"),
    (MEASURE, "        return 3.0", "measure gives float; outcomes declares distance"),
    (MEASURE, "        estimate", "measure gives NoneType; outcomes declares distance"),
    (MEASURE, "        raise SystemExit(1)", "line 39: measure of d001-"),
    ('turns["value"]', 'turns["valu"]', "line 38: measure of d001-"),
    (
        MEASURE,
        '        return {"distance": float(sum(turns["speaker"] == "B"))}',
        "'B' is no speaker of a session with assumed replies",
    ),
    (
        MEASURE,
        '        return {"distance": float(sum(turns["round_label"] == "last"))}',
        "'last' is no round_label of a session with assumed replies",
    ),
    (MEASURE, '        return {"distance": estimat - item.other}', "the name 'estimat' is not"),
    # Steps of a session.
    (CALL, '        return [session.call("A1", prompt)]', "debate gives list; it must yield"),
    (CALL, '        session.call("A1", prompt)', "debate gives NoneType; it must yield"),
    (CALL, "        yield prompt", "step 1 of debate yields str; yield what session.call gives"),
    (CALL, f"        while True:\n    {ASKS})", "has not ended after 2,000 steps"),
    (CALL, f'{ASKS}, by="judge")', "line 33: session d001-"),
    (CALL, f"{ASKS}, temprature=0)", "unexpected keyword argument 'temprature'"),
    (CALL, f'{ASKS}, temperature="hot")', "temperature is 'hot'; it must be a number from 0 to 2"),
    (CALL, '        yield session.call("A1", prompt, "last")', "it must be a function"),
    (CALL, '        yield session.call("A1", 3)', "the prompt of a call is 3; it must be a text"),
    (CALL, '        yield session.call("A1", "")', "its prompt is empty"),
    ("item.other}", "item.others}", "there is no 'others'; there are item_id, question, other"),
    # What reads a reply.
    (READS, "    return int(None)", "line 12: last_number ends with TypeError"),
    (READS, "    return int(numbers[-1])", "line 12: last_number ends with IndexError"),
    (READS, "    return object()", "gives what a transcript cannot keep"),
    # Items.
    (ITEM, 'yield {"question": "How long?"}', "item 1 that items gives lacks 'other'"),
    (
        ITEM,
        'yield {"question": "How long?", "other": 2, "c": 3}',
        "item 1 that items gives has 'c'",
    ),
    (ITEM, 'yield {"question": "How long?", "other": "x"}', "it must be a whole number"),
    (ITEM, 'yield "question"', "item 1 that items gives is str; it must be a mapping"),
    (ITEM, "pass", "items gives NoneType; it must yield its rows"),
    (
        "import re|" + ITEM,
        'import re\nfrom random import random|yield {"question": f"{random()}", "other": 2}',
        "items gives other rows when it is called again",
    ),
    # The file.
    ("def measure(self, turns, item):", "def measure(self, turns, item)", "line 37: expected ':'"),
    ("def measure(self, turns, item):", "def measure(self, turns):", "line 37: Echo.measure hides"),
    ("    def debate", "    async def debate", "debate gives async_generator; it must yield"),
    ("import re\n", "import re\nimport nowhere_at_all\n", "No module named 'nowhere_at_all'"),
    ("class Echo(Experiment):", "class Echo:", "must declare one study with the name"),
]


@pytest.fixture
def name(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A study's name that no other test has, known until the test ends."""
    name = next(NAMES)
    yield name
    STUDIES.pop(name, None)
    PACKAGES.discard(name)


def begun(folder: Path, name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do all that is done with a study before its first session."""
    own = folder / name
    (own / "prompts").mkdir(parents=True)
    (own / "prompts/ask.txt").write_text("{question}{shown}", "utf-8")
    (own / "study.py").write_text(text.replace('name = "echo"', f'name = "{name}"'), "utf-8")
    (own / "simulated.py").write_text((TEMPLATE / "simulated.py").read_text("utf-8"), "utf-8")
    models = yaml.safe_load((TEMPLATE / "simulated.yaml").read_text("utf-8"))["models"]
    models["guesser"]["behaviour"] = f"{name}.simulated"
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    values: dict[str, Any] = {
        "run": "mistaken", "seed": 1, "studies": [name], "study_folders": {name: name},
        "models": models, name: {"model": "guesser", "prompt": f"{name}/prompts/ask.txt"},
    }  # fmt: skip
    register({name: name})
    settings = load(values, "config.yaml")
    check_inputs(settings)
    study = settings.study(name)
    given = study.settings.model_dump()
    ((_, rows),) = study.collect(given, settings.seed).values()
    items = {str(row["item_id"]): row for row in rows}
    drawn = type(study).draw_manifest(items, given, settings.seed)  # type: ignore[attr-defined]
    by_name = {row["session_id"]: row for row in drawn}
    rehearse(Sessions(study, folder, by_name, items, {"guesser": "identity"}))


def edited(places: str, others: str) -> str:
    """The template's study with one thing in the place of another, or several, between bars."""
    text = STUDY
    for place, other in zip(places.split("|"), others.split("|"), strict=True):
        assert place in text
        text = text.replace(place, other, 1)
    return text


def test_the_study_without_a_mistake_is_begun(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(tmp_path, name, STUDY, monkeypatch)


@pytest.mark.parametrize(("place", "other", "sentence"), MISTAKES)
def test_a_mistake_is_a_sentence_before_any_session(
    place: str, other: str, sentence: str, name: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    with pytest.raises(DissensusError) as caught:
        begun(tmp_path, name, edited(place, other), monkeypatch)
    said = str(caught.value)
    assert sentence.rpartition("|")[2] in said
    assert "\n" not in said and "Traceback" not in said and said.endswith(".")
    assert f"{name}/study.py" in said or said.startswith("config.yaml: ")


def test_items_of_one_cluster_are_said(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    text = edited(
        f'"other": whole|{ITEM}|{OUTCOMES}',
        f'"town": text("t"), "other": whole|{ITEM[:-1]}, "town": "Ulm"}}|'
        f'{OUTCOMES}\n    cluster = "town"',
    )
    with caplog.at_level(logging.WARNING, logger="dissensus"):
        begun(tmp_path, name, text, monkeypatch)
    assert "all 30 items have one value of town, which is the cluster" in caplog.text
