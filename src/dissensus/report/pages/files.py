"""What the pages of results say, read from the files that the stages have left."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any

from pyarrow import Table
from pyarrow.compute import is_in

from dissensus.report.alternative import main_sentence
from dissensus.report.arm_conduct import differing_conduct
from dissensus.report.captions import SIMULATED
from dissensus.report.facts import Facts
from dissensus.report.findings import (
    Card,
    Findings,
    but,
    derived,
    labelled,
    losses,
    undefined,
    unread,
)
from dissensus.report.floor import Floor
from dissensus.report.labels import counted, listed
from dissensus.report.pages.looks import early, stopping
from dissensus.report.pages.part import Further, Part, Place, Shown
from dissensus.report.tables import narrowed, parts
from dissensus.report.view import Artefacts, View
from dissensus.tables.artefact import read

#: The pages of a study's tables, in the order in which the results page has them.
_PAGES = ("tables/index.html", "tables/spending.html")
#: Beyond as many, a picture is loaded beside the page, and its marks say nothing.
_MOST_BYTES = 600_000
#: Characters of the sentence below a figure's title.
_MOST_STATED = 240
#: How a sentence begins that says what a panel draws, and not what was found there.
_OF_PANEL = re.compile(r"(?:Left|Right|[a-z]): ")
#: Characters of a page of text that are shown on another; the file has all.
_MOST_TEXT = 50_000
_ESCAPE = re.compile(r"\\([^\w\s])")
#: Characters of a picture that have its description.
_HEAD = 10_000


def findings_of(
    folder: Path, state: Callable[[Artefacts, View], Findings] | None, view: View
) -> tuple[Findings, str]:
    """The findings of a study, and the sentence on its losses.

    Parameters
    ----------
    folder : of the study.
    state : its own; None where it declares none.
    view : with ``planted`` among its settings.
    """
    artefacts = Artefacts({path.stem: path for path in folder.glob("*.parquet")})
    if state:
        findings = state(artefacts, view)
    else:
        has_contrasts = "contrasts" in artefacts.paths
        contrast_rows = artefacts.facts("contrasts").rows(headline=True) if has_contrasts else []
        given = view.settings.get("outcomes")
        titles = given if isinstance(given, Mapping) else {}
        again = view.settings.get("again")
        floor = None
        if again and has_contrasts:
            floor = Floor.of(artefacts.facts("contrasts"), again, view)
        findings = derived(contrast_rows, titles, floor)
        if titles and "metrics" in artefacts.paths:
            optional = view.settings.get("optional", ())
            everywhere = {
                name: title
                for name, title in titles.items()
                if name not in view.settings.get("by_design", ())
            }
            lacking = undefined(artefacts.facts("metrics"), everywhere, optional)
            findings = replace(findings, against=lacking)
        objection = view.settings.get("objection")
        findings = replace(findings, against=[*findings.against, *filter(None, [objection])])
        if view.settings.get("labelled"):
            names = ("labelled_contrasts", "judge_agreement")
            by_people = labelled(*(artefacts.facts(name) for name in names))
            findings = replace(findings, against=[*by_people, *findings.against])
    # The texts of all turns would take much room.
    turns = read(artefacts.path("turns")).select(["role", "compliant"]).to_pandas(use_threads=False)
    has_conduct = "arm_conduct" in artefacts.paths
    conduct = artefacts.facts("arm_conduct").rows() if has_conduct else []
    against = [
        *unread(Facts("turns", turns, ())),
        *differing_conduct(conduct, view.alpha),
        *findings.against,
    ]
    stopped = ""
    if view.settings.get("stops"):
        stopped = stopping(*(artefacts.facts(name) for name in ("looks", "manifest", "spending")))
        against += early(artefacts.facts("looks"), view)
    card = findings.shown
    card = replace(card, but=card.but or but(against), stopped=stopped)
    return replace(findings, against=against, card=card), losses(artefacts.facts("outcomes"))


def part_of(
    folder: Path, given: Mapping[str, Any], findings: list[dict[str, Any]], card: Card
) -> Part:
    """A study's part of the page.

    Parameters
    ----------
    folder : of the study.
    given : ``question``, ``design``, ``figures``, each with its name, its title, whether it is main
        and what it reads, and ``tables``, see :func:`dissensus.study.given.page_settings`.
    findings : its findings.
    card : of the front page.
    """
    sentences: dict[str, list[str]] = {}
    for row in findings:
        sentences.setdefault(row["kind"], []).append(row["sentence"])
    figures, level = [], f"{100 * given['view']['confidence']:g}%"
    for name, title, main, reads in given["figures"]:
        caption = (folder / f"captions/{name}.rst").read_text(encoding="utf-8")
        picture = folder / f"figures/{name}.svg"
        within = main and picture.stat().st_size <= _MOST_BYTES
        svg = picture.read_text(encoding="utf-8") if within else ""
        stated = _stated(caption, level) if main else ""
        figure = Shown(name, title, main, caption, _words(picture), svg=svg, stated=stated)
        figures.append(replace(figure, reads=_there(folder, reads)))
    shown = _tables_of(folder, [page for page in _PAGES if (folder / page).exists()])
    told = {name: rest for name, *rest in given["tables"]}
    tables = []
    for name, text in shown.items():
        question, main, columns, rows, reads = told.get(name, ("", False, (), (), ()))
        part = narrowed(text, columns, rows) if main else text
        table = Shown(name, question, main, part, whole="" if part == text else text)
        tables.append(replace(table, reads=_there(folder, reads)))
    manifest, outcomes = (read(folder / f"{name}.parquet") for name in ("manifest", "outcomes"))
    # A study that stopped has sessions that were not run.
    manifest = manifest.filter(is_in(manifest["session_id"], outcomes["session_id"]))
    sessions, draws = (manifest[name].to_pylist() for name in ("session_id", "draw_id"))
    return Part(
        folder.name,
        given["question"],
        given["design"],
        sentences,
        figures,
        tables,
        _places(folder),
        card,
        _session_words(manifest),
        len(sessions),
        sum(not complete for complete in outcomes["complete"].to_pylist()),
        frozenset([*sessions, *draws]),
        next(iter(sessions), ""),
        [
            Further(title, file, _text(folder / file))
            for title, file in given["pages"]
            if (folder / file).exists()
        ],
        _sentences(folder / "deviations.parquet"),
        _sentences(folder / "confirmation.parquet") or (),
        priced=given["priced"],
    )


def _there(folder: Path, names: Sequence[str]) -> list[str]:
    """Those artefacts that are files in a study's folder."""
    return [name for name in names if (folder / f"{name}.parquet").is_file()]


