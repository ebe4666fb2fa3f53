"""CSVs and YAML as people save them, and what is said of those that cannot be used."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dissensus.errors import ResourceError
from dissensus.setting_faults import misread
from dissensus.user_files import YamlFile, read_csv, read_settings, read_yaml


def test_a_line_break_inside_quotes_belongs_to_the_text(tmp_path: Path):
    (tmp_path / "a.csv").write_text('a,b\n"x\ny",1\nz,2\n', encoding="utf-8")
    assert [row for _, row in read_csv(tmp_path / "a.csv", ("a",))] == [
        {"a": "x\ny", "b": "1"},
        {"a": "z", "b": "2"},
    ]


def test_a_byte_order_mark_and_a_quoted_comma_are_no_part_of_the_text(tmp_path: Path):
    (tmp_path / "a.csv").write_bytes(b'\xef\xbb\xbfa,b\r\n"x, y",1\r\n')
    assert read_csv(tmp_path / "a.csv", ("a", "b")) == [(2, {"a": "x, y", "b": "1"})]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a\n1\n", "row 1: the column 'b' is missing; it needs a, b"),
        (b"a,b\n1\n", "row 2: it has 1 instead of 2 cells; put texts with commas in double"),
        (b"a,b\n1,2,3\n", "row 2: it has 3 instead of 2 cells"),
        (b"a,b\n1,2\n\xff,2\n", "row 3: byte 8 is not UTF-8"),
        (b'a,b\n1,"2\n', "not a CSV row"),
    ],
)
def test_what_cannot_be_used_is_named_by_its_row(tmp_path: Path, content: bytes, sentence: str):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(ResourceError, match=sentence):
        read_csv(tmp_path / "a.csv", ("a", "b"))


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(ResourceError, match=r"no\.csv cannot be read \(No such file"):
        read_csv(tmp_path / "no.csv", ("a",))


MERGED = """\
base: &base {a: 1, b: 2}
other: &other {<<: *base, b: 3}
third: {<<: *other, b: 4}
fourth: {<<: [*base, *other], c: 5}
"""


def test_a_merged_key_may_be_given_anew(tmp_path: Path):
    (tmp_path / "a.yaml").write_text(MERGED, encoding="utf-8")
    assert read_yaml(tmp_path / "a.yaml")["third"] == {"a": 1, "b": 4}


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b"", None),
        (b"\xef\xbb\xbfa: 1", {"a": 1}),
        (b"a: x\r\nb: y\r\n", {"a": "x", "b": "y"}),
        (b'{\n\t"a": [1, {"b": null}]\n}', {"a": [1, {"b": None}]}),
        (b'"no": 1\n1: x\n"1": y', {"no": 1, 1: "x", "1": "y"}),
        (b"&a [x, *a]", "itself"),
    ],
)
def test_yaml_as_people_save_it(tmp_path: Path, content: bytes, value: object):
    (tmp_path / "a.yaml").write_bytes(content)
    found = read_yaml(tmp_path / "a.yaml")
    assert found[1] is found if value == "itself" else found == value


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a: 1\nb: 2\na: 3", "line 3: a stands in line 1 already; keep one."),
        ("'a': 1\n\na: 3", "line 3: a stands in line 1 already; keep one."),
        ("a:\n  b: {c: 1, c: 2}", "line 2: a.b.c stands in line 2 already; keep one."),
        ("- x\n- a: 1\n  a: 1", "line 3: 1.a stands in line 2 already; keep one."),
        ("1: x\n0x1: y", "line 2: 0x1 stands in line 1 already; keep one."),
        (MERGED + "<<: *base\n<<: *other", "line 6: << stands in line 5 already; keep one."),
        ('{"a": 1,\n"a": 2}', "line 2: a stands in line 1 already; keep one."),
        ("a: {no: 1}", "line 1: a.no is read as a truth value; put the key in quotes."),
        ("on: 1", "line 1: on is read as a truth value; put the key in quotes."),
        ("a: 1\n~: 1", "line 2: ~ is read as nothing; put the key in quotes."),
        ("a: 1\nb: \x07", "line 2: it has the control character U+0007; take it out."),
        ("a: b: c", "line 1: it is not YAML (mapping values are not allowed in this context); "),
        ("a: [\n\n", "line 1: it is not YAML ("),
        ("a: 1\n\tb: 2", "line 2: it is not YAML ("),
        ("a: 1\n---\nb: 2", "line 2: it is not YAML (but found another document); "),
        ("? [a]\n: 1", "line 1: it is not YAML (found unhashable key); "),
        ("a: 1\nb: 2025-13-01", "line 2: it is not YAML ('2025-13-01': month must be in 1..12); "),
        ("a: 1\n2025-13-01: 1", "line 2: it is not YAML ('2025-13-01': month must be in 1..12); "),
        (f"a: {'9' * 5000}", "line 1: it is not YAML ('9"),
        ("a: !!python/name:os.system", "line 1: it is not YAML (could not determine a "),
        ("a: *b", "line 1: it is not YAML (found undefined alias); "),
        ("\n" + "[" * 50_000, "line 2: lists and blocks stand more than 100 deep in each other; "),
        ("- " * 50_000 + "x", "line 1: lists and blocks stand more than 100 deep in each other; "),
        ("a: 1\nb: 010", "line 2: b holds 010, which YAML reads as 8; write 10 for the number, "),
        ("a: {b: [7, -010]}", "line 1: a.b.1 holds -010, which YAML reads as -8; write -10 for "),
        ("a: 0_10", "line 1: a holds 0_10, which YAML reads as 8; write 10 for the number, or "),
        ("a:\n- 1:30", "line 2: a.0 holds 1:30, which YAML reads as 90; write 90 for the number, "),
        ("a: 1:30.5", "line 1: a holds 1:30.5, which YAML reads as 90.5; write 90.5 for the "),
        ("a: 23:59:59", "line 1: a holds 23:59:59, which YAML reads as 86399; write 86399 for "),
        ("a: &b 010\nc: *b", "line 1: a holds 010, which YAML reads as 8; write 10 for the number"),
        ("a: !!int 010", "line 1: a holds 010, which YAML reads as 8; write 10 for the number, "),
        ("010: x", "line 1: 010 is read as 8; put the key in quotes."),
    ],
)  # fmt: skip
def test_yaml_that_cannot_be_used_is_named_by_line(tmp_path: Path, content: str, sentence: str):
    path = tmp_path / "a.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ResourceError) as caught:
        read_yaml(path)
    said = str(caught.value)
    assert said.removeprefix(str(path)).lstrip(",: ").startswith(sentence)
    assert said.endswith(".") and "\n" not in said


def test_numbers_that_yaml_reads_as_they_are_written_stay(tmp_path: Path):
    text = "[007, 00, 0, 0.5, 010.5, 0x1F, 0b11, 1_000, '010', \"1:30\", 089, 1:75, 12:30 pm]"
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    assert read_yaml(tmp_path / "a.yaml") == [
        *(7, 0, 0, 0.5, 10.5, 31, 3, 1000, "010", "1:30", "089", "1:75", "12:30 pm")
    ]


@given(st.integers(), st.sampled_from(["{}", "{:+}", "{:_}", "{:03}", "{:05}", "{:+04}"]))
def test_a_number_is_read_as_it_is_written_or_refused(number: int, form: str):
    text = form.format(number)
    assert misread(text) or yaml.safe_load(text) in (number, text)


@given(st.from_regex(r"[-+]?[0-9][0-9_:.]{0,7}", fullmatch=True))
def test_no_number_is_read_as_another_without_a_word(text: str):
    read = yaml.safe_load(f"[{text}]")[0]
    if isinstance(read, int | float) and not misread(text):
        assert read == float(text.replace("_", ""))


@pytest.mark.parametrize("content", ["", "[1]", "7", "text", "a: &b {c: *b}"])
def test_a_file_that_is_no_block_holds_no_settings(tmp_path: Path, content: str):
    (tmp_path / "a.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(ResourceError, match=r"a\.yaml holds (no settings; each|a value that can)"):
        read_settings(tmp_path / "a.yaml")


@pytest.mark.parametrize("content", [b"a: 1\nb: \xb1\xe0", "a: 1\nb: é".encode("latin-1")])
def test_yaml_in_another_encoding_is_named_by_line(tmp_path: Path, content: bytes):
    (tmp_path / "a.yaml").write_bytes(content)
    with pytest.raises(ResourceError, match=r"a\.yaml, line 2: it is not UTF-8; save it as UTF-8"):
        read_yaml(tmp_path / "a.yaml")


def test_the_place_of_a_sentence_is_the_line_of_its_key_or_of_what_is_above(tmp_path: Path):
    text = "\n".join(["a: 1", "b:", "  - c: 2", "    d e: 3", "    d: 4", "f.g: {h: 5}"])
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    file = YamlFile.read(tmp_path / "a.yaml")
    places = {
        "a holds 1": 1,
        "b is empty": 2,
        "b.0 holds d": 3,
        "b.0.c holds 2": 3,
        "b.0.d e holds 3": 4,
        "b.0.d holds 4": 5,
        "b.0.x is missing": 3,
        "f.g.h holds 5": 6,
    }
    for sentence, line in places.items():
        assert file.place(sentence) == f"{tmp_path}/a.yaml, line {line}"
    assert file.place("x is missing") == f"{tmp_path}/a.yaml"


def _aliases(form: str, levels: int = 9, times: int = 9) -> str:
    """Some lines, each of which names the one before several times."""
    lines = ["l0: &l0 {a: 1, b: [2, 3]}"]
    for level in range(1, levels + 1):
        named = ", ".join([f"*l{level - 1}"] * times)
        lines.append(f"l{level}: &l{level} " + form.format(named))
    return "\n".join(lines)


@pytest.mark.parametrize("form", ["[{}]", "{{x: [{}]}}", "{{<<: [{}]}}", "{{<<: [{}], c: 4}}"])
def test_aliases_of_aliases_are_refused_before_they_are_written_out(tmp_path: Path, form: str):
    (tmp_path / "f.yaml").write_text(_aliases(form), "utf-8")
    began = time.process_time()
    for read in (read_yaml, read_settings):
        with pytest.raises(ResourceError, match=r"f\.yaml, line [5-8]: its aliases") as caught:
            read(tmp_path / "f.yaml")
        assert "\n" not in str(caught.value)
    # Written out, they would take minutes.
    assert time.process_time() - began < 5
    (tmp_path / "f.yaml").write_text(_aliases(form, 3, 3), "utf-8")
    assert read_settings(tmp_path / "f.yaml")["l0"] == {"a": 1, "b": [2, 3]}


def test_a_long_text_many_times_is_refused(tmp_path: Path):
    many = ", ".join(["*t"] * 20_000)
    (tmp_path / "f.yaml").write_text(f"t: &t {'word ' * 2_000}\nall: [{many}]\n", "utf-8")
    with pytest.raises(ResourceError, match="line 2: its aliases"):
        read_yaml(tmp_path / "f.yaml")


@pytest.mark.parametrize(
    "text",
    [
        *(f"0x{'f' * 500}", f"0b{'1' * 5_000}", "9" * 5_000, f"0x{'f' * 100_000}"),
        *(":".join(["59"] * 500), ":".join(["59"] * 20_000), ":".join(["59"] * 40)),
    ],
    ids=["hexadecimal", "binary", "decimal", "long hexadecimal", "base 60", "long base 60", "some"],
)
def test_a_number_of_too_many_digits_is_named_by_its_line(tmp_path: Path, text: str):
    """Python prints none of more than 4,300."""
    (tmp_path / "f.yaml").write_text(f"seed: 1\nother: {text}\n", "utf-8")
    for read in (read_yaml, read_settings):
        with pytest.raises(ResourceError, match=r"f\.yaml, line 2: (it is not YAML|other holds)"):
            read(tmp_path / "f.yaml")
    (tmp_path / "f.yaml").write_text(f"seed: {2**256}\n", "utf-8")
    assert read_settings(tmp_path / "f.yaml") == {"seed": 2**256}


def test_a_header_of_many_columns_is_read_at_once(tmp_path: Path):
    names = [f"c{n}" for n in range(50_000)]
    (tmp_path / "f.csv").write_text(f"{','.join(names)}\n{',' * 49_999}\n", "utf-8")
    began = time.process_time()
    assert len(read_csv(tmp_path / "f.csv", ("c7",))[0][1]) == 50_000
    (tmp_path / "f.csv").write_text(f"{','.join([*names, 'c7'])}\n", "utf-8")
    with pytest.raises(ResourceError, match="the column 'c7' stands twice"):
        read_csv(tmp_path / "f.csv", ("c7",))
    # By looking at each name for each, a minute.
    assert time.process_time() - began < 5
