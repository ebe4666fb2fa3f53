"""The front page of a run: cards, what was planted, and where everything is."""

from __future__ import annotations

import re
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from browsing import Browser
from dissensus.report.findings import Bar, Card
from dissensus.report.pages.cards import MOST_BARS, picture
from dissensus.report.pages.front import Run, front_page
from dissensus.report.pages.part import Part
from hostile_texts import hostile

RUN = Run("demo", 7, "1 May 2026", 3, None, simulated=True)


def row(estimate: float, low: float, high: float) -> dict[str, float]:
    return {"estimate": estimate, "ci_low": low, "ci_high": high}


def card(rows: int = 2, **changes: Any) -> Card:
    given = {
        "finding": "It does: +1.00 [0.50, 1.50], 9 draws.",
        "but": "But it may not.",
        "bars": [Bar(f"arm {n}", row(1.0 + n, 0.5 + n, 1.5 + n)) for n in range(rows)],
        "axis": "points",
    }
    return Card(**{**given, **changes})


def part(name: str = "own", **changes: Any) -> Part:
    given = {"question": "Does it?", "design": "", "sentences": {}, "figures": [], "tables": []}
    return Part(**{"name": name, **given, "places": {}, "card": card(), **changes})


def effect(planted: float, estimate: float, found: bool) -> dict[str, Any]:
    return {
        **{"study": "own", "effect": "a − b", "planted": planted, "planted_se": 0.0, "none": 0.0},
        **{"ci_low": estimate - 0.2, "ci_high": estimate + 0.2, "estimate": estimate},
        **{"p_value": 0.01, "p_adjusted": None, "n": 9, "power": 0.95, "found": found},
    }


def test_each_study_has_a_card_with_question_finding_picture_and_objection() -> None:
    page = front_page(RUN, [part(), part("other", total=5, lost=2)])
    cards = re.findall('<article class="card".*?</article>', page, re.DOTALL)
    assert len(cards) == 2
    for name, text in zip(("own", "other"), cards, strict=True):
        said = ["Does it?", "It does: +1.00", "+1.00 [0.50, 1.50]", "But it may not.", "Debates"]
        assert [text.index(words) for words in said] == sorted(text.index(w) for w in said)
        assert f'href="{name}/index.html"' in text
    assert "5 sessions · 2 lost · 3 simulated models · nothing spent" in page
    assert "$1.50 spent" in front_page(Run("r", 1, usd=1.5), [part()])
    assert "imulated" not in front_page(Run("r", 1, usd=1.5), [part()])


def test_a_picture_draws_the_estimates_where_they_are() -> None:
    bars = [Bar("low", row(-1.0, -2.0, 0.0)), Bar("again", row(1.0, 0.0, 2.0), is_null=True)]
    drawn = picture(bars, "points")
    at = [float(left) for left in re.findall(r'class="dot" style="left:([\d.]+)%', drawn)]
    (zero,) = {float(left) for left in re.findall(r'class="zero" style="left:([\d.]+)%', drawn)}
    # Zero is in the middle of -1 and 1, and 2 is as far from 1 as 1 is from it.
    assert zero == pytest.approx(50.0) and sum(at) == pytest.approx(100.0)
    spans = re.findall(r'class="ci" style="left:([\d.]+)%;width:([\d.]+)%', drawn)
    assert float(spans[0][0]) + float(spans[0][1]) == pytest.approx(zero, abs=0.02)
    assert drawn.count('class="row null"') == 1 and "which differ by chance" in drawn
    assert "chance" not in picture(bars[:1], "points")


def test_rows_without_an_interval_are_not_drawn_and_further_ones_are_counted() -> None:
    nan = float("nan")
    assert (
        picture([Bar("x", row(1.0, nan, nan)), Bar("y", row(1.0, 0.0, 2.0))], "").count(
            'class="row"'
        )
        == 1
    )
    many = picture([Bar(str(n), row(n, n - 1, n + 1)) for n in range(MOST_BARS + 4)], "")
    assert many.count('class="row"') == MOST_BARS and "4 more in the tables" in many