def _sentences(path: Path) -> list[str] | None:
    """The sentences of an artefact; None where there is no such, as of what was not registered."""
    return read(path)["sentence"].to_pylist() if path.exists() else None


def _stated(caption: str, level: str) -> str:
    """The main sentence of a caption; of a long one, what stands before its last clause.

    "" where the caption says what is drawn alone.
    """
    sentence = main_sentence(caption.replace(f"*{SIMULATED}*", ""), level)
    if _OF_PANEL.match(sentence):
        return ""
    if len(sentence) <= _MOST_STATED:
        return sentence
    ends = [place for place in _clauses(sentence) if place <= _MOST_STATED]
    return f"{sentence[: ends[-1]]}." if ends else sentence


def _clauses(sentence: str) -> Iterator[int]:
    """Where a sentence could end before its end: at a semicolon, or before a last aside."""
    depth = 0
    for place, letter in enumerate(sentence):
        if depth == 0 and sentence.startswith("; ", place):
            yield place
        if depth == 0 and letter == "(" and sentence.endswith(")."):
            closed = _closed(sentence, place)
            if closed == len(sentence) - 2:
                yield place - 1
        depth += (letter in "([") - (letter in ")]")


def _closed(sentence: str, opened: int) -> int:
    """Where what is opened at a place is closed; -1 if nowhere."""
    depth = 0
    for place, letter in enumerate(sentence[opened:], start=opened):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0:
            return place
    return -1


def _text(path: Path) -> str:
    """A page in Markdown as its text, without the escapes; "" of another kind."""
    if path.suffix != ".md":
        return ""
    text = _ESCAPE.sub(r"\1", path.read_text(encoding="utf-8"))
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]}…"


def _words(picture: Path) -> str:
    """What a figure says of itself in words."""
    with picture.open(encoding="utf-8") as file:
        _, _, rest = file.read(_HEAD).partition("<desc>")
    words, end, _ = rest.partition("</desc>")
    return unescape(words) if end else ""


def _session_words(manifest: Table) -> str:
    """How many sessions there are, such as "88 sessions (debate 80, memo 6 and style 2)"."""
    kinds = manifest["kind"].to_pylist() if "kind" in manifest.column_names else []
    counts = [f"{kind} {number:,}" for kind, number in Counter(kinds).most_common()]
    of_kinds = f" ({listed(counts)})" if len(counts) > 1 else ""
    return f"{counted(manifest.num_rows, 'session')}{of_kinds}"


def _places(folder: Path) -> dict[str, list[Place]]:
    marks = folder / "figure_marks.parquet"
    places: dict[str, list[Place]] = {}
    for row in read(marks).to_pylist() if marks.exists() else ():
        places.setdefault(row["figure"], []).append(Place(row["x"], row["y"], row["target"]))
    return places


def dollars(folders: Sequence[Path]) -> float | None:
    """What the calls of some studies cost, those that failed among them; None without prices."""
    total = 0.0
    for folder in folders:
        if (path := folder / "spending.parquet").exists():
            frame = read(path).to_pandas(use_threads=False)
            if frame["unpriced"].sum():
                return None
            total += float(frame[[name for name in frame if name.endswith("_usd")]].sum().sum())
    return total


def newest_day(folders: Sequence[Path]) -> str:
    """The day on which the newest turns of some studies were gathered; "" without any."""
    times = [path.stat().st_mtime for folder in folders for path in folder.glob("turns.parquet")]
    return f"{datetime.fromtimestamp(max(times), UTC):%-d %B %Y}" if times else ""


def _tables_of(folder: Path, pages: Sequence[str]) -> dict[str, str]:
    """The tables on some of a study's pages of tables: name -> its HTML, with its note."""
    return {
        name: text
        for page in pages
        for name, text in parts((folder / page).read_text(encoding="utf-8")).items()
    }
