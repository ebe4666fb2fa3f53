"""What ships with the project: motions, codings, prompts, argument spaces and sentence frames."""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from dissensus.study.configuration import load_file
from dissensus.text.words import count_words
from dissensus.user_files import read_yaml
from scripted import ROOT

from ..design.pool import build_pool

MOTIONS = ROOT / "resources" / "motions"
ARGUMENTS = ROOT / "resources" / "arguments"
HAN = re.compile(r"[\u3400-\u9fff]")
#: The ten divisions of COFOG (United Nations, 1999), and a code for none.
COFOG = {
    0: "No function of government",
    1: "General Public Services",
    2: "Defence",
    3: "Public Order and Safety",
    4: "Economic Affairs",
    5: "Environmental Protection",
    6: "Housing and Community Amenities",
    7: "Health",
    8: "Recreation, Culture and Religion",
    9: "Education",
    10: "Social Protection",
}
PARTS = ("label", "claim", "reason", "example", "answer", "harm")


def rows(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    quoting = csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter, quoting=quoting))


@cache
def motions() -> list[dict[str, str]]:
    return rows(MOTIONS / "motions.csv")


SPACES = sorted(ARGUMENTS.glob("*.tsv"))


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    monkeypatch.chdir(ROOT)
    study = load_file(ROOT / "config.yaml").language
    return build_pool(study.pool, study.languages)[0]


def test_the_tournament_motions_are_those_of_the_tabs():
    golden = rows(ROOT / "tests" / "golden" / "wudc_motions.csv")
    ours = [
        {name: motion[name] for name in golden[0]}
        for motion in motions()
        if motion["source"] == "wudc"
    ]
    assert len(golden) == 45
    assert sorted(ours, key=str) == sorted(golden, key=str)


def test_motions_have_ids_sources_and_years():
    assert len({motion["motion_id"] for motion in motions()}) == len(motions())
    assert Counter(motion["source"] for motion in motions()) == {"wudc": 45, "dissensus": 24}
    for motion in motions():
        assert re.fullmatch(r"[a-z0-9-]+", motion["motion_id"])
        assert int(motion["year"]) in range(2023, 2027)
        assert motion["motion_en"].startswith("This House")
        assert motion["has_info_slide"] in ("0", "1")
        assert motion["record"]


@pytest.mark.parametrize("motion", motions(), ids=lambda motion: motion["motion_id"])
def test_translations_are_chinese(motion: dict[str, str]):
    text = motion["motion_zh"]
    assert "本院" in text
    assert len(HAN.findall(text)) > 0.8 * len(re.sub(r"[\W\d_]", "", text))
    assert text == text.strip()
    # Simplified: none of the commonest characters that only traditional writing has.
    assert not set(text) & set("國學會對與這個為應當該將認們來時實權經濟發體說")


def test_no_two_motions_are_the_same():
    for column in ("motion_en", "motion_zh"):
        assert len({motion[column] for motion in motions()}) == len(motions())


def test_the_codebook_is_cofog():
    assert {int(row["code"]): row["domain"] for row in rows(MOTIONS / "codebook.csv")} == COFOG


@pytest.mark.parametrize("coder", ["a", "b"])
def test_codings_are_complete(coder: str):
    codes = rows(MOTIONS / f"coding_{coder}.csv")
    assert [row["motion_id"] for row in codes] == [motion["motion_id"] for motion in motions()]
    assert {int(row["code"]) for row in codes} <= set(COFOG)


def test_disagreements_and_nothing_else_are_settled():
    first, second = (
        {row["motion_id"]: row["code"] for row in rows(MOTIONS / f"coding_{coder}.csv")}
        for coder in "ab"
    )
    settled = rows(MOTIONS / "adjudication.csv")
    disagreed = {name for name in first if first[name] != second[name]}
    assert {row["motion_id"] for row in settled} == disagreed
    for row in settled:
        assert int(row["code"]) in COFOG
        assert row["reason"].endswith(".")


def test_nine_domains_have_motions_enough_to_draw_from(pool):
    drawable = Counter(motion["domain_id"] for motion in pool if motion["drawable"])
    assert set(drawable) == set(range(1, 11)) - {5}
    assert min(drawable.values()) >= 4


def test_every_motion_has_an_argument_space():
    assert {path.stem for path in SPACES} == {m["motion_id"] for m in motions()} | {"generic"}


@pytest.mark.parametrize("path", SPACES, ids=lambda path: path.stem)
def test_a_space_is_whole(path: Path):
    space = rows(path, "\t")
    expected = [
        (side, str(point), part)
        for side in ("pro", "con")
        for point in range(1, 8)
        for part in PARTS
    ]
    assert [(row["side"], row["point"], row["part"]) for row in space] == expected
    for row in space:
        where = f"{path.name} {row['side']} {row['point']} {row['part']}"
        for language in ("en", "zh"):
            text = row[language]
            assert text == text.strip() != "", where
            # A frame adds a dozen words and a quotation of at most ten to a clause.
            assert count_words(text) <= 25, where
            assert not re.search(r"[.!?。！？…;；:：#*_~`>|\n\"“”‘]", text), where
            assert not re.search(r"\b(judges|vote)\b", text, re.IGNORECASE), where
        assert not HAN.search(row["en"]), where
        assert HAN.search(row["zh"]), where
        assert "评委" not in row["zh"], where


@pytest.mark.parametrize("path", SPACES, ids=lambda path: path.stem)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_clauses_can_be_told_apart(path: Path, language: str):
    """A debater, and these tests, know a used clause by finding it in the transcript."""
    said = [row[language].lower() for row in rows(path, "\t") if row["part"] != "label"]
    assert len(set(said)) == len(said) == 70
    assert [pair for pair in permutations(said, 2) if pair[0] in pair[1]] == []


def test_frames_are_complete_in_both_languages():
    frames = read_yaml(ARGUMENTS / "frames.yaml")
    assert set(frames) == {"en", "zh"}
    kinds = {
        *("claim", "reason", "example", "answer", "answer_named", "answer_asked"),
        *("answer_unprompted", "harm", "question", "question_asked", "takeaway"),
    }
    for language, ends in (("en", ".?"), ("zh", "。？")):
        own = frames[language]
        assert set(own) == kinds | {"greeting", "foreign"}
        for kind in kinds:
            assert len(set(own[kind])) == len(own[kind]) >= 4
            for frame in own[kind]:
                fields = set(re.findall(r"\{(.*?)\}", frame))
                assert fields <= {"x", "X", "label", "quote", "named"}
                assert frame[-1] == ends[kind.startswith("question")]
                assert not re.search(r"\b(judges|vote)\b", frame, re.IGNORECASE)
                if kind.startswith("question"):
                    assert fields == {"label" if kind == "question" else "named"}
                else:
                    assert len(fields & {"x", "X"}) == 1
                assert ("quote" in fields) == (kind == "answer")
                assert ("named" in fields) == (kind.endswith(("_named", "_asked")))
    # A frame of one way to answer stands for that of another by its number.
    ways = ("answer", "answer_named", "answer_asked")
    assert len({len(frames["en"][kind]) for kind in ways}) == 1
    assert {kind: len(frames["en"][kind]) for kind in kinds} == {
        kind: len(frames["zh"][kind]) for kind in kinds
    }
