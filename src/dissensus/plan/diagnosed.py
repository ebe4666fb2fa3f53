"""The stored design diagnosis: what simulated studies of the default run's design found.

``make diagnosis`` writes it, in some minutes; a run looks up what it says of its own settings, and
finds nothing where these are others.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from dissensus.digests import digest, file_digest
from dissensus.errors import ResourceError
from dissensus.report.labels import listed
from dissensus.study.configuration import Configuration, load_file
from dissensus.study.given import diagnosed_settings, page_settings, stage_files
from dissensus.study.makes import makes
from dissensus.study.registry import study_folder
from dissensus.study.settings import plain
from dissensus.study.study import Study

#: What it is called in a study's folder.
STORED = "diagnosis.csv"

_NUMBERS = ("true", "true_se", "simulations", "coverage", "rejection", "rejection_se")
_COLUMNS = ("settings", "world", "estimator", *_NUMBERS)
_DIGITS = 6


def diagnosed_rows(study: Study[Any], folder: Path | None = None) -> list[dict[str, Any]]:
    """What is stored of a study with these settings: a row a world and estimator.

    Parameters
    ----------
    folder : where it is stored; the study's own where it is None.

    Raises
    ------
    ResourceError : a number of the file cannot be read.
    """
    path = (folder or study_folder(study.name)) / STORED
    if not study.diagnosis or not path.is_file():
        return []
    key = _settings(study)
    return [_read(row, path) for row in _stored(path) if row["settings"] == key]


@makes()
def no_diagnosis(configuration: Configuration) -> list[str]:
    """That there is nothing to diagnose, where no study of a run declares how to simulate it."""
    if any(configuration.study(name).diagnosis for name in configuration.studies):
        why = "diagnoses are of simulated models, and its models are real"
    else:
        why = (
            "there is none of a study whose sessions read those of other items, which are then not "
            "independent, nor of one whose first arm is a fork or reads others, nor of one that "
            "declares none"
        )
    return [
        f"Nothing to diagnose: {listed(configuration.studies)} of run {configuration.run}; {why}."
    ]


def store(
    settings: Configuration, results: Path, folder_of: Callable[[str], Path] = study_folder
) -> None:
    """Put a run's design diagnoses into the folders of its studies.

    Parameters
    ----------
    settings : of the run.
    results : its folder, in which ``snakemake diagnosis`` has made them.
    folder_of : the folder of a study, by its name.
    """
    from dissensus.design.diagnosis import DIAGNOSIS
    from dissensus.tables.artefact import read

    for name in settings.studies:
        diagnosis = results / name / "design_diagnosis.parquet"
        if not diagnosis.exists():
            continue
        common = {"settings": _settings(settings.study(name))}
        rows = [_written(common | row) for row in read(diagnosis, DIAGNOSIS).to_pylist()]
        path = folder_of(name) / STORED
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def _settings(study: Study[Any]) -> str:
    """The digest of all settings that the diagnosis is made of, but for the seed: of files what
    they hold, wherever they are.
    """
    assert study.diagnosis is not None
    files = {file: file_digest(Path(file)) for file in stage_files(study, study.diagnosis)}

    def contents(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: contents(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [contents(inner) for inner in value]
        return files.get(value, value) if isinstance(value, str) else value

    return digest(contents(diagnosed_settings(study)))[:16]


def _stored(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _read(row: dict[str, str], path: Path) -> dict[str, Any]:
    try:
        return row | {name: float(row[name]) if row[name] else float("nan") for name in _NUMBERS}
    except (KeyError, ValueError) as error:
        raise ResourceError(
            f"{path}: the row of the world {row['world']!r} has no number where one must be "
            f"({error}); make it again with make diagnosis."
        ) from None


def _written(row: dict[str, Any]) -> dict[str, Any]:
    numbers = {name: row[name] for name in _NUMBERS}
    rounded = {
        name: "" if value is None else f"{value:.{_DIGITS}g}" for name, value in numbers.items()
    }
    return {name: row[name] for name in _COLUMNS if name not in _NUMBERS} | rounded


def main(arguments: Iterable[str]) -> None:
    """Store the diagnoses of the run of a configuration file."""
    (file,) = arguments
    settings = load_file(Path(file))
    store(settings, settings.results)


def truth_settings(settings: Configuration, study: Study[Any]) -> dict[str, Any]:
    """What is planted in a study's models, for the table that has it beside the estimates."""
    view = page_settings(settings, study)["view"]
    return {
        "study": study.name,
        "truth": study.truth,
        "view": {**view, "diagnosis": plain(study.settings.diagnosis)},
        "diagnosed": diagnosed_rows(study),
    }


if __name__ == "__main__":
    main(sys.argv[1:])
