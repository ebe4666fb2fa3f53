"""The page of the map in a real browser with the network off."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from browsing import Browser, Opened

from .union_maps import FATES, SPEAKERS, claims, clusters
from .union_page import Open, opener

SIDES = ("proposition", "opposition")


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Open:
    return opener(browser, tmp_path)


def fills(opened: Opened) -> Counter[str]:
    """Points of the map by their colour."""
    script = "(points) => points.map((point) => getComputedStyle(point).fill)"
    return Counter(opened.page.locator("#map .scatterlayer .point").evaluate_all(script))


def listed(opened: Opened) -> dict[str, int]:
    """The list of clusters: name -> claims."""
    buttons = opened.texts("#list button > span:nth-child(2)")
    counts = [int(text.split()[0]) for text in opened.texts("#list .n")]
    return dict(zip(buttons, counts, strict=True))


def test_counts_on_the_page_are_those_of_the_table(show: Open) -> None:
    rows = claims()
    with show(rows) as opened:
        for index, motion in ((-1, None), (0, "lottery"), (1, "memory")):
            opened.page.select_option("#motion", str(index))
            own = [row for row in rows if motion in (None, row["motion_id"])]
            debates = {row["session_id"] for row in own}
            named = Counter(row["cluster_name"] for row in own if row["cluster"] >= 0)
            assert listed(opened) == named
            assert sum(fills(opened).values()) == len(own)
            assert opened.texts("#shown") == [
                f"Shown: {len(own)} claims in {len(debates)} debates, {len(named)} clusters."
            ]
        assert opened.quiet()


def test_the_table_has_the_clusters_of_the_motion_that_is_chosen(show: Open) -> None:
    rows = claims()
    found = clusters(rows)
    seen = (
        "(rows) => rows.filter((row) => row.checkVisibility()).map((row) => row.cells[2].innerText)"
    )
    with show(rows) as opened:
        for index, motion in ((1, "memory"), (0, "lottery"), (-1, None)):
            opened.page.select_option("#motion", str(index))
            there = {row["cluster"] for row in rows if motion in (None, row["motion_id"])}
            names = [row["name"] for row in found if row["cluster"] in there]
            assert opened.page.locator("#table_clusters tbody tr").evaluate_all(seen) == names
        assert opened.page.locator("#table_clusters tbody tr").count() == len(found)


def test_claims_are_found_by_their_words_and_lead_to_their_debates(show: Open) -> None:
    rows = claims()
    rows[3]["text"], rows[3]["cluster"] = "A needle in ＦＵＬＬ width 针", -1
    place = f"#/union/{rows[3]['session_id']}/claim-{rows[3]['claim_id']}"
    with show(rows) as opened:
        for words in ("NEEDLE in full", "针"):
            opened.page.fill("#word", words)
            assert opened.texts("#list .claims p") == [rows[3]["text"]]
            assert opened.texts("#shown") == ["Shown: 1 claim in 1 debate, 0 clusters."]
            link = opened.page.locator("#list .claims a")
            assert link.get_attribute("href") == f"../reader/index.html{place}"
        opened.page.fill("#word", "")
        assert opened.texts("#shown")[0].startswith(f"Shown: {len(rows)} claims")
        assert opened.quiet()


def test_the_panel_has_every_claim_and_number_of_its_cluster(show: Open) -> None:
    rows = claims()
    found = clusters(rows)
    with show(rows) as opened:
        for cluster in found:
            own = [row for row in rows if row["cluster"] == cluster["cluster"]]
            opened.page.click(f"#list button >> nth={cluster['cluster'] - 1}")
            assert opened.texts("#panel-title bdi") == [cluster["name"]]
            assert opened.texts("#cluster .claims p") == [row["text"] for row in own]
            names, values = opened.texts("#cluster dt"), opened.texts("#cluster dd")
            said = dict(zip(names, values, strict=True))
            assert said["Claims"] == str(len(own))
            for fate in FATES:
                n = sum(row["fate"] == fate for row in own)
                assert said[f"… {fate}"].startswith(f"{n} (")
            for side in SIDES:
                n = sum(row["side"] == side for row in own)
                assert said[f"… of the {side}"].startswith(f"{n} (")
            assert said["p adjusted, Holm"] in (f"{cluster['p_adjusted']:.3f}", "<0.001")
            survives = float(said["Claims that survive [95% interval]"].split("%")[0])
            assert survives == pytest.approx(100 * cluster["survives"], abs=0.051)
            opened.page.click("#back")
        assert opened.quiet()


def test_points_are_coloured_by_what_is_asked_for(show: Open) -> None:
    rows = claims(200)
    with show(rows) as opened:
        for column in ("side", "winner", "speaker", "fate"):
            counts = Counter(row[column] for row in rows)
            opened.page.select_option("#colour", column)
            assert sorted(fills(opened).values()) == sorted(counts.values())
            legend = opened.texts("#legend button")
            assert sorted(legend) == sorted(f"{value} ({n})" for value, n in counts.items())
            # One value alone: all others fade.
            opened.page.click("#legend button >> nth=1")
            clear = opened.page.locator("#map .point").evaluate_all(
                "(points) => points.filter((p) => getComputedStyle(p).opacity > 0.5).length"
            )
            assert clear == int(legend[1].rpartition("(")[2].strip(")"))
        assert opened.quiet()


def test_the_sides_differ_in_shape(show: Open) -> None:
    rows = claims(200)
    with show(rows) as opened:
        shapes = Counter(
            opened.page.locator("#map .point").evaluate_all(
                "(points) => points.map((p) => /A/.test(p.getAttribute('d')))"
            )
        )
        # Arcs are dots.
        assert shapes == Counter(row["side"] == "proposition" for row in rows)


def test_a_point_a_number_and_a_row_of_a_chart_show_their_cluster(show: Open) -> None:
    rows = claims(200)
    with show(rows) as opened:
        page = opened.page
        places = page.locator("#map .annotation-text-g")
        places.nth(3).click()
        assert page.locator("#panel-title bdi").text_content() == clusters(rows)[3]["name"]
        page.click("#back")
        page.mouse.click(*_middle(page.locator("#survival .point").nth(5)))
        assert page.locator("#panel-title bdi").text_content() == clusters(rows)[5]["name"]
        page.mouse.move(*_uncovered(page))
        assert page.locator("#tip p").text_content() in {row["text"] for row in rows}
        page.mouse.click(*_uncovered(page))
        named = page.locator("#tip .about").nth(1).text_content()
        if named != "In no cluster":
            assert page.locator("#panel-title").text_content() == named
        assert opened.quiet()


def _uncovered(page: Any) -> tuple[float, float]:
    """The middle of the first point of the map that no number of a cluster lies on."""
    at_top = "([x, y]) => document.elementFromPoint(x, y).tagName === 'rect'"
    places = (_middle(point) for point in page.locator("#map .point").all())
    return next(place for place in places if page.evaluate(at_top, list(place)))


def _middle(locator: Any) -> tuple[float, float]:
    locator.scroll_into_view_if_needed()
    # Scrolling hides the tip, one frame later.
    locator.page.evaluate("() => new Promise((go) => requestAnimationFrame(() => setTimeout(go)))")
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("n", [0, 1, 40])
def test_a_map_without_clusters_says_so(show: Open, n: int) -> None:
    rows = [row | {"cluster": -1, "cluster_name": ""} for row in claims(n)]
    with show(rows, []) as opened:
        assert "No cluster was found" in opened.texts("#list")[0]
        assert sum(fills(opened).values()) == n
        assert not opened.page.locator("#survival").is_visible()
        assert opened.quiet()


def test_missing_numbers_are_dashes(show: Open) -> None:
    rows = claims(100)
    missing = ("survives_low", "survives_high", "lift", "p_value", "p_adjusted", "p_bh")
    found = [
        row | dict.fromkeys((*missing, "first_epoch", "last_epoch", "won"))
        for row in clusters(rows)
    ]
    with show(rows, found, simulated=False) as opened:
        opened.page.click("#list button >> nth=0")
        assert opened.texts("#cluster dd").count("–") == 5
        assert opened.page.locator(".banner").count() == 0
        assert opened.quiet()


def test_thousands_of_claims_are_drawn(show: Open) -> None:
    with show(claims(4000)) as opened:
        assert sum(fills(opened).values()) == 4000


def test_speakers_are_counted_by_cluster(show: Open) -> None:
    rows = claims()
    with show(rows) as opened:
        cells = [int(text) for text in opened.texts("#speakers .textpoint text") if text.strip()]
        assert sum(cells) == sum(row["cluster"] >= 0 for row in rows)
        ticks = opened.texts("#speakers .xtick text")
        assert len(ticks) == sum(map(len, SPEAKERS.values()))
        sides = opened.texts("#sides .annotation-text")
        assert sides == [
            " : ".join(
                str(sum(row["side"] == side for row in rows if row["cluster"] == one["cluster"]))
                for side in SIDES
            )
            for one in clusters(rows)
        ]
