"""Every writer of every study, given texts that attack its readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

import dissensus_studies.deliberation.figures
import dissensus_studies.identity.figures
import dissensus_studies.language.figures
import dissensus_studies.union.figures
from dissensus.llm.prices import Price
from dissensus.plan import quote
from dissensus.plan.cost import Line, Terms, Tokens
from dissensus.report.captions import fill
from dissensus.report.declared import Declared
from dissensus.report.escaping import label, line, plain, say
from dissensus.report.labels import numeric
from dissensus.report.style import save_svg
from dissensus.report.tables import Table, as_csv, as_markdown, as_page
from dissensus.report.view import Artefacts, View
from dissensus.run.spending import CONDUCT, conduct, spending
from dissensus.run.spending_tables import table_models, table_spending
from dissensus.run.summary import summarise
from dissensus.study.makes import resolve
from dissensus.study.registry import study_folder
from dissensus.tables.artefact import read, write
from dissensus_studies.deliberation.tests import deliberation_frames
from dissensus_studies.identity.tests import identity_frames
from dissensus_studies.language.figures import speeches
from dissensus_studies.language.tests import figure_frames as language_frames
from dissensus_studies.union.tables import LAYERS
from dissensus_studies.union.tests import union_frames
from drawn import visible_texts
from hostile_texts import HOSTILE, hostile
from marking import thorough_but
from report.rendered import Page, csv_rows, markdown_shape, markdown_words, rst_words, svg_words

SCENARIOS = ("low", "expected", "high", "ceiling")
#: Where in the list of texts a run's begin: together, runs have all of them in most places.
FIRST = range(0, len(HOSTILE), 10)
#: Of these, where `make test` begins.
QUICK = thorough_but(FIRST, FIRST[0])


@dataclass(frozen=True)
class Attacked:
    """A run in whose artefacts every text that is not the project's own attacks."""

    study: ModuleType
    artefacts: Artefacts
    view: View


def _language(first: int) -> Attacked:
    domains = hostile(9, first + 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language_frames, "PANEL", hostile(4, first))
        patch.setattr(language_frames, "DOMAINS", domains)
        run = language_frames.make_run(9, 9, ("en", "zh"))
    rows = len(run.pool)
    pool = run.pool.assign(
        motion_en=hostile(rows, first + 13), motion_zh=hostile(rows, first + 14), source=domains[0]
    )
    spoken = len(run.turns)
    turns = run.turns.assign(
        # Some passages come back, and so are marked.
        text=[
            f"{text} {HOSTILE[first]} and this comes back." for text in hostile(spoken, first + 1)
        ],
        model=hostile(spoken, first),
    )
    outcomes = run.outcomes.assign(failure=hostile(len(run.outcomes), first))
    changed = replace(run, pool=pool, turns=turns, outcomes=outcomes)
    return Attacked(dissensus_studies.language.figures, changed.artefacts, language_frames.VIEW)


def _deliberation(first: int) -> Attacked:
    options = hostile(5, first + 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deliberation_frames, "MODELS", hostile(4, first))
        patch.setattr(deliberation_frames, "OPTIONS", options)
        run = deliberation_frames._made.__wrapped__(6, ("emergent", "rca", "pid"), 4, 3)
    n = len(run.topics)
    topics = run.topics.assign(
        title=hostile(n, first + 9),
        question=hostile(n, first + 17),
        evidence=[list(hostile(1, first + i)) for i in range(n)],
        truth=options[0],
        source=hostile(n, first + 25),
    )
    claims = run.claims.assign(text=hostile(len(run.claims), first))
    engagements = run.engagements.assign(quote=hostile(len(run.engagements), first))
    outcomes = run.outcomes.assign(failure=hostile(len(run.outcomes), first))
    manifest = run.manifest.assign(judge=HOSTILE[first])
    changed = replace(
        run,
        topics=topics,
        claims=claims,
        engagements=engagements,
        outcomes=outcomes,
        manifest=manifest,
    )
    return Attacked(dissensus_studies.deliberation.figures, changed.artefacts, run.view())


def _identity(first: int) -> Attacked:
    models = iter(hostile(6, first))
    named = {model: next(models) for model in {team[0] for team in identity_frames.TEAMS.values()}}
    teams = {
        name: (named[model], *others) for name, (model, *others) in identity_frames.TEAMS.items()
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identity_frames, "TEAMS", teams)
        run = identity_frames.make_run(4, 2)
    outcomes = run.outcomes.assign(failure=hostile(len(run.outcomes), first))
    changed = replace(run, outcomes=outcomes)
    return Attacked(dissensus_studies.identity.figures, changed.artefacts, identity_frames.VIEW)


