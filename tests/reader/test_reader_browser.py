"""The reader in a real browser, from a file, with the network off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from browsing import Browser, Opened
from dissensus.keep import reader
from dissensus.keep.reader import Played, Writer
from dissensus.keep.reading import read_session
from dissensus.keep.reading_pages import citation
from dissensus.report.pages.reader import Estimated, reader_page
from dissensus.tables.artefact import read
from hostile_texts import HOSTILE
from reader.small_run import STATED, WORDS, configuration, repeated, run_sessions
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
        if row["session_id"] == "d001-en":
            first, *rest = one.turns
            return replace(one, turns=[{**first, "text": first["text"] + STATED}, *rest])
        if row["session_id"] == "d001-zh":
            first, *rest = one.turns
            told = {**first, "origin": "d001-opening"}
            asked = zip(one.attempts, one.calls, one.requests, strict=True)
            left = [each for each in asked if each[0]["turn"] != told["turn"]]
            attempts, calls, requests = map(list, zip(*left, strict=True))
            return Played([told, *rest], attempts, calls, one.outcome, requests)
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
        Writer(sessions, registry).write(run / "reader/language", simulated=True)
    page = folder / "results/demo/reader/index.html"
    told = {"language": Estimated(["It does: 1 [0, 2]."])}
    page.write_text(reader_page("demo", told, simulated=True), encoding="utf-8")
    return page


@pytest.fixture
def opened(browser: Browser, place: Path) -> Iterator[Opened]:
    # The page stores nothing.
    with browser.open_again(place) as found:
        found.page.wait_for_selector("#count")
        yield found


def go(opened: Opened, address: str, heading: str) -> None:
    opened.page.evaluate("(to) => { location.hash = to; }", address)
    opened.page.wait_for_selector(f"h1:has-text('{heading}')")


def test_turns_of_an_opening_stand_before_the_others_and_say_where_they_are_from(
    opened: Opened,
) -> None:
    go(opened, "#/language/d001-zh", "d001-zh")
    opened.page.wait_for_selector("article:has-text('from d001-opening')")
    # What is folded has no text.
    first, second, *rest = filter(None, opened.page.locator("article").all_inner_texts())
    assert first.startswith("Turn 1") and "not asked in this session" in first
    assert second.startswith("Turn 2") and "from" not in second.splitlines()[0]
    assert len(rest) == 6


def quiet(opened: Opened) -> bool:
    """Whether nothing was refused or said, and only files beside the page were asked for."""
    refused = opened.page.evaluate("window.refused")
    beside = opened.asked[0].rpartition("/")[0]
    return not opened.said and not refused and all(one.startswith(beside) for one in opened.asked)


def test_json_at_the_end_of_a_turn_is_shown_as_what_it_says(opened: Opened) -> None:
    go(opened, "#/language/d001-en", "language d001-en")
    turn = opened.page.locator("article[id]").first
    (words,) = turn.locator("> .text").all_text_contents()
    assert len(words) > 100 and "{" not in words
    assert turn.locator(".stated dt").all_text_contents() == ["stance", "shares", "claims"]
    stance, shares, claims = turn.locator(".stated dd").all_text_contents()
    assert (stance, shares) == ("for", "yes: 0.7; no: 0.3")
    assert claims == "c1: It <b>pays</b>. (evidence: e1; e2)c2: It is right."
    # Marks and search have the text as it was written, which is folded.
    folded = turn.locator("details:has(> .said)")
    assert folded.get_attribute("open") is None
    assert folded.locator("> .said").text_content() == words + STATED
    assert quiet(opened)


def test_from_the_list_to_what_a_model_was_sent_by_keys_alone(opened: Opened, place: Path) -> None:
    page = opened.page
    assert opened.texts("#count") == ["4 of 4 sessions."]
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
    loose = "[...document.querySelector('main').childNodes].filter((one) => one.nodeType === 3)"
    assert opened.page.evaluate(f"{loose}.map((one) => one.data)") == []
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


def test_how_a_session_ended_is_no_outcome_of_the_study(opened: Opened) -> None:
    assert "How it ended" in opened.texts("table.list th")
    assert "How it ended " in [said.split("all")[0] for said in opened.texts(".filters label")]
    opened.page.select_option("select[name=status]", "lost")
    assert opened.texts("table.list tbody td:first-child") == ["language d002-en"]
    opened.page.click("table.list th button:has-text('How it ended')")
    go(opened, "#/language/d001-en", "language d001-en")
    assert "How it ended: " in "".join(opened.texts("p.outcome"))
    assert "Outcome" not in opened.page.inner_text("main")
    assert quiet(opened)


@pytest.mark.parametrize(
    ("values", "place_of"), [([5, 1, 5, 1], "1 to 2 of 2, 2 tied"), ([5, 1, 4, 1], "2 of 2")]
)
def test_a_place_says_with_how_many_it_is_shared(
    opened: Opened, values: list[int], place_of: str
) -> None:
    # The sessions are d001-en, d001-zh, d002-en and d002-zh; places are within a language.
    told = json.dumps([{"title": "score", "values": values}])
    opened.page.evaluate(f"() => {{ Data.studies.get('language').measures = {told}; }}")
    go(opened, "#/language/d001-en", "language d001-en")
    shown = opened.page.locator("table:has(caption:text-is('Measures')) tbody td")
    assert shown.all_text_contents() == ["score", "5", place_of]


def test_a_debate_is_cited_by_its_own_digest(opened: Opened, place: Path) -> None:
    for name in ("d001-en", "d002-zh"):
        go(opened, f"#/language/{name}", f"language {name}")
        reading = read_session(place.parents[1] / "language", name)
        assert opened.texts("footer p")[0] == f"Cite as: {citation(reading)}."


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


def test_search_finds_what_is_debated(opened: Opened) -> None:
    page = opened.page
    motion = page.locator("table.list tbody td:nth-child(3)").first.inner_text()
    beginning = motion[:30].strip()
    page.fill("input[name=q]", beginning.upper())
    page.keyboard.press("Enter")
    page.wait_for_selector("th:has-text('Hits')")
    of_motion = [one for one in opened.texts("table.list tbody td:nth-child(3)") if motion in one]
    assert of_motion and page.locator("table.list tbody tr").count() == len(of_motion)
    page.click("table.list tbody a")
    page.wait_for_selector(".question mark")
    assert opened.texts(".question mark")[0] == beginning


def test_the_second_tab_is_the_search_of_every_page(opened: Opened) -> None:
    page = opened.page
    for address, heading in (("#/", "Sessions"), ("#/language/d001-en", "language d001-en")):
        go(opened, address, heading)
        page.evaluate("document.activeElement.blur()")
        page.reload()
        page.wait_for_selector(f"h1:has-text('{heading}')")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('#search')?.id") == "search"
        page.keyboard.type("D002")
        page.keyboard.press("Enter")
        page.wait_for_selector("#count:has-text('2 of 4')")
    assert quiet(opened)


def test_every_text_says_its_language_where_that_is_not_the_page_s(opened: Opened) -> None:
    """A screen reader speaks Chinese as Chinese; what is English is in the page's language."""
    for name, tag in (("d001-zh", "zh"), ("d001-en", None)):
        go(opened, f"#/language/{name}", f"language {name}")
        texts = opened.page.locator("article > .text, article div > .text")
        tags = {texts.nth(k).get_attribute("lang") for k in range(texts.count())}
        assert tags == {tag}, name
        assert opened.page.locator(".question").get_attribute("lang") == tag
    tag_of = "(text) => Text.tag(text, null)"
    for text, tag in (
        ("مرحبا بكم في المناظرة", "ar"),
        ("토론을 시작합니다", "ko"),
        ("これは討論です。", "ja"),
        ("Это спор.", "ru"),
        ("A word, 词, in English – and “more”.", None),
        ("12% < 3", None),
        ("", None),
    ):
        assert opened.page.evaluate(tag_of, text) == tag
    assert opened.page.evaluate("() => Text.tag('Eine Rede.', 'de')") == "de"


