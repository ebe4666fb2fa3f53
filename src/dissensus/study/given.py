"""What the stages of a study are given: settings and files, as plain data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from dissensus.llm.providers import identity
from dissensus.study.configuration import Configuration
from dissensus.study.kind import DEBATING
from dissensus.study.makes import StageFunction
from dissensus.study.registry import study_folder
from dissensus.study.settings import pick, plain
from dissensus.study.stages import planted_speech
from dissensus.study.study import Study


def stage_settings(study: Study[Any], stage: StageFunction) -> dict[str, Any]:
    """What a stage of a study is given of its settings, as plain data."""
    return dict(plain(pick(study.settings, stage.settings)))


def look_settings(study: Study[Any]) -> dict[str, Any]:
    """What a look at a study that may stop is given: its rule, without how many draws there are."""
    stop = study.settings.stop.model_dump(exclude={"most"})
    return {"stop": stop, "confidence": study.settings.inference.confidence}


def diagnosed_settings(study: Study[Any]) -> dict[str, Any]:
    """The settings that the diagnosis of a study depends on; those of its stop where it has one."""
    assert study.diagnosis is not None
    stops = plain(pick(study.settings, ("stop", "block_size"))) if study.settings.stop else {}
    return {**stage_settings(study, study.diagnosis), **stops}


def has_diagnosis(settings: Configuration, study: Study[Any]) -> bool:
    """Whether a study of a run can be diagnosed."""
    return study.diagnosis is not None and (not study.diagnosis.models or settings.simulated)


def diagnosis_settings(settings: Configuration, study: Study[Any]) -> dict[str, Any]:
    """What the diagnosis of a study is given: of models that it plays, what they are."""
    assert study.diagnosis is not None
    given = diagnosed_settings(study)
    if not study.diagnosis.models:
        return given
    models = {name: dict(model) for name, model in settings.models_of(study.all_models).items()}
    # An edit of a behaviour is another diagnosis.
    made_of = {name: identity(name, model) for name, model in models.items()}
    return {**given, "models": models, "identities": made_of}


def view_settings(study: Study[Any]) -> dict[str, Any]:
    """What the figures and tables of a study are given of its settings."""
    picked = plain(pick(study.settings, study.view))
    named = {path.rpartition(".")[2]: value for path, value in picked.items()}
    stop = study.settings.stop
    stops = {"stop_alpha": stop.alpha} if stop else {}
    return {"study": study.name, **study.shown(), **stops, **named}


def table_settings(settings: Configuration, study: Study[Any]) -> dict[str, Any]:
    """What the tables of a study are given: what its view has, and what their notes add."""
    return {**view_settings(study), "marked": judging_note(settings, study)}


def judging_note(settings: Configuration, study: Study[Any]) -> str:
    """The sentence that names the models that judge debates and may be in them; "" for none."""
    asked: dict[str, set[str]] = {}
    for use in study.models():
        for name, model in settings.models_of(use.models).items():
            asked.setdefault(use.purpose, set()).add(model.get("model") or name)
    judges = asked.get("judge", set()) | asked.get("annotate", set())
    both = sorted(asked.get(DEBATING, set()) & judges)
    return f"{', '.join(both)} judges debates that it may be in." if both else ""


def asked_models(settings: Configuration) -> set[str]:
    """The models that the sessions of all studies of a run ask, by their names."""
    studies = (settings.study(name) for name in settings.studies)
    return {name for study in studies for use in study.models() for name in use.models}


def page_settings(settings: Configuration, study: Study[Any]) -> dict[str, Any]:
    """What the results page is given of a study."""
    named = {name for use in study.models() for name in use.models}
    planted = planted_speech(settings.models_of(named))
    return {
        "question": study.question,
        "design": study.summary(),
        "figures": [
            [figure.name, figure.title, figure.main, [*figure.reads]] for figure in study.figures
        ],
        "pages": [*map(list, study.pages), ["Deviations from the plan", "deviations.md"]],
        "tables": [
            [
                *(table.name, table.question, table.main, [*table.columns]),
                *([*map(list, table.rows)], [*table.reads]),
            ]
            for table in study.tables
        ],
        "priced": priced(study_folder(study.name)),
        "headline": study.headline.maker if study.headline else "",
        "headline_rows": study.headline_rows,
        "exchange": [study.reader.exchange, [*study.reader.aside], [*study.reader.reads]],
        "view": {**view_settings(study), "planted": planted, "stops": bool(study.settings.stop)},
    }


def priced(folder: Path) -> list[str]:
    """What a study costs with real models, and by which settings; empty where that is not known.

    ``folder`` is the study's: its ``costs.yaml`` has what ``snakemake cost`` printed, or no price
    where the settings ask servers of one's own.
    """
    path = folder / "costs.yaml"
    if not path.is_file():
        return []
    cost = yaml.safe_load(path.read_text(encoding="utf-8"))
    if "low" not in cost:
        return ["servers of your own", cost["settings"]]
    return [f"${cost['low']:,} to ${cost['high']:,}", cost["settings"]]


def stage_files(study: Study[Any], stage: StageFunction) -> list[str]:
    """The files that a stage of a study reads."""
    files, prefixes = study.settings.files(), tuple(f"{prefix}." for prefix in stage.files)
    return [file for path, file in files.items() if f"{path}.".startswith(prefixes)]
