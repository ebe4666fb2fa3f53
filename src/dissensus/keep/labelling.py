"""A sample of a study to label: drawn at random, blinded, as a table and as a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dissensus.design.manifest import stream
from dissensus.errors import ResourceError, SettingError
from dissensus.keep.reading import sent
from dissensus.report.escaping import csv_cell
from dissensus.report.pages.labelling import labelling_page
from dissensus.study.completion import transcript_in
from dissensus.study.configuration import Configuration
from dissensus.study.experiment.labels.people import ID, LABEL, Place, judged_places
from dissensus.study.experiment.study import Experiment
from dissensus.tables.artefact import provenance_of, read, write_text

#: What calls of a judge are made for: people are to label without what it says.
_JUDGING = ("judge", "annotate")
#: What tells a spreadsheet that a table is in UTF-8.
_MARK = "\ufeff"


def write_sample(folder: Path, settings: Configuration, n: int, seed: int, to: Path) -> list[Path]:
    """Write a sample as a table (``sample.csv``) and as a page (``sample.html``).

    Parameters
    ----------
    folder : of the study, whose run has ended.
    settings : of the run; those of the study say what people label.
    n : texts at most.
    seed : of what is drawn, and of its order.
    to : the folder; nothing in it is written over.

    Raises
    ------
    DissensusError : there is nothing to label, or a file is there already.
    """
    if not (folder / "metrics.parquet").is_file():
        raise ResourceError(
            f"{folder} has no metrics.parquet; people label sessions that have ended: run the "
            "study first, or name another run."
        )
    if folder.name not in settings.studies:
        raise SettingError(
            f"studies leaves out {folder.name!r}; name the run's own configuration with "
            "--configfile."
        )
    study = settings.study(folder.name)
    if not isinstance(study, Experiment):
        raise SettingError(
            f"{folder.name} is no study of the common kind; people label those alone."
        )
    table, page = to / "sample.csv", to / "sample.html"
    for path in (table, page):
        if path.exists():
            raise ResourceError(
                f"{path} is there already, and may have labels in it; name another folder with "
                "--to."
            )
    texts = list(_sampled(folder, settings, study, n, seed))
    if not texts:
        raise ResourceError(
            f"{folder} has no session with {study.labelled_outcome} and a turn to label; name in "
            f"{study.name}.labels.judge one who speaks in its sessions."
        )
    asked = study.declared_outcomes()[study.labelled_outcome].meaning
    judge = study.label_settings.judge
    question = f"What do you say in the place of {judge}?" if judge else asked
    scale = [f"{label:g}" if isinstance(label, float) else label for label in
             study.label_settings.scale]  # fmt: skip
    rows = [f"{ID},{LABEL},text", *(f"{name},,{csv_cell(text)}" for name, text in texts)]
    write_text(table, _MARK + "\n".join(rows) + "\n")
    first = read(folder / "manifest.parquet")["session_id"][0].as_py()
    simulated = provenance_of(transcript_in(folder, first))["simulated"]
    write_text(page, labelling_page(question, scale, texts, simulated))
    return [table, page]


def _sampled(
    folder: Path, settings: Configuration, study: Experiment, n: int, seed: int
) -> Iterator[tuple[str, str]]:
    """Id and text of what people are to label, in random order.

    Draws are taken at random, each with all its arms, until there is no room for a session.
    """
    metrics = read(folder / "metrics.parquet").to_pandas(use_threads=False)
    usable = metrics[metrics["complete"] & metrics[study.labelled_outcome].notna()]
    turns = read(folder / "turns.parquet").to_pylist()
    places: dict[str, list[Place]] = {}
    for place in judged_places(turns, study.label_settings):
        places.setdefault(place.session_id, []).append(place)
    rng = stream(seed, "labels", study.name)
    by_draw = usable.groupby("draw_id", sort=True)["session_id"].agg(list)
    drawn: list[Place] = []
    in_order = (
        places.get(str(session_id), [])
        for draw in rng.permutation(by_draw.index.to_numpy())
        for session_id in rng.permutation(by_draw[draw])
    )
    for of_session in in_order:
        # To go on with sessions of fewer turns would prefer these.
        if len(drawn) + len(of_session) > n:
            break
        drawn += of_session
    judges = {use.setting for use in study.models() if use.purpose in _JUDGING}
    hidden = study.label_settings.hidden
    for index in rng.permutation(len(drawn)):
        place = drawn[index]
        if place.turn:
            text = _asked(folder, settings, place)
        else:
            turns_of_session = [turn for turn in turns if turn["session_id"] == place.session_id]
            text = "\n\n".join(
                f"{turn['round_label']}, {turn['speaker']}:\n{turn['text']}"
                for turn in turns_of_session
                if turn["role"] not in judges and turn["speaker"] not in hidden
            )
        yield place.id(study.name), text


def _asked(folder: Path, settings: Configuration, place: Place) -> str:
    """What the judge was sent, but for what it was told of replies that could not be read."""
    rows = [
        row
        for row in sent(folder, place.session_id, settings)
        if (row["turn"], row["speaker"], row["attempt"]) == (place.turn, place.speaker, 1)
    ]
    last = max(row["session_attempt"] for row in rows)
    return "\n\n".join(row["content"] for row in rows if row["session_attempt"] == last)