def test_search_finds_a_session_by_its_name(opened: Opened) -> None:
    page = opened.page
    page.fill("input[name=q]", "D002")
    page.keyboard.press("Enter")
    page.wait_for_selector("#count:has-text('2 of 4')")
    assert opened.texts("tbody td:first-child a") == ["language d002-en", "language d002-zh"]


def test_the_list_keeps_the_focus_when_it_is_sorted_and_filtered(opened: Opened) -> None:
    page = opened.page
    focused = "document.activeElement.id || document.activeElement.name"
    for direction in ("ascending", "descending"):
        page.focus("#sort-title")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"th[aria-sort={direction}]")
        assert page.evaluate(focused) == "sort-title"
    page.focus("select[name=study]")
    page.select_option("select[name=study]", "language")
    assert page.evaluate(focused) == "study"


@pytest.mark.parametrize("name", ["d001-en", "d001-zh"])
def test_words_that_a_speaker_says_again_are_marked(opened: Opened, place: Path, name: str) -> None:
    go(opened, f"#/language/{name}", f"language {name}")
    turns = read(place.parents[1] / f"language/transcripts/{name}.parquet").to_pylist()
    opened.page.check("input[name=mark-own]")
    number = 0
    for turn in turns:
        earlier = [one["text"] for one in turns if one["turn"] < turn["turn"]]
        own = [t["text"] for t in turns[: len(earlier)] if t["speaker"] == turn["speaker"]]
        expected = repeated(own, turn["text"]) if own else set()
        marks = opened.texts(f"#t{turn['turn']}-{turn['speaker']} .mark-own")
        said = [" ".join(WORDS.findall(mark.casefold())) for mark in marks]
        assert bool(marks) == bool(expected)
        assert all(any(run in mark for mark in said) for run in expected)
        assert "".join(opened.texts(f"#t{turn['turn']}-{turn['speaker']} > .text")) == turn["text"]
        number += len(marks)
    assert number
    opened.page.uncheck("input[name=mark-own]")
    assert opened.page.locator("article .mark-own").count() == 0
    opened.page.check("input[name=mark-shared]")
    opened.page.wait_for_timeout(200)
    assert quiet(opened)


