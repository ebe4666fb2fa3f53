"""A study's page: findings, what stands against them, figures, tables, and links to debates."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from browsing import Browser
from dissensus.report.escaping import plain
from dissensus.report.findings import Bar, Card
from dissensus.report.pages.files import _stated
from dissensus.report.pages.part import Further, Part, Place, Shown
from dissensus.report.pages.study import study_page
from dissensus.report.style import new_figure, save_svg, says
from dissensus.report.tables import as_html, as_page, make, narrowed, parts
from hostile_texts import hostile


def table(name: str, *cells: str) -> str:
    return as_html(
        make(name, f"Title of {name}", ("Session",), [(c,) for c in cells], "Note.", False)
    )


ROW = {"estimate": 1.0, "ci_low": 0.5, "ci_high": 1.5}
CARD = Card("It does: 1 [0, 2].", "But it may not.", [Bar("arm", ROW)], "points")


def part(**changes: object) -> Part:
    given: dict[str, object] = {
        "name": "own",
        "question": "Does it?",
        "design": "By design.",
        "sentences": {"headline": ["It does: 1 [0, 2]."], "against": ["Or not."]},
        "figures": [
            Shown("one", "Figure 1", True, "A **bold** caption."),
            Shown("two", "2", False, "x"),
        ],
        "tables": [Shown("t", "t", True, table("t", "d001-en", "other"))],
        "places": {},
        "card": CARD,
    }
    return Part(**(given | changes))  # type: ignore[arg-type]


def test_what_was_predicted_of_the_model_stands_beside_what_came_of_it() -> None:
    verdict = "rating, told-plain: not confirmed: <b>it</b> does not transfer."
    page = study_page("own", part(deviations=(), confirmed=(verdict,)), True)
    assert "not confirmed: &lt;b&gt;it&lt;/b&gt; does not transfer." in page
    assert 'href="confirmation.md"' in page and 'href="preregistration.html"' in page
    assert "confirmation.md" not in study_page("own", part(deviations=()), True)


def test_tables_come_back_from_a_page_of_tables() -> None:
    tables = [make(f"t{n}", "x", ("a",), [("1",)], "n", False) for n in range(3)]
    assert parts(as_page(tables, "Title")) == {one.name: as_html(one) for one in tables}


def test_a_main_table_shows_the_columns_and_rows_that_answer_its_question() -> None:
    heads = ("Arm", "Estimate", "95% CI", "Method", "Note")
    rows = [("a", "1", "[0, 2]", "t", ""), ("b", "2", "[1, 3]", "t", ""), ("a", "9", "–", "z", "1")]
    whole = as_html(make("t", "Title", heads, rows, "Said of it.", False))
    short = narrowed(whole, ("Arm", "*% CI", "Note"), (("Method", "t"),))
    cells = re.findall(r"<t[hd](?: [^>]*)?>(.*?)</t[hd]>", short)
    assert [cell.replace("\xa0", " ") for cell in cells] == [
        *("Arm", "95% CI"),
        *("a", "[0, 2]"),
        *("b", "[1, 3]"),
    ]
    assert "Said of it." in short and "<caption>Title" in short
    # Of names that it has not, a table is as it was.
    assert narrowed(whole, ("Nothing",), (("Method", "other"),)) == whole
    page = study_page(
        "demo", part(tables=[Shown("t", "How much?", True, short, whole=whole)]), simulated=False
    )
    assert (
        page.index("<h3>How much?</h3>") < page.index(">Arm<") < page.index("All rows and columns")
    )
    assert page.count("<caption>Title") == 2


def test_the_finding_stands_first_with_what_speaks_against_it() -> None:
    page = study_page("demo", part(), simulated=True)
    order = ["It does: 1 [0, 2].", "But it may not.", "Or not.", "By design.", "<figcaption><p>A "]
    places = [page.index(words) for words in order]
    assert places == sorted(places)
    assert page.index("Simulated models") < page.index("<h1>")
    assert "Simulated models" not in study_page("demo", part(), simulated=False)
    assert (
        page.index("figures/one.svg") < page.index('<section id="appendix"') < page.index("two.svg")
    )
    assert "<strong>bold</strong>" in page


def test_what_a_figure_shows_is_said_once_above_it_and_not_in_its_caption_too() -> None:
    caption = "Means by arm.\n\nOf **a**: it is\n+0.61 ([0.25, 0.97], p < 0.001). Filled: found.\n"
    stated = "Of a: it is +0.61 ([0.25, 0.97], p < 0.001)."
    figures = [Shown("one", "Title", True, caption, stated=stated)]
    page = study_page("demo", part(figures=figures, tables=[]), simulated=False)
    assert page.count("+0.61") == 1
    assert "<p>Means by arm.</p>" in page and "<p>Filled: found.</p>" in page


@pytest.mark.parametrize(
    ("caption", "above", "below"),
    [
        ("Means.\n\nIt is 1.5. Then\nmore.\n", "It is 1.5.", ["Means.", "Then more."]),
        ("Means. It is 1.5.\n\nMore.\n", "It is 1.5.", ["Means.", "More."]),
        ("Left: means. Right: by draw (80).\n", "", ["Left: means. Right: by draw (80)."]),
        (f"It is 1.5{' and so' * 40}.\n", f"It is 1.5{' and so' * 40}.", []),
        (
            f"It is 1.5 [1, 2] (p; q); the rest is{' long' * 50}.\n",
            "It is 1.5 [1, 2] (p; q).",
            [f"The rest is{' long' * 50}."],
        ),
        (
            f"It is 1.5 [1, 2] (not *told* (yet) from{' one' * 60} (b)). Last.\n",
            "It is 1.5 [1, 2].",
            [f"Not <em>told</em> (yet) from{' one' * 60} (b). Last."],
        ),
    ],
)
def test_a_caption_goes_on_where_the_sentence_above_its_figure_ends(
    caption: str, above: str, below: list[str]
) -> None:
    stated = _stated(caption, "95%")
    figures = [Shown("one", "Title", True, caption, stated=stated)]
    page = study_page("demo", part(figures=figures, tables=[]), simulated=False)
    shown = page.partition("<figcaption>")[2].partition('<p class="files">')[0]
    assert stated == above
    # A quotation is what white space before a paragraph would make of it.
    assert "<blockquote>" not in shown
    assert [" ".join(each.split()) for each in re.findall("<p>(.*?)</p>", shown, re.S)] == below


def test_losses_marks_and_cells_link_to_their_debates() -> None:
    lost = {"headline": ["x"], "lost": ["Lost for good: d001-zh (turn 3: timeout)."]}
    marks = {"one": [Place(0.25, 0.5, "d001")]}
    debates = frozenset({"d001-zh", "d001-en", "d001"})
    page = study_page("demo", part(sentences=lost, places=marks, debates=debates), simulated=False)
    link = '<a href="../reader/index.html#/own/{0}">{0}</a>'
    assert f"Lost for good: {link.format('d001-zh')} (turn 3: timeout)." in page
    assert re.search(
        'left:25.00%;top:50.00%"[^>]* href="../reader/index.html#/own/d001" title="d001"', page
    )
    assert f"<td>{link.format('d001-en')}</td>" in page
    assert "<td>other</td>" in page


def test_every_link_leads_to_something_that_the_run_has() -> None:
    page = study_page("demo", part(), simulated=False)
    ids = set(re.findall(r'id="([^"]+)"', page))
    for target in re.findall(r'href="([^"]+)"', page):
        if target.startswith("#"):
            assert target[1:] in ids
        elif target not in ("../index.html",) and not target.startswith("../reader/index.html"):
            files = r"figures/\w+\.(svg|png)|tables/\w+\.(csv|md|tex)|columns\.html"
            assert re.fullmatch(files, target)


def test_figures_and_tables_lead_to_the_columns_that_they_are_made_from() -> None:
    figures = [Shown("one", "Title", True, "x", reads=["metrics", "turns"])]
    tables = [Shown("t", "t", True, table("t", "d"), reads=["metrics"])]
    page = study_page("demo", part(figures=figures, tables=tables), simulated=False)
    link = '<a href="columns.html#metrics">metrics.parquet</a>'
    assert page.count(f"made from {link}") == 2
    assert f'made from {link}, <a href="columns.html#turns">turns.parquet</a>' in page


def test_an_appendix_counts_what_it_has() -> None:
    plain = [Shown(name, name, False, "x") for name in ("one", "two", "three")]
    tables = [Shown(name, name, False, table(name, "d")) for name in ("t", "u")]
    for figures, rows, said in (
        (plain, tables, "2 figures, 1 table"),
        (plain[:1], tables, "1 table"),
        (plain, [], "2 figures"),
    ):
        page = study_page("demo", part(figures=figures, tables=rows), simulated=False)
        assert f"<summary>{said}<" in page


@pytest.mark.parametrize(("rows", "hidden"), [(15, False), (24, False), (60, True)])
def test_only_a_long_table_scrolls(
    browser: Browser, tmp_path: Path, rows: int, hidden: bool
) -> None:
    cells = [f"row {number}" for number in range(rows)]
    path = tmp_path / "index.html"
    shown = part(figures=[], tables=[Shown("t", "t", True, table("t", *cells))])
    path.write_text(study_page("demo", shown, simulated=False), encoding="utf-8")
    with browser.open_again(path) as opened:
        box = "document.querySelector('.table .wide')"
        height, all_of_it = opened.page.evaluate(f"[{box}.clientHeight, {box}.scrollHeight]")
        cue = opened.page.locator(".cue").is_visible()
    assert (height < all_of_it) == hidden == cue


def test_a_table_that_goes_on_beyond_its_frame_says_so(browser: Browser, tmp_path: Path) -> None:
    heads = tuple(f"A long header, number {number}" for number in range(12))
    wide = as_html(make("t", "Title", heads, [tuple("1" for _ in heads)], "Note.", False))
    path = tmp_path / "index.html"
    shown = part(figures=[], tables=[Shown("t", "", True, wide)])
    path.write_text(study_page("demo", shown, simulated=False), encoding="utf-8")
    with browser.open_again(path, width=700) as opened:
        assert opened.page.locator(".cue").inner_text() == "Scroll for more →"


def test_without_main_figures_the_first_is_shown() -> None:
    plain = [Shown("one", "1", False, "x"), Shown("two", "2", False, "x")]
    page = study_page("demo", part(figures=plain, tables=[]), simulated=False)
    assert page.index("one.svg") < page.index('<section id="appendix"') < page.index("two.svg")


def test_texts_that_attack_stay_texts() -> None:
    for text in hostile(12):
        attacked = part(
            question=text,
            design=text,
            sentences={"headline": [text], "against": [text], "planted": [text]},
            tables=[Shown("t", "t", True, table("t", text))],
        )
        page = study_page("demo", attacked, simulated=False)
        tags = set(re.findall(r"<(\w+)", page.replace("\n", " ")))
        own = re.findall(r"<(\w+)", study_page("demo", part(), simulated=False))
        assert tags <= {*own, "span"}
        said = re.search("<strong>(.*?)</strong>", page, re.DOTALL)
        assert said and unescape(said[1]).strip()


def drawn(folder: Path, *words: str) -> str:
    """A figure whose marks say these words."""
    figure = Figure(figsize=(6, 3))
    (dots,) = figure.subplots().plot(range(len(words)), range(len(words)), "o", markersize=4)
    says(dots, *words)
    save_svg(figure, folder / "a.svg", "Title", "Words for it")
    return (folder / "a.svg").read_text("utf-8")


def test_values_of_a_figure_are_said_to_a_pointer_and_to_arrow_keys(
    browser: Browser, tmp_path: Path
) -> None:
    svg = drawn(tmp_path, "a: 1", "b: <i>2</i>", "c: 3")
    figures = [Shown(name, name, True, "x", "Words", svg=svg) for name in ("one", "two")]
    # The last of the three marks stands for a debate.
    at = re.findall(r'<use class="says"[^>]* x="([\d.]+)" y="([\d.]+)"', svg)[2]
    place = Place(float(at[0]) / (6 * 72), float(at[1]) / (3 * 72), "d007")
    html = study_page("demo", part(figures=figures, places={"two": [place]}), simulated=False)
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    used = {*re.findall(r'xlink:href="#([^"]+)"', html), *re.findall(r"url\(#([^)]+)\)", html)}
    assert used <= set(ids)
    path = tmp_path / "index.html"
    path.write_text(html, encoding="utf-8")
    with browser.open_again(path) as opened:
        page, tips = opened.page, opened.page.locator(".tip")
        second = page.locator(".picture").nth(1)
        second.scroll_into_view_if_needed()
        box = second.locator(".says").nth(1).bounding_box()
        page.mouse.move(box["x"] + 6, box["y"] + 1)
        assert tips.all_text_contents() == ["", "b: <i>2</i>"]
        page.mouse.move(0, 0)
        second.focus()
        for key, said in (("ArrowRight", "a: 1"), ("ArrowLeft", "c: 3"), ("Escape", "")):
            page.keyboard.press(key)
            assert tips.nth(1).text_content() == said
        page.evaluate(
            "window.opened = []; addEventListener('click', (event) => {"
            " event.preventDefault(); opened.push(event.target.getAttribute('aria-label')); })"
        )
        for key in ("Enter", "ArrowLeft", "Enter", "ArrowLeft", "Enter"):
            page.keyboard.press(key)
        assert page.evaluate("window.opened") == ["d007"]
        assert opened.quiet()


def test_further_pages_of_text_are_read_where_they_are_named() -> None:
    extra = [Further("Memos", "memos.md", "## To A\n\n<b>Ask</b>"), Further("A map", "map.html")]
    page = study_page("demo", part(extra=extra), simulated=False)
    assert '<a href="#own-memos.md">Memos</a>' in page and 'id="own-memos.md"' in page
    assert "<b>To A</b>\n\n&lt;b&gt;Ask&lt;/b&gt;</pre>" in page
    assert '<a href="map.html">A map</a></h3></section>' in page.replace("\n", "")


def test_texts_that_attack_stay_texts_in_a_figure_on_the_page(
    browser: Browser, tmp_path: Path
) -> None:
    texts = [plain(text) for text in hostile(12)]
    figure = new_figure(3.0, simulated=True)
    axes = figure.subplots()
    for place, text in enumerate(texts):
        axes.text(0, place, text)
        says(*axes.plot([place], [place], "o"), text)
    save_svg(figure, tmp_path / "a.svg", texts[0], " ".join(texts))
    svg = (tmp_path / "a.svg").read_text("utf-8")
    shown = Shown("one", "Figure", True, "x", " ".join(texts), svg=svg)
    path = tmp_path / "index.html"
    path.write_text(study_page("demo", part(figures=[shown]), simulated=True), encoding="utf-8")
    with browser.open_again(path) as opened:
        every = "[...new Set([...document.querySelectorAll('.picture *')].map((x) => x.localName))]"
        assert set(opened.page.evaluate(every)) <= {
            *("svg", "g", "path", "use", "defs", "text", "tspan", "clipPath", "rect", "p"),
        }
        assert opened.quiet()


@pytest.mark.parametrize(("columns", "width"), [(8, 718), (10, 1046)])
def test_a_wide_table_is_printed_whole_and_breaks_no_word(
    browser: Browser, tmp_path: Path, columns: int, width: int
) -> None:
    """``width`` is that between the margins of A4; a table of more than ten columns lies."""
    heads = ("Team", *(f"Proposition {number}" for number in range(columns)))
    cells = ("deferring", *["0.618 [−0.103, 0.190] †", "share for slot A"] * (columns // 2))
    wide = make("t", "Title", heads, [cells] * 3, "Note.", False)
    whole = study_page(
        "demo", part(figures=[], tables=[Shown("t", "t", True, as_html(wide))]), False
    )
    for name, page in (("study", whole), ("tables", as_page([wide], "Tables"))):
        path = tmp_path / f"{name}.html"
        path.write_text(page, encoding="utf-8")
        with browser.open(path, width=width, height=1000) as opened:
            opened.page.emulate_media(media="print")
            assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
            lies, size = opened.page.locator("table").first.evaluate(
                "(table) => [[...document.querySelectorAll('.table, body')]"
                ".some((each) => getComputedStyle(each).page === 'wide'),"
                " parseFloat(getComputedStyle(table).fontSize) * .75]"
            )
            assert lies == (columns >= 10) and size >= 6.5
            lines = opened.page.locator("table").first.evaluate(
                "table => [...table.rows].slice(0, 2).flatMap((row) => [...row.cells])"
                ".map((cell) => { const text = document.createTreeWalker(cell, 4).nextNode();"
                " const all = document.createRange(); all.selectNodeContents(text);"
                " return new Set([...all.getClientRects()].map((each) => each.top)).size; })"
            )
            words = [len(text.split()) for text in (*heads, *cells)]
            assert [n > most for n, most in zip(lines, words, strict=True)] == [False] * len(words)
