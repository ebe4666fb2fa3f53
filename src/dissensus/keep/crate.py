"""The metadata of an archive: an RO-Crate that says who ran what, when, and what came out.

Process Run Crate 0.5 (https://w3id.org/ro/wfrun/process/0.5) on RO-Crate 1.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.metadata import version
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from dissensus.digests import file_digest
from dissensus.errors import ArtefactError
from dissensus.keep.closing import CLOSING
from dissensus.keep.verdict import VERDICT, Creator, authors, citation, creators
from dissensus.llm.journal import Journal
from dissensus.study.configuration import Configuration
from dissensus.tables.artefact import provenance_of
from dissensus.tables.provenance import PLAN_FILE, STAMPS_FILE

#: Files and folders of a crate.
SETTINGS, DIGESTS, GUIDE, PUBLISHED = "run.yaml", "results.sha256", "REPRODUCE.md", "published"
METADATA = "ro-crate-metadata.json"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_LICENCES = "https://spdx.org/licenses/"
#: Has the term ``sha256``, which that of RO-Crate 1.1 lacks.
_TERMS = "https://w3id.org/ro/terms/workflow-run/context"
#: Ending of a file -> its media type, of those that are not known everywhere.
_FORMATS = {
    ".parquet": "application/vnd.apache.parquet",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".rst": "text/x-rst",
    ".sha256": "text/plain",
    ".yaml": "application/yaml",
    ".lock": "text/plain",
    ".cff": "application/yaml",
}


def write_crate(
    folder: Path, settings: Configuration, results: Path, commit: str, path: Path
) -> None:
    """Describe a folder and pack it.

    Parameters
    ----------
    folder : holds all that is packed.
    settings : of the run.
    results : folder of the run, with its journals.
    commit : of the code, "unknown" outside a checkout.
    path : zip file to write.
    """
    # Imported here: it takes long, and nothing else needs it.
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append(_TERMS)
    root = crate.root_dataset
    kind = "simulated models" if settings.simulated else "language models"
    if not settings.used:
        kind = "people or models, imported"
    crate.name = f"Run {settings.run} of dissensus"
    crate.description = (
        f"Debates of {kind} ({', '.join(settings.studies)}): code, inputs, replies and results. "
        f"{GUIDE} says how to make it again, {VERDICT} what to believe of it."
    )
    root["license"] = _licence(crate, settings.license)
    snakefile = folder / "Snakefile"
    workflow = crate.add_workflow(snakefile, "Snakefile", main=True, lang="snakemake")
    profile = _described(crate, PROFILE, "CreativeWork", name="Process Run Crate", version="0.5")
    root.append_to("conformsTo", profile)
    workflow["version"] = commit
    for place in sorted(folder.iterdir()):
        if place.is_dir():
            crate.add_directory(place, place.name)
        elif place != snakefile:
            crate.add_file(place, place.name, properties=_of_file(place))
    plans = _plans(crate, folder)
    _published(crate, folder)
    models = [*_models(crate, settings)]
    action = crate.add_action(
        [workflow, _software(crate, results), *models],
        identifier="#run",
        object=[crate.dereference(SETTINGS), *plans],
        result=[crate.dereference(name) for name in (f"{PUBLISHED}/", DIGESTS)],
        properties={
            "name": f"Run {settings.run}",
            "description": f"All debates, measures and estimates of {', '.join(settings.studies)}.",
            "actionStatus": "http://schema.org/CompletedActionStatus",
            **_times(results),
        },
    )
    root["mentions"] = [action]
    if makers := _makers(crate, settings):
        root["creator"] = action["agent"] = makers
    crate.write_zip(path)


def write_files(folder: Path, settings: Configuration, path: Path) -> None:
    """Describe and pack the comparison of a run's panels, which no single workflow run makes.

    Parameters
    ----------
    folder, settings, path : as for :func:`write_crate`; ``settings`` of the whole run.
    """
    from rocrate.rocrate import ROCrate

    crate = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append(_TERMS)
    crate.name = f"What the panels of run {settings.run} of dissensus come to together"
    crate.description = f"{VERDICT} says what it is of, and where each panel is."
    crate.root_dataset["license"] = _licence(crate, settings.license)
    for place in sorted(folder.iterdir()):
        if place.is_dir():
            crate.add_directory(place, place.name)
        else:
            crate.add_file(place, place.name, properties=_of_file(place))
    _published(crate, folder)
    if makers := _makers(crate, settings):
        crate.root_dataset["creator"] = makers
    crate.write_zip(path)


def _plans(crate: Any, folder: Path) -> list[Any]:
    """The registered plans, whose bytes are packed with their folder."""
    paths = sorted(folder.glob(f"results/*/*/{PLAN_FILE}"))
    return [_file(crate, folder, path, name="Registered plan") for path in paths]


def _published(crate: Any, folder: Path) -> None:
    """What a reader opens, and the stamps of plans, with sizes and digests."""
    for path in sorted(folder.glob(f"results/*/*/{STAMPS_FILE}")):
        _file(crate, folder, path, name="Stamps of a registered plan")
    for path in sorted((folder / PUBLISHED).rglob("*")):
        if path.is_file():
            names = {CLOSING: "Digests of all that the run planned, was told, paid and computed"}
            _file(crate, folder, path, name=names.get(path.name, path.name))


def _file(crate: Any, folder: Path, path: Path, **properties: str) -> Any:
    """A file whose bytes are packed with its folder."""
    inside = path.relative_to(folder).as_posix()
    made = _described(crate, inside, "File", **_of_file(path), **properties)
    crate.root_dataset.append_to("hasPart", made)
    return made


def _of_file(path: Path) -> dict[str, str]:
    """Size in bytes, format and digest of a file."""
    kind = _FORMATS.get(path.suffix) or guess_type(path.name)[0] or "application/octet-stream"
    size = str(path.stat().st_size)
    return {"contentSize": size, "encodingFormat": kind, "sha256": file_digest(path)}


def _models(crate: Any, settings: Configuration) -> Iterator[Any]:
    """The models that were asked, under the names that the run has for them."""
    for name in settings.used:
        entry = settings.models[name].model_dump()
        how = f"asked through {entry['provider']}"
        if settings.is_simulated(name):
            behaviour = entry.get("behaviour")
            how = f"simulated, by {behaviour}" if behaviour else f"simulated, {how}"
        yield _described(
            crate,
            f"#model-{name}",
            "SoftwareApplication",
            name=str(entry.get("model") or name),
            alternateName=name,
            description=f"A language model, {how}.",
        )


def _licence(crate: Any, given: str | None) -> Any:
    """The licence of the run's data; an entity that says so where none is stated."""
    if given is None:
        said = "No licence is stated for the data of this run"
        return _described(crate, "#no-licence", "CreativeWork", name=said, description=f"{said}.")
    address = given if given.startswith("https://") else f"{_LICENCES}{given}"
    return _described(crate, address, "CreativeWork", name=given)


