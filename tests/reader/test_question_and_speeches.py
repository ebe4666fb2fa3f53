"""Above a debate stand its question and what may be answered; what is no speech is folded."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from browsing import Browser
from dissensus.cli import main
from dissensus.keep.reader import Writer
from dissensus.report.declared import Measure, Reader
from dissensus.report.pages.reader import Estimated, reader_page
from dissensus.tables.artefact import Column, Schema, read, write
from dissensus_studies.language.study import Language
from reader.small_run import configuration, run_sessions
from support import ROOT

ASIDE = "Con First Speaker"
METRICS = Schema(
    name="metrics",
    row="session",
    columns={
        "session_id": Column("string", "Names the session."),
        "given_up": Column("int?", "Answers given up.", "count"),
        "said": Column("int", "Answers said.", "count"),
    },
    key=("session_id",),
)
ANSWERS = ["It <b>should</b>", "It should not"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two draws, whose second speakers are taken for no speech."""
    folder = tmp_path_factory.mktemp("question")
    (folder / "resources").symlink_to(ROOT / "resources")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        measures = (
            Measure("metrics", "said", "Said"),
            Measure("metrics", "given_up", "Given up", "most that gave up"),
            Measure("metrics", "said", "Said again", "most that said it"),
        )
        declared = replace(
            Language.reader, aside=(ASIDE,), measures=measures, details="reader.small_run:details"
        )
        patch.setattr(Language, "reader", declared)
        patch.setattr(Reader, "answers", lambda *_: ANSWERS)
        sessions = run_sessions(Path("results/demo"), configuration())
        values = zip(sorted(sessions.rows), (0, 1, 3, None), strict=True)
        rows = [{"session_id": name, "given_up": value, "said": 0} for name, value in values]
        write("results/demo/language/metrics.parquet", METRICS, rows, {})
        registry = configuration().registry(Path("results/demo"), "test")
        Writer(sessions, registry).write(Path("results/demo/reader/language"), simulated=True)
    page = folder / "results/demo/reader/index.html"
    page.write_text(reader_page("demo", {"language": Estimated()}, True), encoding="utf-8")
    return folder


def test_the_command_prints_the_motion_of_the_session_s_language(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(place)
    manifest = read("results/demo/language/manifest.parquet").to_pylist()
    motions = {m["motion_id"]: m for m in read("results/demo/language/pool.parquet").to_pylist()}
    for row in manifest:
        assert main(["read", row["session_id"]]) == 0
        said = capfdbinary.readouterr().out.decode()
        own, other = (
            motions[row["motion_id"]][f"motion_{language}"]
            for language in sorted(("en", "zh"), key=lambda each: each != row["language"])
        )
        assert said.index(own) < said.index("Turn 1") and other not in said


def test_a_draw_is_answered_by_its_sessions(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    assert main(["read", "d001"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("d001 is a draw; name a session of it: ")
    assert "d001-en" in said and "d001-zh" in said


def test_of_a_draw_that_several_runs_have_each_session_is_named_once(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for run in ("one", "two"):
        folder = tmp_path / "results" / run / "language"
        (folder / "transcripts").mkdir(parents=True)
        shutil.copy(place / "results/demo/language/manifest.parquet", folder)
    monkeypatch.chdir(tmp_path)
    assert main(["read", "d001"]) == 1
    assert capsys.readouterr().err.count("d001-en") == 1


def test_answers_are_listed_and_what_is_no_speech_is_folded(browser: Browser, place: Path) -> None:
    with browser.open_again(place / "results/demo/reader/index.html") as opened:
        opened.page.wait_for_selector("#count")
        opened.page.evaluate("location.hash = '#/language/d001-en'")
        opened.page.wait_for_selector("h1:has-text('d001-en')")
        assert opened.page.locator(".options li").all_text_contents() == ANSWERS
        hidden = opened.page.locator(f"article[data-role='{ASIDE}']")
        assert hidden.count() == 2 and not hidden.first.is_visible()
        speeches = opened.page.locator("nav.speeches a")
        assert speeches.count() == 6 and ASIDE not in " ".join(speeches.all_text_contents())
        # An address leads into what is folded.
        opened.page.evaluate("(to) => { location.hash = to; }", "#/language/d001-en/t2")
        hidden.first.wait_for(state="visible")
        assert not opened.said


def test_a_debate_to_begin_with_has_the_most_of_what_a_study_names(
    browser: Browser, place: Path
) -> None:
    with browser.open_again(place / "results/demo/reader/index.html") as opened:
        for address in ("#/", "#/?study=language"):
            opened.page.evaluate("(to) => { location.hash = to; }", address)
            opened.page.wait_for_selector("#count")
            named = opened.page.locator("a:has-text('most that gave up')")
            assert named.text_content() == "most that gave up (d002-en)"
            assert named.get_attribute("href") == "#/language/d002-en"
            # Nobody has any of it.
            assert opened.page.locator("a:has-text('most that said it')").count() == 0


def test_what_stands_below_a_debate_is_one_key_away(browser: Browser, place: Path) -> None:
    with browser.open_again(place / "results/demo/reader/index.html") as opened:
        opened.page.evaluate("location.hash = '#/language/d001-en'")
        opened.page.wait_for_selector("h1:has-text('d001-en')")
        buttons = opened.page.locator("p:has-text('Below the debate:') button")
        assert buttons.all_text_contents() == ["What was found"]
        for title in buttons.all_text_contents():
            part = opened.page.locator("details.part", has_text=title).first
            opened.page.evaluate("scrollTo(0, 0)")
            assert part.bounding_box()["y"] > opened.page.viewport_size["height"]
            buttons.filter(has_text=title).press("Enter")
            assert 0 <= part.bounding_box()["y"] < opened.page.viewport_size["height"]
            assert part.evaluate("(one) => one.contains(document.activeElement)")
