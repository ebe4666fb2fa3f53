"""The motion pool: what it holds, and the row that each mistake in its files is found in."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.errors import ResourceError
from dissensus.tables.artefact import read_by, write

from ..design.pool import POOL, Codebook, build_pool
from ..settings import LanguageCondition, PoolSettings

FILES = {
    "motions": "motion_id,source,tournament,year,round,motion_en,motion_zh\n"
    'm1,wudc,WUDC,2023,Final,"This House would, surely",本院愿意\n'
    "m2,wudc,WUDC,2024,Round 1,This House regrets,本院遗憾\n"
    "m3,own,Own,2026,,This House prefers,本院更愿意\n",
    "codebook": "code,domain\n0,None\n1,General\n7,Health\n",
    "coder_a": "motion_id,code\nm1,1\nm2,1\nm3,7\n",
    "coder_b": "motion_id,code\nm1,1\nm2,7\nm3,7\n",
    "adjudication": "motion_id,code,reason\nm2,7,because\n",
}


class Files:
    """The pool's five files in a folder, to be spoilt one at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in FILES.items():
            self.write(name, text.encode())

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.csv"

    def write(self, name: str, content: bytes) -> None:
        self.path(name).write_bytes(content)

    def replace(self, name: str, old: str, new: str) -> None:
        assert old in FILES[name]
        self.write(name, FILES[name].replace(old, new).encode())

    def build(self, sources=("wudc", "own"), years=(2023, 2024, 2026)):
        settings = PoolSettings(
            **{name: str(self.path(name)) for name in FILES},
            sources=list(sources),
            years=list(years),
        )
        languages = {
            "en": LanguageCondition(prompts="p", motion="motion_en", script="latin"),
            "zh": LanguageCondition(prompts="p", motion="motion_zh", script="han"),
            "aa": LanguageCondition(prompts="p", motion="motion_en", script="latin"),
        }
        return build_pool(settings, languages)

    def refused(self) -> str:
        with pytest.raises(ResourceError) as caught:
            self.build()
        message = str(caught.value)
        assert "\n" not in message
        return message.replace(f"{self.folder}/", "")


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_a_pool_is_coded_and_adjudicated(files: Files):
    pool, codebook = files.build()
    assert codebook == Codebook({0: "None", 1: "General", 7: "Health"})
    assert pool[0] == {
        "motion_id": "m1",
        "tournament": "WUDC",
        "year": 2023,
        "round": "Final",
        "motion_en": "This House would, surely",
        "motion_zh": "本院愿意",
        "coder_a": 1,
        "coder_b": 1,
        "domain_id": 1,
        "domain": "General",
        "adjudicated": False,
        "source": "wudc",
        "drawable": True,
    }
    assert [
        (m["coder_a"], m["coder_b"], m["domain_id"], m["domain"], m["adjudicated"]) for m in pool
    ] == [(1, 1, 1, "General", False), (1, 7, 7, "Health", True), (7, 7, 7, "Health", False)]


def test_a_pool_is_an_artefact(files: Files):
    pool, _ = files.build()
    write(files.folder / "pool.parquet", POOL, pool, {})
    by_id = {m["motion_id"]: m for m in pool}
    assert read_by(files.folder / "pool.parquet", POOL, "motion_id") == by_id


@pytest.mark.parametrize(
    ("sources", "years", "drawable"),
    [
        (["wudc"], [2023, 2024, 2026], [True, True, False]),
        (["wudc", "own"], [2024], [False, True, False]),
        (["own"], [2026, 1900], [False, False, True]),
    ],
)
def test_what_is_left_out_stays_in_the_pool(files: Files, sources, years, drawable):
    pool, _ = files.build(sources, years)
    assert [motion["drawable"] for motion in pool] == drawable


def test_a_motion_without_a_function_is_not_drawn(files: Files):
    files.replace("coder_a", "m1,1", "m1,0")
    files.replace("coder_b", "m1,1", "m1,0")
    pool, _ = files.build()
    assert (pool[0]["domain_id"], pool[0]["drawable"]) == (0, False)


def test_a_pool_with_nothing_to_draw_is_refused(files: Files):
    with pytest.raises(
        ResourceError, match=r"no motion with a domain .* \(nobody\) .*; widen them"
    ):
        files.build(["nobody"])


@pytest.mark.parametrize("coder", ["coder_a", "coder_b"])
def test_a_motion_without_a_code_is_named(files: Files, coder: str):
    line = next(line for line in FILES[coder].splitlines() if line.startswith("m2"))
    files.replace(coder, line + "\n", "")
    assert files.refused() == (
        f"motions.csv, row 3: motion 'm2' has no code in {coder}.csv; add one."
    )


def test_another_encoding_is_named_by_row_and_byte(files: Files):
    content = FILES["motions"].encode("gbk")
    files.write("motions", content)
    first = len(FILES["motions"].split("本")[0].encode())
    # What the word would be in another encoding shows that it is not that one.
    assert files.refused() == (
        f"motions.csv, row 2: byte {first} is not UTF-8 (in Windows-1252 it would be '±¾ÔºÔ'); "
        "save the file as UTF-8."
    )


@pytest.mark.parametrize("name", list(FILES))
def test_windows_line_ends_are_accepted(files: Files, name: str):
    expected = files.build()
    files.write(name, FILES[name].replace("\n", "\r\n").encode())
    assert files.build() == expected


def test_a_mark_that_is_no_line_end_does_not_cut_a_row(files: Files):
    files.replace("motions", "regrets", "regrets\u2028all")
    assert files.build()[0][1]["motion_en"] == "This House regrets\u2028all"


@pytest.mark.parametrize("mark", ["\0", "\x0b", "\x0c", "\x1b", "\x85"])
def test_a_control_character_is_no_text(files: Files, mark: str):
    files.replace("motions", "regrets", f"regrets{mark}all")
    sentence = f"row 3: motion_en holds the character U[+]{ord(mark):04X}, which is no text; take"
    with pytest.raises(ResourceError, match=sentence):
        files.build()