def _described(crate: Any, identifier: str, kind: str, **properties: str) -> Any:
    """An entity that is no file."""
    from rocrate.model import ContextEntity

    return crate.add(ContextEntity(crate, identifier, {"@type": kind, **properties}))


def _software(crate: Any, results: Path) -> Any:
    """The software, in the version that made the results, with its own licence and authors."""
    licence = citation()["license"]
    made = _described(
        crate, "#dissensus", "SoftwareApplication", name="dissensus",
        softwareVersion=", ".join(_versions(results)),
    )  # fmt: skip
    made["license"] = _described(crate, f"{_LICENCES}{licence}", "CreativeWork", name=licence)
    if by := _people(crate, authors(), "author"):
        made["author"] = by
    return made


def _versions(results: Path) -> list[str]:
    """The versions that made the results; that which is installed where none says it."""
    found = set()
    for path in sorted(results.glob("*/*.parquet")):
        with suppress(ArtefactError):
            found.add(provenance_of(path).get("versions", {}).get("dissensus", ""))
    return sorted(found - {""}) or [version("dissensus")]


def _makers(crate: Any, settings: Configuration) -> list[Any]:
    return _people(crate, creators(settings), "creator")


def _people(crate: Any, given: Sequence[Creator], kind: str) -> list[Any]:
    return [
        _described(crate, each.orcid or f"#{kind}-{number}", each.kind, name=each.name)
        for number, each in enumerate(given, start=1)
    ]


def _times(results: Path) -> dict[str, str]:
    """When the first call was made and the last reply was there; nothing where journals say none.

    Replies of a journal of an old version have no times.
    """
    times = [*_called(sorted(results.glob("*/journal/*.jsonl")))]
    if not times:
        return {}
    begun, ended = zip(*times, strict=True)
    return {"startTime": min(begun), "endTime": max(ended)}


def _called(journals: Sequence[Path]) -> Iterator[tuple[str, str]]:
    for path in journals:
        for reply in Journal(path).replies:
            if reply.started and reply.ended:
                yield reply.started, reply.ended