def _union(first: int) -> Attacked:
    """Speakers, judges and motions with such names, and such claims and answers."""
    run = union_frames.make_run(2, 2, 2)
    names = sorted({*run.speeches["speaker"], *run.judges["judge"], "m1", "m2"})
    kept = {"all", *LAYERS}
    swapped = dict(zip(names, hostile(len(names), first), strict=True))
    swapped |= {name: name for name in kept}
    frames = {}
    for name, frame in vars(run).items():
        columns = {"motion_id", "speaker", "judge", "group"} & set(frame.columns)
        more = {
            column: hostile(len(frame), first + 7)
            for column in ("text", "answer", "note", "terms", "example", "description")
            if column in frame.columns
        }
        if name == "cluster_names":
            more["name"] = hostile(len(frame), first + 3)
        frames[name] = frame.assign(
            **{column: frame[column].map(lambda v: swapped.get(v, v)) for column in columns}, **more
        )
    return Attacked(
        dissensus_studies.union.figures, replace(run, **frames).artefacts, union_frames.VIEW
    )


RUNS = {
    "language": _language,
    "deliberation": _deliberation,
    "identity": _identity,
    "union": _union,
}


@cache
def attacked(study: str, first: int) -> Attacked:
    return RUNS[study](first)


def made(study: str, first: int, declared: Declared) -> Any:
    run = attacked(study, first)
    return resolve(declared.maker)(run.artefacts, run.view)


def tables_of(study: str, first: int) -> list[Table]:
    return [made(study, first, table) for table in attacked(study, first).study.TABLES]


def harmless(table: Table) -> Table:
    """A table of the same form in which there is nothing but words."""
    rows = [tuple("word" if line(cell).strip() else "" for cell in row) for row in table.rows]
    columns = tuple("word" if line(cell).strip() else "" for cell in table.columns)
    return Table(table.name, "Words", columns, tuple(rows), "Words.", table.simulated)


def squeezed(text: str) -> str:
    return "".join(text.replace("\N{NO-BREAK SPACE}", "").split())


def plain_numbers(text: str) -> str:
    """Without separators of thousands, and with one minus sign."""
    return squeezed(text).replace(",", "").replace("−", "-")


def check_table(table: Table) -> None:
    """A table in all three forms, as programs read them."""
    words = (table.columns, *table.rows)
    written = csv_rows(as_csv(table))
    for cells, row in zip(numeric(table.columns, table.rows), written, strict=True):
        assert [squeezed(cell).replace("'", "") for cell in row[:-1]] == [
            squeezed(line(cell)).replace("'", "") for cell in cells
        ]
    text = as_markdown(table)
    assert markdown_shape(text) == markdown_shape(as_markdown(harmless(table)))
    shown = plain_numbers(markdown_words(text))
    for row in words:
        assert all(plain_numbers(line(cell)) in shown for cell in row)
    page = Page(as_page([table], table.title))
    assert page.tags == Page(as_page([harmless(table)], "Words")).tags
    shown = plain_numbers(page.words)
    assert all(plain_numbers(line(cell)) in shown for row in words for cell in row)


def held(artefacts: Artefacts) -> Iterator[str]:
    """The texts of all artefacts."""
    for frame in artefacts.loaded.values():
        for name in frame.columns:
            if frame[name].dtype == object or pd.api.types.is_string_dtype(frame[name]):
                for value in frame[name]:
                    yield from value if isinstance(value, list) else [str(value)]


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("study", RUNS)
def test_runs_attack_with_every_text(study: str) -> None:
    texts = {text for first in FIRST for text in held(attacked(study, first).artefacts)}
    assert set(HOSTILE) <= texts


@pytest.mark.slow
@pytest.mark.parametrize("first", QUICK)
@pytest.mark.parametrize("study", RUNS)
def test_tables_hold_texts_and_nothing_else(study: str, first: int) -> None:
    for table in tables_of(study, first):
        check_table(table)


@pytest.mark.slow
@pytest.mark.parametrize("first", QUICK)
@pytest.mark.parametrize("study", RUNS)
def test_figures_and_captions_hold_texts_and_nothing_else(
    study: str, first: int, tmp_path: Path
) -> None:
    # To lay a figure out takes longer than to make it, and to write it longer still.
    place = list(RUNS).index(study)
    laid_out, written = first in FIRST[place % 3 :: 3], first in FIRST[place :: len(RUNS)]
    for declared in attacked(study, first).study.FIGURES:
        drawn = made(study, first, declared)
        template = study_folder(study) / f"captions/{declared.name}.rst"
        check_caption(template.read_text("utf-8"), drawn.facts)
        for text, _ in visible_texts(drawn.figure) if laid_out else ():
            lines = text.split("\n")
            assert plain(text) == text and len(lines) < 12 and max(map(len, lines)) < 120
        if written:
            svg = tmp_path / f"{declared.name}.svg"
            save_svg(drawn.figure, svg)
            assert "simulated models" in svg_words(svg.read_text("utf-8"))


