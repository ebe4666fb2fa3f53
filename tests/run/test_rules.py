"""What rules are given: settings by their paths, files, and the digest of the code they run."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dissensus.keep.reading import configured
from dissensus.plan.priced import price_settings, priced_files
from dissensus.run.rules import caption_of, depend_on_code, name_logs
from dissensus.study.configuration import Configuration, load_file
from dissensus.study.given import stage_files, stage_settings, table_settings, view_settings
from dissensus.study.registry import register
from support import ROOT

#: A study of one's own, of which only captions are asked.
MINE = """
from dissensus.study.study import Study

class Mine(Study):
    name = "mine"
    kinds = ()
"""


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def settings() -> Configuration:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return load_file(ROOT / "config.yaml")


@dataclass
class Base:
    """Where a rule's script lies."""

    folder: Path

    def join(self, script: str) -> Base:
        return Base(self.folder / script)

    def get_path_or_uri(self, secret_free: bool) -> str:
        return str(self.folder)


@dataclass
class Rule:
    """As much of a rule of Snakemake's as the digest of its code wants."""

    basedir: Base
    script: str | None
    params: dict[str, Any] = field(default_factory=dict)
    input: list[Any] = field(default_factory=list)

    def set_params(self, **more: Any) -> None:
        self.params |= more


def digested(folder: Path, **given: Any) -> dict[str, Any]:
    rule = Rule(Base(folder), "stage.py", dict(given))
    depend_on_code([rule], simulated=True)
    return rule.params


def test_a_rule_depends_on_its_script_and_on_the_functions_it_names(tmp_path: Path) -> None:
    script = tmp_path / "stage.py"
    script.write_text("from dissensus.errors import SettingError\n")
    before = digested(tmp_path)
    assert before["simulated"] is True and len(before["code"]) == 64
    assert digested(tmp_path) == before
    named = digested(tmp_path, functions=["dissensus_studies.language.design.manifest:draw"])
    assert named["code"] != before["code"]
    script.write_text("from dissensus.errors import SettingError  # edited\n")
    assert digested(tmp_path)["code"] != before["code"]


def test_a_rule_without_a_script_or_with_a_code_of_its_own_is_left_alone(tmp_path: Path) -> None:
    rule = Rule(Base(tmp_path), None)
    depend_on_code([rule], simulated=False)
    assert rule.params == {}
    assert digested(tmp_path, code=None) == {"code": None, "simulated": True}


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "is_off"), [([], True), (["5/1s"], False)])
def test_only_snakemake_s_own_limit_on_job_starts_is_switched_off(
    tmp_path: Path, limit: list[str], is_off: bool
) -> None:
    """By Snakemake itself, which makes its scheduler after it has read the rules."""
    (tmp_path / "Snakefile").write_text(
        "from dissensus.run.rules import without_job_rate_limit\n"
        "onstart:\n"
        "    without_job_rate_limit(workflow)\n"
        '    print("is off:", workflow.scheduler.job_rate_limiter is None)\n'
        'rule:\n    output: touch("made")\n',
        encoding="utf-8",
    )
    options = [f"--max-jobs-per-timespan={each}" for each in limit]
    command = [sys.executable, "-m", "snakemake", "--cores", "1", *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert f"is off: {is_off}" in done.stdout + done.stderr


def test_a_stage_is_given_the_settings_and_files_that_it_declares(settings: Configuration) -> None:
    language = settings.study("language")
    given = stage_settings(language, language.source)
    assert list(given) == ["pool", "languages", "inference.resamples"]
    assert given["pool"] == settings.language.pool.model_dump()
    assert given["inference.resamples"] == settings.language.inference.resamples
    files = stage_files(language, language.source)
    assert "resources/motions/motions.csv" in files and len(files) == 5
    assert stage_files(language, language.manifest) == []
    identity = settings.study("identity")
    assert stage_files(identity, identity.manifest) == [settings.identity.personas]


def test_figures_are_given_the_last_names_of_the_settings_they_may_use(
    settings: Configuration,
) -> None:
    given = view_settings(settings.study("language"))
    assert given["reference"] == "en" and given["confidence"] == 0.95
    for name in settings.studies:
        study = settings.study(name)
        given = view_settings(study)
        assert given["study"] == name
        assert len({*given} - {"study", "arm_words"}) == len(study.view)


def test_a_bill_depends_on_models_and_prices_and_not_on_their_behaviour(
    settings: Configuration,
) -> None:
    given = price_settings(settings, "deliberation")
    assert set(given["asked"]) == {"debate", "judge"}
    assert given["embedders"] == [] and price_settings(settings, "language")["embedders"]
    for model in given["models"].values():
        assert set(model) == {"provider", "model", "price", "cache"}
    files = priced_files(settings, "deliberation", Path("results/demo/deliberation"))
    assert files["source"] == Path("results/demo/deliberation/topics.parquet")
    assert all(path.endswith(".yaml") for path in files["prompts"]) and files["prompts"]


def test_captions_are_the_project_s_or_beside_a_study_of_one_s_own(
    settings: Configuration, tmp_path: Path
) -> None:
    flow = caption_of(settings, "language", "flow")
    assert flow == "src/dissensus_studies/language/captions/flow.rst"
    folder = tmp_path / "captions_of_mine"
    folder.mkdir()
    (folder / "study.py").write_text(MINE)
    register({"mine": str(folder)})
    assert caption_of(settings, "mine") == "workflow/report/own.rst"
    template = folder / "captions/tables.rst"
    template.parent.mkdir()
    template.write_text("Mine.")
    assert caption_of(settings, "mine") == str(template)


def test_a_model_that_judges_debates_that_it_may_be_in_is_named_for_every_table() -> None:
    local = configured(["config.yaml", "config/local.yaml"])
    marked = {name: table_settings(local, local.study(name))["marked"] for name in local.studies}
    sentence = "local judges debates that it may be in."
    assert marked == {
        **dict.fromkeys(("language", "identity", "consensus"), ""),
        **dict.fromkeys(("deliberation", "union"), sentence),
    }


def test_judges_that_debate_nowhere_are_not_marked(settings: Configuration) -> None:
    for name in settings.studies:
        assert table_settings(settings, settings.study(name))["marked"] == ""


def test_stages_have_logs_of_their_own_where_their_outputs_are() -> None:
    class Rule(SimpleNamespace):
        def set_log(self, path: str) -> None:
            self.log.append(path)

    results, shared = Path("results/demo"), "results/demo/logs/stage.log"
    made = {
        "measure": "results/demo/union/x.parquet",
        "summarise": "results/demo/report.rst",
        "own": "results/demo/union/y.parquet",
    }
    stages = [Rule(name=name, output=[path], log=[shared]) for name, path in made.items()]
    stages[2].log[:] = ["results/demo/union/logs/own/{shard}.log"]
    stages.append(Rule(name="stage", output=[], log=[shared]))
    name_logs(stages, shared, results, ["union"])
    assert [stage.log for stage in stages] == [
        ["results/demo/union/logs/measure.log"],
        ["results/demo/logs/summarise.log"],
        ["results/demo/union/logs/own/{shard}.log"],
        [shared],
    ]