def test_what_a_repair_changed_is_shown_word_by_word(opened: Opened) -> None:
    of = "([before, after]) => Diff.of(before, after)"
    runs = opened.page.evaluate(of, ["We ask you, twice.", "We beg you twice."])
    assert runs == [
        *(["", "We "], ["del", "ask"], ["ins", "beg"], ["", " you"], ["del", ","], ["", " twice."]),
    ]
    texts = ["", "a", "a b c d", "b c a", "一二三四", "一三四五", "x " * 300, "y x " * 200]
    for before in texts:
        for after in texts:
            runs = opened.page.evaluate(of, [before, after])
            assert "".join(text for kind, text in runs if kind != "ins") == before
            assert "".join(text for kind, text in runs if kind != "del") == after


def test_answers_are_a_graph_whose_discs_lead_to_turns(opened: Opened) -> None:
    answers = "[['B', 'round 2', 'rebut', ''], ['B', 'round 9', 'rebut', '']]"
    found = (
        "{turns: [{turn: 1, speaker: 'A', label: 'round 1'}, {turn: 2, speaker: 'B', "
        "label: 'round 2'}], claims: [{name: 'c', speaker: 'A', place: 'round 1', text: '<b>', "
        f"answers: {answers}}}]}}"
    )
    show = f"document.body.append(Graph.show({found}, (turn) => `#/x/${{turn.turn}}`))"
    opened.page.evaluate(f"() => {{ {show}; }}")
    svg = opened.page.locator("svg[role=group]")
    assert svg.locator("path").count() == 1
    assert [one.get_attribute("href") for one in svg.locator("a").all()] == ["#/x/1", "#/x/2"]
    assert svg.locator("title").text_content() == "B, round 2: rebut A, round 1"
    assert quiet(opened)


def test_a_debate_can_be_read_blind(opened: Opened) -> None:
    go(opened, "#/language/d001-zh", "language d001-zh")
    page = opened.page
    assert "simulated-" in page.inner_text("main") and "d001-zh" in page.inner_text("main")
    page.click("button:has-text('Read blind')")
    for word in ("simulated-", "d001-zh", "Homogeneity", "seed"):
        assert word not in page.inner_text("main")
    assert "d001" not in page.title()
    page.click("button:has-text('Read blind')")
    assert "d001-zh" in page.inner_text("h1") and "d001-zh" in page.title()


@pytest.mark.parametrize(
    ("title", "ending"), [("Markdown", "md"), ("text", "txt"), ("JSON", "json")]
)
def test_a_debate_is_kept_as_a_file(opened: Opened, place: Path, title: str, ending: str) -> None:
    go(opened, "#/language/d002-zh", "language d002-zh")
    with opened.page.expect_download() as download:
        opened.page.click(f".keep button:has-text('{title}')")
    assert download.value.suggested_filename == f"language-d002-zh.{ending}"
    text = Path(download.value.path()).read_text(encoding="utf-8")
    if ending == "json":
        kept = json.loads(text)
        assert kept["simulated"] and any(WORD in turn["text"] for turn in kept["turns"])
        return
    # Whatever a model says is indented: no heading, no speaker is of its making.
    lines = [line for line in text.split("\n") if line and not line.startswith("    ")]
    head, said = lines[:2]
    assert "language d002-zh" in head and said.startswith("Simulated models")
    assert len(lines) == 2 + 8


def test_it_fits_a_telephone_and_prints_with_its_banner(browser: Browser, place: Path) -> None:
    with browser.open(place, width=390, height=800) as opened:
        go(opened, "#/language/d001-zh", "d001-zh")
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= 390
        # The debate begins on the first screen: what few need is folded.
        assert not opened.page.locator(".marks").is_visible()
        assert opened.page.locator("article[id^=t1-]").bounding_box()["y"] < 800
        opened.page.emulate_media(media="print")
        assert opened.page.locator(".banner").is_visible()
        assert not opened.page.locator("form").first.is_visible()
        assert opened.page.locator("article[id]").count() == 8


def test_the_banner_leaves_room_for_the_text_when_enlarged_fourfold(
    browser: Browser, place: Path
) -> None:
    with browser.open(place, width=360, height=225) as opened:
        go(opened, "#/language/d001-en/t2", "language d001-en")
        banner = opened.page.locator(".banner").bounding_box()
        article = opened.page.locator("article[id^=t2-]").bounding_box()
        assert banner["height"] < 225 / 8
        assert article["y"] >= banner["y"] + banner["height"]