def check_caption(template: str, facts: Mapping[str, str]) -> None:
    """What a caption says of a figure's facts is in it whole."""
    said = squeezed(rst_words(fill(template, facts, simulated=True)))
    for name, fact in facts.items():
        if f"{{{name}}}" in template:
            assert squeezed(label(fact, 2000)).replace("*", "") in said.replace("*", "")


@pytest.mark.parametrize("first", FIRST)
def test_own_captions_and_the_head_of_the_report(first: int) -> None:
    for text in hostile(7, first):
        said = rst_words(fill("**Own.** {text}\n\n{text} and on", {"text": text}, True))
        assert squeezed(said).count(squeezed(label(text, 2000))) >= 2
        summaries = {"language": text, "mine": f"A study. {text}"}
        head = squeezed(rst_words(summarise("r", 1, summaries, True)))
        assert squeezed(label(text, 1900)).rstrip("…") in head


@pytest.mark.slow
@pytest.mark.parametrize("first", QUICK)
def test_recycled_speeches_are_words_and_marks(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run = attacked("language", first)
    turns = run.artefacts.frame("turns")
    monkeypatch.setattr(
        speeches, "read_draws", lambda _, draws: turns[turns["draw_id"].isin(draws)]
    )
    text = speeches.build(Artefacts({"turns": "turns"}, run.artefacts.loaded), run.view)
    page = Page(text.html)
    kinds = {kind.split(" ", 1)[0] for kind in markdown_shape(text.markdown)}
    blocks = ("heading", "paragraph", "blockquote", "em")
    assert kinds == {"inline", "html_inline"} | {
        f"{b}_{end}" for b in blocks for end in ("open", "close")
    }
    marks = [kind for kind in markdown_shape(text.markdown) if kind.startswith("html_inline")]
    assert set(marks) == {"html_inline <b>", "html_inline </b>"}
    shown, in_markdown = squeezed(page.words), squeezed(markdown_words(text.markdown))
    assert in_markdown.count("Turn") == page.words.count("Turn ") == 8
    motion = squeezed(line(HOSTILE[first]))
    assert motion in shown and motion in in_markdown.replace("<b>", "").replace("</b>", "")


def call(model: str, text: str) -> dict[str, Any]:
    """A call of which the provider says one thing in every field."""
    return {
        "session_id": "d001-en",
        "session_attempt": 1,
        "turn": 1,
        "purpose": "debate",
        "attempt": 1,
        "model": model,
        **dict.fromkeys(("input_tokens", "cached_tokens", "output_tokens"), 1),
        "cost_usd": 0.5,
        "faults": [text],
        "faults_usd": 0.0,
        "other_model": True,
        **dict.fromkeys(("finish_reason", "error", "answered_by", "fingerprint"), text),
    }


def estimate(model: str) -> Line:
    price = Price(1.0, None, 1.0, None, model, model)
    terms = Terms(provider=model, asked=model, price=price)
    return Line("debate", model, terms, {n: Tokens(9, 9, 9) for n in SCENARIOS})


@pytest.mark.parametrize("first", FIRST)
def test_conduct_and_spending_are_raw_in_artefacts_and_escaped_in_tables(
    first: int, tmp_path: Path
) -> None:
    calls = [call(model, text) for text in hostile(7, first) for model in hostile(3, first + 7)]
    rows, spent = conduct(calls), spending(calls, [], {"d001-en": 1})
    write(tmp_path / "conduct.parquet", CONDUCT, rows, {})
    kept = read(tmp_path / "conduct.parquet", CONDUCT).to_pylist()
    assert kept == rows and {row["value"] for row in kept} == set(hostile(7, first))
    lines = [estimate(model) for model in hostile(3, first + 7)]
    check_table(table_spending(spent, lines, 10.0, True))
    check_table(table_models(rows, spent, lines, True))


@pytest.mark.parametrize("first", FIRST)
def test_the_lines_of_an_estimate_stay_lines(
    first: int, capsys: pytest.CaptureFixture[str]
) -> None:
    models = hostile(7, first)
    lines = [estimate(model) for model in models]
    protocol = {"repairs": 1, "session_attempts": 2, "max_tokens": 100}
    said = quote.describe(lines, name="mine", protocol=protocol, prices=models[0])
    say(said)
    told = capsys.readouterr().out
    assert len(told.splitlines()) == len(said)
    assert all(character.isprintable() or character in "\n\u200b\u200d\ufeff" for character in told)
