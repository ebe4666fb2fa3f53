"""The metadata of an archive: an RO-Crate that says who ran what, when, and what came out.

Process Run Crate 0.5 (https://w3id.org/ro/wfrun/process/0.5) on RO-Crate 1.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dissensus.keep.verdict import VERDICT, citation, creators
from dissensus.llm.journal import Journal
from dissensus.study.configuration import Configuration
from dissensus.tables.provenance import PLAN_FILE

#: Files and folders of a crate.
SETTINGS, DIGESTS, GUIDE, PUBLISHED = "run.yaml", "results.sha256", "REPRODUCE.md", "published"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_LICENCES = "https://spdx.org/licenses/"


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
    root = crate.root_dataset
    kind = "simulated models" if settings.simulated else "language models"
    if not settings.used:
        kind = "people or models, imported"
    crate.name = f"Run {settings.run} of dissensus"
    crate.description = (
        f"Debates of {kind} ({', '.join(settings.studies)}): code, inputs, replies and results. "
        f"{GUIDE} says how to make it again, {VERDICT} what to believe of it."
    )
    licence = citation()["license"]
    root["license"] = _described(crate, f"{_LICENCES}{licence}", "CreativeWork", name=licence)
    snakefile = folder / "Snakefile"
    workflow = crate.add_workflow(snakefile, "Snakefile", main=True, lang="snakemake")
    profile = _described(crate, PROFILE, "CreativeWork", name="Process Run Crate", version="0.5")
    root.append_to("conformsTo", profile)
    workflow["version"] = commit
    for place in sorted(folder.iterdir()):
        if place.is_dir():
            crate.add_directory(place, place.name)
        elif place != snakefile:
            crate.add_file(place, place.name)
    plans = _plans(crate, folder)
    action = crate.add_action(
        [workflow, _software(crate)],
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


def _plans(crate: Any, folder: Path) -> list[Any]:
    """The registered plans, whose bytes are packed with their folder."""
    plans = [
        _described(crate, plan.relative_to(folder).as_posix(), "File", name="Registered plan")
        for plan in sorted(folder.glob(f"results/*/*/{PLAN_FILE}"))
    ]
    for plan in plans:
        crate.root_dataset.append_to("hasPart", plan)
    return plans


def _described(crate: Any, identifier: str, kind: str, **properties: str) -> Any:
    """An entity that is no file."""
    from rocrate.model import ContextEntity

    return crate.add(ContextEntity(crate, identifier, {"@type": kind, **properties}))


def _software(crate: Any) -> Any:
    return _described(
        crate, "#dissensus", "SoftwareApplication", name="dissensus",
        softwareVersion=version("dissensus"),
    )  # fmt: skip


def _makers(crate: Any, settings: Configuration) -> list[Any]:
    given, _ = creators(settings)
    return [
        _described(crate, each.orcid or f"#creator-{number}", each.kind, name=each.name)
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
