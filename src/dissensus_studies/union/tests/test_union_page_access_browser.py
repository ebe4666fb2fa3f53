"""The page of the map for everybody: by keys, on any screen, on paper, whatever its texts say."""

from __future__ import annotations

from pathlib import Path

import pytest

from browsing import Browser
from dissensus.report.escaping import line, plain
from hostile_texts import hostile

from .union_maps import claims, clusters
from .union_page import Open, opener

#: What turns the direction of writing and is not replaced, as a claim may have it.
RIGHT_TO_LEFT = "\u200fעברית\u200f, \u061cالعربية, then =cmd|' /C calc'!A0 \u2028 </script>"
#: The lowest contrast of a text with what it stands on, of all that is seen.
CONTRAST = """() => {
  const part = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) =>
    0.2126 * part(r / 255) + 0.7152 * part(g / 255) + 0.0722 * part(b / 255);
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const found = numbers(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  let least = 21;
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest("svg, script")) continue;
    const pair = [light(numbers(getComputedStyle(e).color)), light(behind(e))].sort();
    least = Math.min(least, (pair[1] + 0.05) / (pair[0] + 0.05));
  }
  return least;
}"""
#: Texts of drawings that stick out of them, or lie over one another.
CROWDED = """() =>
  [...document.querySelectorAll("figure .main-svg, #map .main-svg")].flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  const boxes = [...svg.querySelectorAll("text")].filter((t) => t.textContent.trim())
    .map((t) => ({ text: t.textContent,
      turned: /rotate\\((?!0)/.test(t.getAttribute("transform") ?? ""),
      ...t.getBoundingClientRect().toJSON() }));
  const out = boxes.filter((b) => b.left < frame.left - 1 || b.right > frame.right + 1
    || b.top < frame.top - 1 || b.bottom > frame.bottom + 1);
  const over = boxes.filter((a, i) => !a.turned && boxes.some((b, j) => j > i && !b.turned
    && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3));
  return [...out, ...over].map((b) => b.text);
})"""


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Open:
    return opener(browser, tmp_path)


def test_all_can_be_reached_with_keys_alone(show: Open) -> None:
    with show(claims(200)) as opened:
        page = opened.page
        focused = "() => document.activeElement.id || document.activeElement.dataset.cluster || ''"
        reached = []
        for _ in range(40):
            page.keyboard.press("Tab")
            reached.append(page.evaluate(focused))
            if reached[-1] == "2":
                break
        assert reached.index("motion") < reached.index("colour") < reached.index("2")
        page.keyboard.press("Enter")
        assert page.evaluate(focused) == "panel-title"
        for _ in range(2):
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "claims"
        page.keyboard.press("Escape")
        assert page.evaluate(focused) == "2"
        page.focus("#colour")
        page.keyboard.type("Surv")
        assert page.locator("#colour").input_value() == "fate"
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert page.locator("#legend [aria-pressed=true]").count() == 1
        assert opened.quiet()


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_texts_that_attack_are_shown_and_do_nothing(show: Open, first: int) -> None:
    texts = (*hostile(15, first), RIGHT_TO_LEFT)
    rows = claims(64)
    for number, row in enumerate(rows):
        text = texts[number % len(texts)]
        row |= {"text": text, "cluster": number % len(texts) + 1, "cluster_name": text}
        row |= {"claim_id": text, "session_id": text, "speaker": texts[number // 16 % 3]}
    motions = {"lottery": texts[1], "memory": texts[2]}
    with show(rows, motions=motions) as opened:
        assert opened.texts("#list button > span:nth-child(2)") == [line(text) for text in texts]
        assert opened.texts("#motion option")[1:] == [line(text) for text in motions.values()]
        assert opened.texts("p.motion") == [line(text) for text in motions.values()]
        for number, text in enumerate(texts):
            opened.page.click(f"#list button >> nth={number}")
            assert set(opened.texts("#cluster .claims p")) == {plain(text)}
            assert opened.texts("#cluster blockquote") == [plain(text)]
            opened.page.click("#back")
        for colour in ("speaker", "side"):
            opened.page.select_option("#colour", colour)
        names = opened.texts("#survival .ytick text")
        for number, (text, name) in enumerate(zip(texts, names, strict=True), start=1):
            begin = f"{number} {line(text)}".strip()[:16]
            assert _visible(name)[:10] == _visible(begin)[:10]
        unwanted = "iframe, img, image, object, embed, svg a, td script, body style"
        unwanted += ", a[href]:not(.skip, .files a)"
        assert opened.page.locator(unwanted).count() == 0
        assert opened.quiet()


def _visible(text: str) -> str:
    """Without blanks, which drawings treat in their own way."""
    return "".join(text.split())


@pytest.mark.parametrize(("width", "height"), [(400, 800), (768, 900), (1280, 900)])
def test_it_fits_any_screen_and_can_be_read(show: Open, width: int, height: int) -> None:
    with show(claims(), width=width, height=height) as opened:
        page = opened.page
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CONTRAST) >= 4.5
        assert page.evaluate(CROWDED) == []
        page.select_option("#colour", "speaker")
        page.click("#list button >> nth=0")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CONTRAST) >= 4.5
        unnamed = page.locator("button, select, [role=group]").evaluate_all(
            "(all) => all.filter((e) => !(e.textContent.trim() || e.ariaLabel || e.title"
            " || e.labels?.length || e.getAttribute('aria-labelledby') || e.dataset.title)).length"
        )
        assert unnamed == 0
        assert opened.quiet()


def test_the_table_needs_no_scripts(show: Open) -> None:
    rows = claims(200)
    with show(rows, scripts=False) as opened:
        page = opened.page
        table = page.locator("#table_clusters")
        assert table.is_visible() and not page.locator("#application").is_visible()
        assert page.get_by_text("need scripts").is_visible()
        body = [row.split("\t") for row in table.locator("tbody tr").all_inner_texts()]
        assert [(row[2], row[3]) for row in body] == [
            (one["name"], str(one["claims"])) for one in clusters(rows)
        ]


def test_print_shows_all_claims_of_the_panel_and_no_controls(show: Open) -> None:
    with show(claims(200)) as opened:
        page = opened.page
        page.click("#list button >> nth=1")
        page.emulate_media(media="print")
        inside = "(e) => [e.scrollHeight, e.clientHeight]"
        whole, seen = page.locator("#cluster .claims").evaluate(inside)
        assert whole <= seen + 1
        assert not page.locator("#back").is_visible()
        assert page.locator(".banner").is_visible()
        assert page.pdf().startswith(b"%PDF")
        assert opened.quiet()


def test_a_drawing_can_be_saved_without_a_network(show: Open, tmp_path: Path) -> None:
    with show(claims(100)) as opened:
        page = opened.page
        page.hover("#map")
        with page.expect_download() as saved:
            page.locator("#map .modebar-btn[data-title*='Download']").click()
        saved.value.save_as(tmp_path / "map.svg")
        assert saved.value.suggested_filename == "map.svg"
        assert "<svg" in (tmp_path / "map.svg").read_text(encoding="utf-8")
