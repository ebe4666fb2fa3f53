"""The page of labels in a real browser, from a file, with the network off."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from browsing import Browser, Opened
from dissensus.report.pages.labelling import labelling_page
from hostile_texts import HOSTILE

SCALE = ["yes", "no", "=1+1"]
TEXTS = list(zip(("bcdf", "ghjk", "lmnp"), HOSTILE, strict=False))


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Opened]:
    path = tmp_path / "sample.html"
    path.write_text(labelling_page("Is it <b>sound</b>?", SCALE, TEXTS, True), "utf-8")
    with browser.open(path) as tab:
        yield tab


def saved(opened: Opened) -> str:
    with opened.page.expect_download() as download:
        opened.page.click("text=Save the table")
    return Path(download.value.path()).read_text("utf-8")


def test_a_person_reads_clicks_and_saves_a_table(opened: Opened) -> None:
    page = opened.page
    assert saved(opened) == "id,label\n"
    assert opened.texts("legend") == ["Is it <b>sound</b>?"]
    assert opened.texts(".text") == [TEXTS[0][1]]
    page.click("label:has-text('no')")
    page.click("text=Next")
    assert opened.texts("h1") == ["Text 2 of 3"] and opened.texts(".text") == [TEXTS[1][1]]
    assert page.evaluate("document.activeElement.tagName") == "H1"
    # By keys alone; then another mind.
    page.keyboard.press("1")
    page.keyboard.press("3")
    assert page.locator("input:checked").get_attribute("value") == "=1+1"
    assert opened.texts("#said") == ["2 of 3 have a label."]
    rows = list(csv.reader(io.StringIO(saved(opened))))
    # What was not reached is not in it, and no cell is a formula.
    assert rows == [["id", "label"], ["bcdf", "no"], ["ghjk", "'=1+1"]]
    page.click("text=Back")
    assert page.locator("input:checked").get_attribute("value") == "no"
    assert opened.quiet()


def test_what_was_left_out_has_no_label_in_the_table(opened: Opened) -> None:
    page = opened.page
    page.click("text=Next")
    page.keyboard.press("2")
    assert saved(opened) == 'id,label\nbcdf,\nghjk,"no"\n'
    # It goes on where it was left.
    page.reload()
    assert opened.texts("h1") == ["Text 1 of 3"] and opened.texts("#said") == [
        "1 of 3 have a label."
    ]