@pytest.mark.parametrize("width", [0.001, 0.3, 7.0, 12_345.0])
def test_an_axis_has_three_to_six_round_values(width: float) -> None:
    drawn = picture([Bar("x", row(width, width / 2, width))], "")
    (axis,) = re.findall('<div class="axis">(.*?)</div>', drawn)
    ticks = [float(text) for text in re.findall(r">([\d.]+)<", axis)]
    assert 2 <= len(ticks) <= 7 and ticks[0] == 0.0
    steps = {round((b - a) / (ticks[1] - ticks[0]), 6) for a, b in pairwise(ticks)}
    assert steps == {1.0}


def test_planted_effects_stand_apart_from_those_planted_to_be_none() -> None:
    page = front_page(RUN, [part()], [effect(0.5, 0.6, True), effect(0.0, 0.1, False)])
    assert "Of 1 effect planted" in page
    assert page.index("Planted</p>") < page.index("Planted to be none: 1, of which 0 found<")
    (first, _) = re.findall(r'class="true" style="left:([\d.]+)%', page)
    (zero, *_) = re.findall(r'class="zero" style="left:([\d.]+)%', page)
    assert float(first) > float(zero)


def test_the_command_on_the_page_names_a_session_its_run_and_its_study() -> None:
    page = front_page(RUN, [part(), part("two", first="d001-en")])
    command = "dissensus read d001-en --run demo --study two --prompts"
    assert command in re.findall("<code>(.*?)</code>", page, re.DOTALL)
    assert "dissensus read" not in front_page(RUN, [part()])


def test_texts_that_attack_stay_texts() -> None:
    for text in hostile(12):
        attacked = part(
            question=text,
            card=card(finding=text, but=text, axis=text, bars=[Bar(text, row(1, 0, 2))]),
        )
        page = front_page(RUN, [attacked])
        tags = set(re.findall(r"<(\w+)", page.replace("\n", " ")))
        assert tags <= {*re.findall(r"<(\w+)", front_page(RUN, [part()])), "span"}
        said = re.search("<strong>(.*?)</strong>", page, re.DOTALL)
        assert said and unescape(said[1]).strip()


def test_it_says_what_real_models_would_cost() -> None:
    priced = [
        part("one", priced=("$4 to $16", "a.yaml")),
        part("two"),
        part("c", priced=("$7", "b.yaml")),
    ]
    page = front_page(RUN, priced)
    table = page.partition("What would real models cost?")[2].partition("</table>")
    assert re.findall(r"<t[hd](?: scope=\"col\")?>(.*?)</t", table[0]) == [
        *("one", "c", "$4 to $16", "$7", "a.yaml", "b.yaml")
    ]
    assert "By <code>snakemake --cores 1 cost" in table[2]
    # A study of one's own has no configuration with real models that is known here.
    assert "What would real models cost?" not in front_page(RUN, [part()])


@pytest.mark.parametrize(("width", "screens", "height"), [(1440, 3.0, 900), (390, 6.0, 844)])
def test_five_studies_fit_on_few_screens(
    browser: Browser, tmp_path: Path, width: int, screens: float, height: int
) -> None:
    sizes = (3, 5, 3, 3, 12)
    studies = [part(f"study{n}", card=card(rows)) for n, rows in enumerate(sizes)]
    truth = [effect(0.5, 0.6, True)] * 8 + [effect(0.0, 0.1, False)] * 6
    path = tmp_path / "index.html"
    path.write_text(front_page(RUN, studies, truth), encoding="utf-8")
    with browser.open_again(path, width=width, height=height) as opened:
        size = opened.page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        assert opened.quiet()
    assert size[0] <= width and size[1] <= screens * height


def test_a_card_leads_to_a_debate_and_the_page_to_what_it_would_cost() -> None:
    """What a model was asked is two clicks away: the debate, and what was sent in a turn."""
    page = front_page(RUN, [part(first="d001-en", priced=("$4 to $16", "a.yaml")), part("none")])
    assert page.count("One of them") == 1
    assert '<a href="reader/index.html#/own/d001-en">One of them</a>' in page
    assert "snakemake --cores 1 cost --configfile FILE" in page


def test_a_registered_direction_stands_beside_the_deviations() -> None:
    given = {"deviations": [], "direction": "not in the registered direction", "proof": "unproved"}
    page = front_page(RUN, [part(**given)])
    assert "Registered, no deviation; not in the registered direction; unproved" in page
    assert "direction" not in front_page(RUN, [part(deviations=[])])
