"""What is checked before a run makes its first call."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.errors import DissensusError, ProviderError, SettingError
from dissensus.plan.rehearsal import check_declaration
from dissensus.setting_faults import fault
from dissensus.shipped import SHIPPED
from dissensus.study.configuration import Configuration
from dissensus.study.study import Study
from dissensus.text.embeddings import is_own
from dissensus.text.loading import Kind, check_loadable

#: Targets that say something and ask no model.
_SAY_ALONE = {"plan", "cost"}


def check_place(folder: Path) -> None:
    """Refuse a folder in whose path Snakemake would take braces for names of wildcards.

    Raises
    ------
    DissensusError : it has some.
    """
    if set("{}") & set(str(folder)):
        raise DissensusError(
            f"the project is in {folder}, and Snakemake takes braces in a path for names of its "
            "own; move the project to a folder without them."
        )


def check_inputs(settings: Configuration) -> None:
    """Refuse a run whose files would only be found wrong once calls were paid.

    Parameters
    ----------
    settings : of the run.

    Raises
    ------
    DissensusError : with the file, the place in it and the mend.
    """
    models = {name: model.model_dump() for name, model in settings.models.items()}
    for name in settings.studies:
        study = settings.study(name)
        if name in settings.study_folders:
            check_declaration(study)
        if study.settings.stop and study.never_stops:
            raise SettingError(
                f"{name}.stop is set, and {name} cannot stop early: {study.never_stops}; set it to "
                "null."
            )
        study.check_settings()
        study.compile_prompts()
        _check_behaviours(study, models)
        study.check_models(models)


def _check_behaviours(study: Study[Any], models: Mapping[str, Any]) -> None:
    """Refuse simulated models of one study of this project in another, whose prompts they cannot
    read.
    """
    package = type(study).__module__.rpartition(".")[0]
    for use in study.models() if package.startswith(f"{SHIPPED}.") else ():
        for name in use.models:
            behaviour = models[name].get("behaviour") or ""
            if behaviour.startswith(f"{SHIPPED}.") and not behaviour.startswith(f"{package}."):
                may = (
                    f"{behaviour} composes its words, which cannot read the prompts of this study; "
                    f"name a model whose behaviour is {package}.simulated"
                )
                raise SettingError(fault(f"{study.name}.{use.setting}", name, may))


def check_measures(
    settings: Configuration, pending: Sequence[str], targets: Collection[str] = ()
) -> list[str]:
    """Refuse a run whose sessions could not be measured, before they are paid.

    A run that only replays needs none of it, nor one that only says what it would cost: of that,
    the sentences say what the run will need.

    Parameters
    ----------
    settings : of the run.
    pending : the studies that have sessions to run.
    targets : what the run was asked for; none for all.

    Raises
    ------
    ProviderError : a tokeniser or an embedder cannot be loaded, with the setting that names it.
    """
    only_says = bool(targets) and set(targets) <= _SAY_ALONE
    loaded: set[tuple[str, str]] = set()
    lacking = []
    for name in pending:
        study = settings.study(name)
        named: list[tuple[Kind, str, str]] = [("tokenizer", *each) for each in study.tokenizers()]
        named += [("embedder", *each) for each in study.embedders() if is_own(each[1])]
        for kind, path, measure in named:
            if (kind, measure) in loaded:
                continue
            try:
                check_loadable(kind, measure)
            except ProviderError as error:
                if not only_says:
                    raise ProviderError(f"{name}.{path}: {error}") from None
                lacking.append(
                    f"Before the run, not for its cost: {name}.{path}: {error} The estimate counts "
                    "by another tokeniser."
                )
            loaded.add((kind, measure))
    return lacking
