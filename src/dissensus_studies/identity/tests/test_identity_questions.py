"""The questions that ship with the project: their form, and that their answers are right."""

from __future__ import annotations

import ast
import csv
import math
import operator
import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product

import pytest
from cydifflib import SequenceMatcher

from scripted import ROOT

FOLDER = ROOT / "resources" / "questions"
LETTERS = "ABCD"
WRONG = ("wrong_1", "wrong_2", "wrong_3")
OPERATORS: dict[type[ast.AST], Callable[..., Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda left, right: Fraction(left // right),
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


CHOICE = {row["question_id"]: row for row in rows("choice.csv")}
NUMERIC = {row["question_id"]: row for row in rows("numeric.csv")}
QUESTIONS = CHOICE | NUMERIC


def exact(working: str) -> Fraction:
    """The value of a working in exact fractions; nothing but arithmetic has one."""

    def value(node: ast.AST) -> Fraction:
        if isinstance(node, ast.Constant):
            return Fraction(ast.get_source_segment(working, node))
        if isinstance(node, ast.UnaryOp):
            return OPERATORS[type(node.op)](value(node.operand))
        assert isinstance(node, ast.BinOp), ast.dump(node)
        return OPERATORS[type(node.op)](value(node.left), value(node.right))

    return value(ast.parse(working, mode="eval").body)


def test_columns_and_ids():
    assert len(rows("choice.csv")) == 66
    assert len(rows("numeric.csv")) == 44
    assert list(CHOICE) == [f"choice-{number:03d}" for number in range(1, 67)]
    assert list(NUMERIC) == [f"numeric-{number:03d}" for number in range(1, 45)]
    for row in CHOICE.values():
        assert list(row) == ["question_id", "field", "question", *LETTERS, "answer", "why"]
    for row in NUMERIC.values():
        assert list(row) == ["question_id", "field", "question", "answer", *WRONG, "working"]
    for row in QUESTIONS.values():
        assert all(cell == cell.strip() != "" for cell in row.values()), row["question_id"]


def test_fields_have_equally_many_questions():
    assert Counter(row["field"] for row in CHOICE.values()) == {
        "medicine and biology": 22,
        "physics and chemistry": 22,
        "logic, language and everyday reasoning": 22,
    }
    assert Counter(row["field"] for row in NUMERIC.values()) == {
        "money and trade": 11,
        "time and motion": 11,
        "mixtures, rates and shares": 11,
        "counting, chance and geometry": 11,
    }


def test_letters_are_balanced():
    for field in ("", *{row["field"] for row in CHOICE.values()}):
        letters = Counter(row["answer"] for row in CHOICE.values() if field in row["field"])
        assert set(letters) == set(LETTERS)
        for count in letters.values():
            assert abs(count - letters.total() / 4) <= (3 if field == "" else 1.5)


def test_neither_length_nor_place_gives_an_answer_away():
    """By chance the right one of four options is the longest, or the shortest, in a quarter."""
    lengths = [
        (len(row[row["answer"]]), [len(row[x]) for x in LETTERS if x != row["answer"]])
        for row in CHOICE.values()
    ]
    assert sum(right > max(others) for right, others in lengths) <= 22
    assert sum(right < min(others) for right, others in lengths) <= 22
    repeated = [
        first == second for first, second in pairwise(row["answer"] for row in CHOICE.values())
    ]
    assert sum(repeated) <= 26


@pytest.mark.parametrize("row", CHOICE.values(), ids=CHOICE)
def test_a_choice_has_four_options_and_a_reason(row: dict[str, str]):
    options = [row[letter] for letter in LETTERS]
    assert len({option.casefold() for option in options}) == 4
    assert row["answer"] in LETTERS
    # The prompts and their replies use these to set an option or an answer off.
    assert not re.search(r"[{}\n]|\([A-D]\)", " ".join((row["question"], *options)))
    assert re.fullmatch(r"[^.]([^.]|\.\d)+\.", row["why"])
    assert not re.search(r"\b[Oo]ption\b", row["why"])


@pytest.mark.parametrize("row", NUMERIC.values(), ids=NUMERIC)
def test_a_number_is_what_its_working_gives(row: dict[str, str]):
    assert re.fullmatch(r"[\d+\-*/%(). ]+", row["working"])
    assert exact(row["working"]) == Fraction(row["answer"])


@pytest.mark.parametrize("row", NUMERIC.values(), ids=NUMERIC)
def test_wrong_numbers_are_wrong_and_differ(row: dict[str, str]):
    numbers = [row["answer"], *(row[name] for name in WRONG)]
    assert len({Fraction(number) for number in numbers}) == 4
    for number in numbers:
        assert re.fullmatch(r"(0|[1-9]\d*)(\.\d{0,3}[1-9])?", number)


@pytest.mark.parametrize(
    ("working", "value"),
    [("2 ** 3 // 3 - 7 % 4", -1), ("0.1 + 0.2", "3/10"), ("-(-7 // 2)", 4)],
)
def test_workings_are_evaluated_exactly(working: str, value: str | int):
    assert exact(working) == Fraction(value)


@pytest.mark.parametrize("working", ["abs(1)", "x", "[1]", "1 if 1 else 2", "1 < 2", "1 @ 2"])
def test_only_arithmetic_is_evaluated(working: str):
    with pytest.raises((AssertionError, KeyError)):
        exact(working)


def test_no_two_questions_are_nearly_the_same():
    near = []
    for first, second in combinations(QUESTIONS.values(), 2):
        texts = (first["question"].lower(), second["question"].lower())
        # A debater knows a question by finding it in its prompt.
        assert texts[0] not in texts[1] and texts[1] not in texts[0]
        matcher = SequenceMatcher(None, *texts, autojunk=False)
        if matcher.quick_ratio() > 0.7 and matcher.ratio() > 0.7:
            near.append((first["question_id"], second["question_id"]))
    assert near == []


def at(day: int, clock: str, ahead: int = 0) -> datetime:
    zone = timezone(timedelta(hours=ahead))
    return datetime.strptime(f"{day} {clock}", "%d %H:%M").replace(tzinfo=zone)


def snail() -> int:
    height, day = 4, 1
    while height < 12:
        height, day = height - 3 + 4, day + 1
    return day


def interest() -> Fraction:
    sums = [Fraction(2000)]
    for _ in range(3):
        sums.append(sums[-1] + sums[-1] / 20)
    return sums[-1] - sums[0]


def border() -> Fraction:
    """Half-metre squares outside the lawn of 28 by 18 of them and at most three from it."""
    around = product(range(-3, 28 + 3), range(-3, 18 + 3))
    outside = [(x, y) for x, y in around if not (0 <= x < 28 and 0 <= y < 18)]
    return Fraction(len(outside), 4)


def painted() -> int:
    """Small cubes with two coordinates at an end."""
    return sum(sum(x in (0, 4) for x in cube) == 2 for cube in product(range(5), repeat=3))


def same_colour() -> Fraction:
    pairs = list(combinations("r" * 7 + "w" * 9, 2))
    return Fraction(sum(first == second for first, second in pairs), len(pairs))


def even_numbers() -> int:
    return sum(len(set(str(number))) == 3 for number in range(100, 1000, 2))


def handshakes() -> int:
    return sum(first // 2 != second // 2 for first, second in combinations(range(18), 2))


def committees() -> int:
    return sum("m" in three for three in combinations("w" * 7 + "m" * 5, 3))


def socks() -> int:
    """One more than can be drawn with fewer than two blue ones."""
    return 1 + max(
        black + blue + grey for black in range(11) for blue in (0, 1) for grey in range(7)
    )


@pytest.mark.parametrize(
    ("question_id", "found"),
    [
        ("numeric-005", interest),
        ("numeric-006", lambda: Fraction("2.75") * sum(cup % 6 != 0 for cup in range(1, 21))),
        (
            "numeric-011",
            lambda: next(n for n in range(9999) if n * Fraction("13.5") >= 1890 + n * 1.5),
        ),
        ("numeric-012", lambda: Fraction(96) * ((at(1, "14:13") - at(1, "11:48")).seconds) / 3600),
        ("numeric-015", snail),
        ("numeric-017", lambda: math.lcm(12, 18, 20)),
        ("numeric-020", lambda: (at(2, "07:25", 5) - at(1, "22:40")).seconds // 60),
        ("numeric-028", lambda: 500 << (140 // 20)),
        ("numeric-031", lambda: next(4 * n for n in range(99) if 4 * n + 18 == 2 * (n + 18))),
        ("numeric-034", socks),
        ("numeric-035", handshakes),
        ("numeric-036", committees),
        ("numeric-037", lambda: len(range(0, 841, 35))),
        ("numeric-038", even_numbers),
        ("numeric-039", same_colour),
        ("numeric-041", border),
        ("numeric-042", painted),
    ],
)
def test_answers_that_can_be_found_without_the_working(question_id, found):
    assert found() == Fraction(NUMERIC[question_id]["answer"])


def base_rate() -> str:
    ill = Fraction(1, 200)
    return f"{float(ill / (ill + (1 - ill) * Fraction(4, 100))):.0%}"


def haemophilia() -> str:
    """Grandmother's X chromosomes are h and H; the mother's other one is healthy."""
    sons = [x for from_grandmother in "hH" for x in (from_grandmother, "H")]
    one_in = {2: "two", 3: "three", 4: "four", 8: "eight"}
    return f"One in {one_in[len(sons) // sons.count('h')]}"


def messenger() -> str:
    pairing = {"A": "U", "T": "A", "G": "C", "C": "G"}
    codons = ["".join(pairing[base] for base in codon) for codon in ("TAC", "GGC", "ATT")]
    return f"5'-{' '.join(codons)}-3'"


def carriers() -> str:
    gene = math.sqrt(1 / 10000)
    return f"1 in {round(1 / (2 * gene * (1 - gene)), -1):.0f}"


def orbit() -> str:
    return f"{round(4**1.5)} times"


def lens() -> str:
    image = 1 / (Fraction(1, 20) - Fraction(1, 30))
    return {Fraction(2): "Real, inverted and twice as large"}[image / 30]


def islanders() -> str:
    """Who tells the truth: what each says must be so exactly if that one does."""
    worlds = [
        (ada, ben)
        for ada, ben in product([True, False], repeat=2)
        if ada == (ada != ben) and ben == (not ada)
    ]
    return (
        {(True, False): "Ada tells the truth and Ben lies"}[worlds[0]] if len(worlds) == 1 else ""
    )


def third() -> str:
    orders = [
        order
        for order in permutations(("Mira", "Jon", "Sel", "Tove", "Otto"))
        if order.index("Sel") < order.index("Mira") < order.index("Jon") < order.index("Tove")
        and order.index("Otto") < order.index("Sel")
    ]
    return {order[2] for order in orders}.pop()


def talks() -> str:
    orders = [
        order
        for order in permutations(("Ames", "Burr", "Cole", "Dunn"))
        if order.index("Ames") < order.index("Burr")
        and order.index("Cole") in (1, 2)
        and order.index("Dunn") == order.index("Cole") + 1
    ]
    claims = {
        "Ames speaks first": lambda order: order[0] == "Ames",
        "Burr speaks last": lambda order: order[3] == "Burr",
        "Cole speaks second": lambda order: order[1] == "Cole",
        "Dunn speaks last": lambda order: order[3] == "Dunn",
    }
    return " and ".join(text for text, holds in claims.items() if all(map(holds, orders)))


def ring() -> str:
    labels = [{"red", "green"}, {"green", "blue"}, {"blue"}, {"white", "blue"}]
    boxes = ("red", "green", "blue", "white")
    places = [box for box in boxes if sum(box in label for label in labels) == 2]
    return f"In the {' or '.join(places)} box"


@pytest.mark.parametrize(
    ("question_id", "found"),
    [
        ("choice-005", haemophilia),
        ("choice-006", base_rate),
        ("choice-012", messenger),
        ("choice-022", carriers),
        ("choice-024", orbit),
        ("choice-027", lens),
        ("choice-047", islanders),
        ("choice-048", third),
        ("choice-049", lambda: (datetime(2024, 1, 1) + timedelta(2 + 2 + 1)).strftime("%A")),
        ("choice-061", talks),
        ("choice-062", lambda: str(next(n for n in range(9) if 3**n >= 20))),
        ("choice-066", ring),
    ],
)
def test_choices_that_can_be_found_by_computation(question_id, found):
    row = CHOICE[question_id]
    assert found() == row[row["answer"]]
