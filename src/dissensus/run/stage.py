"""How a script of the workflow runs: its end goes to its log, and errors are sentences."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from dissensus.errors import DissensusError, Stopped
from dissensus.report.escaping import complain
from dissensus.run.run_folder import write_privately
from dissensus.run.stage_log import are_failures_shown_last, write_done, write_failed
from dissensus.shipped import offered_studies
from dissensus.study.makes import resolve
from dissensus.tables.provenance import note_package, provenance

if TYPE_CHECKING:
    from dissensus.llm.registry import ModelRegistry
    from dissensus.study.configuration import Configuration


@dataclass(frozen=True)
class Stage:
    """What a script is given besides its inputs and outputs.

    Attributes
    ----------
    settings : as the rule gives them.
    seed : the run's, where the rule gives it.
    functions : ``module:function`` that the rule names.
    key : the column that names the rows of the study's source, where the rule gives it.
    simulated : whether the run's models are simulated.
    provenance : metadata for whatever it writes.
    config : the whole configuration as Snakemake merged it, for what no result depends on: where
        models are reached, and what the run may spend.
    resources, wildcards : of the job.
    """

    settings: dict[str, Any]
    seed: int
    functions: list[str]
    key: str
    simulated: bool
    provenance: dict[str, Any]
    config: Mapping[str, Any] = field(default_factory=dict)
    resources: Mapping[str, Any] = field(default_factory=dict)
    wildcards: Mapping[str, str] = field(default_factory=dict)

    @property
    def function(self) -> Any:
        """The first function that the rule names."""
        return self.resolved[0]

    @cached_property
    def resolved(self) -> list[Any]:
        """What the rule names, in its order."""
        return [resolve(function) for function in self.functions]

    def embedder(self, name: str, journal: Path) -> Any:
        """A :class:`~dissensus.run.embedding.StageEmbedder`.

        By its name: a stage depends on the code of what it imports, and few stages embed.
        """
        return resolve("dissensus.run.embedding:StageEmbedder")(self, name, journal)

    @cached_property
    def registry(self) -> ModelRegistry:
        """The run's models, for a stage that asks some."""
        settings = self.configuration
        return settings.registry(settings.results, self.provenance["stage"])

    @cached_property
    def configuration(self) -> Configuration:
        """The whole configuration, typed."""
        from dissensus.study.configuration import load

        return load(self.config)


def run(main: Callable[[Any, Any, Stage], None], job: Any) -> None:
    """Run a stage.

    Parameters
    ----------
    main : takes the job's inputs, its outputs and its stage.
    job : the object that Snakemake gives a script.

    The log says how it ended, with the digest of each output (:mod:`dissensus.run.stage_log`).
    A user's error ends it with a sentence; anything else is a fault of ours, and its traceback
    goes to the log, with a sentence that says where. The run's log shows the sentence at the end.
    """
    if job.config.get("private") is True:
        write_privately()
    log = Path(job.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    for _, package, _ in offered_studies(job.config).values():
        note_package(package)
    given = dict(job.params.items())
    simulated = given.pop("simulated")
    stage = Stage(
        given.get("settings", {}),
        given.get("seed", 0),
        given.get("functions", []),
        given.get("key", ""),
        simulated,
        provenance(job.rule.rpartition(".")[2], simulated, given),
        job.config,
        dict(job.resources.items()),
        dict(job.wildcards.items()),
    )
    try:
        main(job.input, job.output, stage)
    except DissensusError as error:
        # Why the run stops, it says itself.
        _fail(log, "" if isinstance(error, Stopped) else str(error))
    except MemoryError:
        sentence = (
            f"{job.rule} ran out of memory; start again with fewer --cores, or on a machine with "
            f"more memory. {log} says where."
        )
        _fail(log, sentence, traceback.format_exc())
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        _fail(log, f"{job.rule} failed ({what}); see {log}", traceback.format_exc())
    write_done(log, job.output)


def _fail(log: Path, sentence: str, details: str = "") -> NoReturn:
    write_failed(log, sentence, details)
    if sentence and not are_failures_shown_last():
        complain(sentence)
    sys.exit(1)
