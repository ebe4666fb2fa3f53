"""What the rules of every study are told: their files, captions, logs and digests of code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dissensus.digests import digest, script_digest
from dissensus.errors import SettingError
from dissensus.shipped import home, named_file
from dissensus.study.configuration import Configuration
from dissensus.study.experiment.study import Experiment
from dissensus.study.may_stop import FIGURE
from dissensus.study.registry import study_class, study_folder

_WILDCARD = re.compile(r"\{wildcards\.(\w+)\}")


def depend_on_code(rules: Iterable[Any], simulated: bool) -> None:
    """Have every rule with a script run again when its code changes.

    Each gets two parameters: ``code``, the digest of its script, of all that the script imports and
    of the ``functions`` that it names; and ``simulated``. A rule that has a ``code`` keeps it.

    Parameters
    ----------
    rules : of the workflow.
    simulated : whether the run's models are simulated.
    """
    for rule in rules:
        if rule.script is None:
            continue
        given = dict(rule.params.items())
        if "code" not in given:
            script = rule.script
            if not Path(script).is_absolute():
                script = rule.basedir.join(script).get_path_or_uri(secret_free=True)
            inputs = [str(file) for file in rule.input if not callable(file)]
            rule.set_params(code=_code(script, inputs, given.get("functions", ())))
        rule.set_params(simulated=simulated)


def name_logs(rules: Iterable[Any], shared: str, results: Path, studies: Iterable[str]) -> None:
    """Give each rule that inherits the log of all stages one of its own, where its outputs are.

    It is ``logs/<rule>.log`` of the study's folder, or of the run's. Rules with wildcards, whose
    logs must have them too, say themselves where theirs is.

    Parameters
    ----------
    rules : of the workflow.
    shared : the log of all stages.
    results : the run's folder.
    studies : whose folders are in it.
    """
    folders = {study: results / study for study in studies}
    for rule in rules:
        if [str(log) for log in rule.log] == [shared] and rule.output:
            made = Path(str(rule.output[0])).relative_to(results)
            rule.log.clear()
            name = rule.name.rpartition(".")[2]
            rule.set_log(str(folders.get(made.parts[0], results) / f"logs/{name}.log"))


def describe_targets(rules: Iterable[Any]) -> None:
    """Have `snakemake --list` say of every rule in a sentence what it makes: its message."""
    for rule in rules:
        if not rule.docstring and rule.message:
            rule.docstring = _WILDCARD.sub(r"<\1>", str(rule.message))


def _code(script: str, inputs: Sequence[str], functions: Any) -> Any:
    """The digest of a rule's code; a function of the wildcards where its functions are one."""
    if callable(functions):
        return lambda wildcards: _code(script, inputs, functions(wildcards))
    return digest([script_digest(script, functions), inputs])


def of_each(rules: Any, panels: Iterable[str], rule: str, part: str = "output") -> list[Any]:
    """The inputs or outputs of one rule of every panel.

    Parameters
    ----------
    rules : Snakemake's, by name; those of a panel begin with its name and a dot.
    rule : its name without that.
    part : "output" or "input".
    """
    return [getattr(getattr(rules, f"{panel}.{rule}"), part) for panel in panels]


def without_job_rate_limit(workflow: Any) -> None:
    """Switch off Snakemake's default limit on job starts; one that the user sets stays.

    With any limit, Snakemake starts a timer at every look at the jobs, which has it look again a
    second later, for good: each job that ends adds one. Call it when the run starts: before, there
    is neither a scheduler nor its settings.
    """
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


def temporary_folders(workflow: Any) -> list[TemporaryDirectory[str]]:
    """The folders that Snakemake removes when it ends, and cannot where this process is ended."""
    folders = (workflow._snakemake_tmp_dir, workflow.sourcecache.runtime_cache)
    return [folder for folder in folders if folder is not None]


def check_targets(study: str, targets: Iterable[Any], manifest: Path) -> None:
    """Refuse rules of a reader's own that leave out what every study makes.

    Raises
    ------
    SettingError : there is no rule of the study's name, or its inputs lack those of ``core``.
    """
    if str(manifest) not in map(str, targets):
        raise SettingError(
            f"{study_folder(study)}/rules.smk must have a rule {study!r} with core({study!r}) "
            "among its inputs, which stands for what every study makes."
        )


def caption_of(settings: Configuration, study: str, figure: str = "tables") -> str:
    """The template of a caption: the study's, the core's, or one that says that it has none."""
    shared = home() / "workflow/report"
    templates = [study_folder(study) / f"captions/{figure}.rst"]
    if figure == FIGURE.name and settings.study(study).settings.stop:
        templates.append(shared / f"{figure}.rst")
    if issubclass(study_class(study), Experiment):
        templates.append(shared / f"experiment_{figure}.rst")
    return named_file(next(filter(Path.is_file, templates), shared / "own.rst"))
