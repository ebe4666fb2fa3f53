"""The reader in a real browser, from a file, with the network off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from browsing import Browser, Opened
from dissensus.report.reader_page import reader_page
from dissensus.study import reader
from dissensus.study.reader import Played, Writer
from dissensus.tables.artefact import read
from hostile_texts import HOSTILE
from reader.small_run import configuration, run_sessions
from support import ROOT

#: Said by one debate alone, in full width and another case than it is looked for.
WORD = "ＵＮＩＱＵＥ 词"
RIGHT_TO_LEFT = "\u202egnp.exe\u200b"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two draws and its reader; in one of its debates every text attacks, one is lost."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "resources").symlink_to(ROOT / "resources")
    run = Path("results/demo")
    original = reader.played

    def changed(sessions: reader.Sessions, row: reader.Row, registry: object) -> Played:
        one = original(sessions, row, registry)  # type: ignore[arg-type]
        if row["session_id"] == "d002-en":
            lost = {"session_attempts": 1, "failure": "turn 2: timeout"}
            calls = [dict(call) for call in one.calls[:2]]
            calls[-1] |= {"error": "timeout", "faults": ["rate limit"]}
            calls[-1] |= {"faults_said": ["Slow down.", "<b>Gateway</b> said no"]}
            return Played([], one.attempts[:2], calls, lost, one.requests[:2])
        if row["session_id"] != "d002-zh":
            return one
        texts = [*HOSTILE, RIGHT_TO_LEFT, WORD]
        count = len(one.turns)
        turns = [
            {**turn, "text": "\n".join(texts[n::count]), "speaker": turn["speaker"]}
            for n, turn in enumerate(one.turns)
        ]
        return replace(one, turns=turns)

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(reader, "played", changed)
        sessions = run_sessions(run, configuration())
        registry = configuration().registry(run, "test")
        found = [{"kind": "headline", "sentence": "It does: 1 [0, 2]."}]
        Writer(sessions, registry, found).write(run / "reader/language", simulated=True)
    page = folder / "results/demo/reader/index.html"
    page.write_text(reader_page("demo", ["language"], simulated=True), encoding="utf-8")
    return page


@pytest.fixture
def opened(browser: Browser, place: Path) -> Iterator[Opened]:
    with browser.open(place) as found:
        found.page.wait_for_selector("#count")
        yield found


def go(opened: Opened, address: str, heading: str) -> None:
    opened.page.evaluate("(to) => { location.hash = to; }", address)
    opened.page.wait_for_selector(f"h1:has-text('{heading}')")


def quiet(opened: Opened) -> bool:
    """Whether nothing was refused or said, and only files beside the page were asked for."""
    refused = opened.page.evaluate("window.refused")
    beside = opened.asked[0].rpartition("/")[0]
    return not opened.said and not refused and all(one.startswith(beside) for one in opened.asked)


def test_from_the_list_to_what_a_model_was_sent_by_keys_alone(opened: Opened, place: Path) -> None:
    page = opened.page
    assert opened.texts("#count") == ["4 of 4 debates."]
    page.select_option("select[name=study]", "language")
    page.select_option("select[name=language]", "zh")
    assert opened.texts("tbody td:first-child") == ["d001-zh", "d002-zh"]
    page.focus("tbody a >> nth=0")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:has-text('language d001-zh')")
    turns = read(place.parents[1] / "language/transcripts/d001-zh.parquet").to_pylist()
    assert opened.texts("article[id] > .text") == [turn["text"] for turn in turns]
    page.focus("article[id] .asked summary >> nth=0")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=which is the journal's")
    assert "You must write in Simplified Chinese only." in opened.texts(".message .text")[0]
    assert quiet(opened)


def test_addresses_pairs_and_a_lost_debate(opened: Opened) -> None:
    go(opened, "#/language/d001-en/t4", "language d001-en")
    assert opened.page.evaluate("document.activeElement.id").startswith("t4-")
    go(opened, "#/language/d001", "en beside zh")
    assert opened.page.locator(".pair tbody tr").count() == 8
    go(opened, "#/language/d002-en", "language d002-en")
    said = opened.page.locator(".lost").text_content()
    assert "Lost for good: turn 2: timeout." in said and "It does: 1 [0, 2]." in said
    tries = opened.texts("article .broken li")
    assert tries[-2:] == [
        "Try 1 failed: rate limit, “Slow down.”",
        "Try 2 failed: timeout, “<b>Gateway</b> said no”",
    ]
    go(opened, "#/language/nothing", "Not here")
    assert quiet(opened)


def test_search_finds_all_writings_and_texts_that_attack_do_nothing(opened: Opened) -> None:
    page = opened.page
    page.fill("input[name=q]", "unique 词")
    page.keyboard.press("Enter")
    page.wait_for_selector("#count:has-text('1 of 4')")
    assert opened.texts("table.list mark") == [WORD]
    page.click("table.list a")
    page.wait_for_selector("h1:has-text('d002-zh')")
    assert opened.texts("article mark") == [WORD]
    page.click("button:has-text('Open all')")
    shown = "\n".join(opened.texts("article .text"))
    for text in HOSTILE:
        if text.isascii() and text.replace("\n", "").isprintable():
            assert text.strip() in shown
    assert "[U+202E]gnp.exe[U+200B]" in shown
    unwanted = "main :is(iframe, img, object, embed, script, style, svg), main a:not([href^='#'])"
    assert page.locator(unwanted).count() == 0
    assert quiet(opened)


def test_it_fits_a_telephone_and_prints_with_its_banner(browser: Browser, place: Path) -> None:
    with browser.open(place, width=390, height=800) as opened:
        go(opened, "#/language/d001-zh", "d001-zh")
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
        opened.page.emulate_media(media="print")
        assert opened.page.locator(".banner").is_visible()
        assert not opened.page.locator("form").first.is_visible()
        assert opened.page.locator("article[id]").count() == 8
