"""What others published: the page is in step, its data are whole, and other files are refused."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.cli import main
from dissensus.digests import file_digest
from dissensus.errors import ResourceError
from dissensus.report.claims.published import EQUAL, Published
from dissensus.validation import judges
from dissensus.validation.keeping import keep
from dissensus.validation.page import makers, page
from dissensus.validation.sources import FOLDER, Data, at_hand, digest_of, read_sources
from support import ROOT

PAGE = ROOT / "docs/validation.md"
KEPT = ROOT / FOLDER
REPORT = """# Debate Matchup Judgment Report

- side_swap_group_id: `{group}`
- topic_id: `prop_{number}`

## Debate A

- roles: PRO = **Ann**, CON = **Bob (high)**

| Judge | Winner | Signed Margin (PRO+) | Normalized | Entertainment |
| --- | --- | ---: | ---: | ---: |
| Leaning | Ann | +1.5 | +1.50 | 7.0 |
| Fair | {first} | {margin} | {margin} | 7.0 |

## Debate B

- roles: PRO = **Bob (high)**, CON = **Ann**

| Judge | Winner | Signed Margin (PRO+) | Normalized | Entertainment |
| --- | --- | ---: | ---: | ---: |
| Leaning | Bob (high) | +2.0 | +2.00 | 8.0 |
| Fair | {first} | {against} | {against} | 8.0 |
"""


@pytest.mark.thorough
def test_the_page_is_in_step_with_the_command(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    assert main(["validate", "--to", str(tmp_path / "page.md")]) == 0
    made = (tmp_path / "page.md").read_text("utf-8")
    assert made == PAGE.read_text("utf-8"), "run make validate"
    assert main(["validate"]) == 0
    assert capfdbinary.readouterr().out.decode() == made


def test_all_kept_files_are_listed_with_their_digests_and_hold_no_texts() -> None:
    sources = read_sources(KEPT)
    listed = {name: digest for each in sources.values() for name, digest in each.kept.items()}
    files = {path.name: file_digest(path) for path in KEPT.glob("*.csv")}
    assert listed == files and len(files) > 4
    for name in files:
        frame = pd.read_csv(KEPT / name, dtype=str, keep_default_na=False)
        longest = frame.drop(columns=["note"], errors="ignore").map(len).to_numpy().max()
        assert longest < 45, name
    for source in sources.values():
        assert re.fullmatch(r"[0-9a-f]{40}", source.commit)
        assert re.fullmatch(r"[0-9a-f]{64}", source.fetched)
        assert source.address.startswith("https://github.com/") and "licence" in source.licence


def test_a_kept_file_that_is_missing_or_changed_is_a_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "validation"
    shutil.copytree(KEPT, folder)
    data = at_hand([], {}, folder)
    path = folder / judges.COUNTS
    path.write_text(path.read_text("utf-8").replace("3608", "3609"), "utf-8")
    with pytest.raises(ResourceError, match=r"judges_counts\.csv is not the file"):
        data.figures(judges.COUNTS)
    path.unlink()
    with pytest.raises(ResourceError, match=r"judges_counts\.csv is missing"):
        data.figures(judges.COUNTS)


def reports(folder: Path, n: int) -> Path:
    """A made-up benchmark: one judge always votes for PRO, one for the same model on both sides."""
    place = folder / "reports/debate_matchup_judgments/all"
    place.mkdir(parents=True)
    for number in range(n):
        signs = ("+1.0", "-1.0") if number % 2 else ("-1.0", "+1.0")
        words = {"first": "Ann" if number % 2 else "Bob (high)", "margin": signs[0]}
        text = REPORT.format(group=f"g{number}", number=number, against=signs[1], **words)
        (place / f"matchup-judgment-{number:02}.md").write_text(text, "utf-8")
    return folder


def test_a_planted_lean_is_in_the_figures_and_a_fair_judge_has_none(tmp_path: Path) -> None:
    made = judges.figures(reports(tmp_path, 12))
    rows = made[judges.FILE].to_dict("records")
    found = {(each["judge"], each["statistic"]): each["estimate"] for each in rows}
    assert found["Leaning", "following"] == 1 and found["Leaning", "pro_of_following"] == 1
    assert found["Fair", "following"] == 0
    counts = made[judges.COUNTS].set_index("judge")
    assert counts.loc["Leaning", "rows"] == 24 and counts.loc["all judges", "groups"] == 12
    # +1.5 - 2.0: the first names Bob in all; the second in every other matchup.
    assert (counts.loc["all judges", "agreed"], counts.loc["all judges", "decisions"]) == (6, 12)


def test_what_was_fetched_is_used_and_other_files_are_refused(tmp_path: Path) -> None:
    folder, fetched = tmp_path / "validation", reports(tmp_path / "benchmark", 40)
    shutil.copytree(KEPT, folder)
    with pytest.raises(ResourceError, match=r"--fetched judges=.*check out that commit"):
        at_hand([f"judges={fetched}"], makers(), folder)
    with pytest.raises(ResourceError, match="is missing; give the folder of the whole"):
        at_hand([f"judges={tmp_path}"], makers(), folder)
    for wrong in ("judges", f"nobody={fetched}"):
        with pytest.raises(ResourceError, match="write NAME=FOLDER, with one of"):
            at_hand([wrong], makers(), folder)
    keep([f"judges={fetched}"], folder)
    read_sources.__globals__["_read"].cache_clear()
    data = at_hand([f"judges={fetched}"], makers(), folder)
    assert data.figures(judges.COUNTS).set_index("judge").loc["all judges", "rows"] == "160"
    kept = at_hand([], makers(), folder)
    assert data.figures(judges.FILE).equals(kept.figures(judges.FILE))
    assert data.figures("delidata_groups.csv").equals(kept.figures("delidata_groups.csv"))


def test_a_digest_is_of_names_and_bytes_of_all_files(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/one").write_text("1")
    (tmp_path / "two").write_text("2")
    whole = digest_of(tmp_path, ["a", "two"])
    assert whole != digest_of(tmp_path, ["two", "a"])
    (tmp_path / "a/b/one").rename(tmp_path / "a/one")
    assert digest_of(tmp_path, ["a", "two"]) != whole


@given(st.floats(0, 100), st.floats(0, 100), st.integers(0, 3))
def test_a_number_is_equal_as_far_as_it_was_printed(
    published: float, here: float, digits: int
) -> None:
    printed = round(published, digits)
    row = Published("x", printed, here, "because", digits)
    assert row.is_equal == (f"{printed:.{digits}f}" == f"{here:.{digits}f}")
    assert (row.cells[3] == EQUAL) == row.is_equal
    if not row.is_equal:
        with pytest.raises(ValueError, match="says not why"):
            Published("x", printed, here, "", digits)


def test_sources_are_named_with_how_to_fetch_them() -> None:
    text = " ".join(PAGE.read_text("utf-8").split())
    for source in read_sources(KEPT).values():
        assert f"`git clone {source.address}` and `git checkout {source.commit}`" in text


def test_every_sentence_that_does_not_hold_has_its_reason() -> None:
    rows = [line.split(" | ") for line in PAGE.read_text("utf-8").splitlines() if " | " in line]
    fallen = [row[4] for row in rows if len(row) == 5 and row[3] == "does not hold"]
    assert len(fallen) > 5
    assert all(why.strip(" |") for why in fallen)


def test_the_printed_numbers_of_all_five_papers_stand_in_one_table() -> None:
    table = PAGE.read_text("utf-8").partition("## The papers' printed numbers")[2]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    papers = [row[0] for row in rows[2:]]
    assert set(papers) == {"consensus", "deliberation", "identity", "language", "union"}
    assert papers == sorted(papers) and len(papers) > 40
    # Two that anybody can compute: 62 heads of 100, and 1 of 100 that is not under 1%.
    assert "| 62 of 100 | exact binomial p = 0.021 |" in table
    assert "1 of 100 is 1.0%, which is not under 1%" in table


def test_an_empty_page_is_made_of_no_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dissensus.validation.page.shipped_folders", dict)
    text = page(Data(KEPT, read_sources(KEPT), {}))
    assert "Judges of debates" in text and "Wason" not in text.split("## The sources")[0]
