"""The paper's printed numbers, computed again from what is typed in here and by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from dissensus.report.view import Artefacts

from ..figures import printed
from .identity_frames import VIEW

GOLDEN = Path(__file__).parent / "golden/identity_printed.csv"


def test_the_table_is_as_it_was_checked_by_hand() -> None:
    table = printed.table_printed(Artefacts({}), VIEW)
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        assert [table.columns, *table.rows] == [tuple(row) for row in csv.reader(file)]


def test_all_tables_have_all_cells() -> None:
    models = ["Llama-8B", "Mistral-7B", "Qwen-7B", "Qwen-32B", "GPT-OSS-20B"]
    banks = ["GPQA", "MMLU", "HellaSwag", "GSM8K"]
    assert list(printed.IBC) == [(model, bank) for model in models for bank in banks]
    for table in (printed.TABLE_1, printed.TABLE_2, printed.TABLE_7):
        halves = list(dict.fromkeys(half for _, half, _ in table))
        assert len(halves) == 2
        assert set(table) == {(m, half, bank) for m, bank in printed.IBC for half in halves}
    # Sums over the columns of the paper's tables, added up apart from the code.
    assert [round(sum(triple[k] for triple in printed.TABLE_1.values()), 3) for k in range(3)] == [
        19.77,
        16.284,
        3.486,
    ]


def test_every_delta_is_conformity_minus_obstinacy() -> None:
    assert printed.deltas() == []


def test_the_ibc_cells_that_are_wrong_as_printed() -> None:
    found = [(one.model, one.bank, one.printed, one.recomputed) for one in printed.wrong_ibc()]
    assert found == [
        ("Llama-8B", "MMLU", 0.307, 0.308),
        ("Mistral-7B", "MMLU", 0.015, -0.015),
        ("Qwen-32B", "GSM8K", 0.092, 0.090),
    ]


def test_the_signs_of_the_right_cells_are_those_of_the_sentence() -> None:
    assert sum(value > 0 for value in printed.recomputed_ibc().values()) == 18
    assert sum(value > 0 for value in printed.IBC.values()) == 19


def test_subversion_does_not_always_drop_more() -> None:
    found = printed.subversion_does_not_drop_more()
    assert [text.partition(" (")[0] for text in found] == [
        "Mistral-7B, MMLU",
        "Mistral-7B, HellaSwag",
        "Mistral-7B, GSM8K",
        "Qwen-32B, HellaSwag",
    ]


def test_drops_but_one_are_those_of_the_ratios_and_that_one_may_be_rounding() -> None:
    (one,) = printed.wrong_drops()
    assert (one.cell, one.printed, one.recomputed) == ("Llama-8B, correction, MMLU", 17.2, 17.26)
    lowest = 100 * (1 - 0.5375 / 0.6485)
    assert lowest < 17.25


def test_anonymising_moves_four_deltas_away_from_zero() -> None:
    assert [text.partition(" (")[0] for text in printed.grown()] == [
        "Llama-8B, MMLU",
        "Mistral-7B, GPQA",
        "Mistral-7B, HellaSwag",
        "Qwen-32B, GSM8K",
    ]


def test_tables_4_to_6() -> None:
    assert printed.observed_cells_as_in_table_1() == 18
    assert printed.largest_misfit() == (0.072, 0.091)
    assert printed.implied_ibc() == {
        "Qwen-7B, GPQA": (0.331, 0.402),
        "Qwen-7B, MMLU": (0.408, 0.451),
        "Llama-8B, MMLU": (0.308, 0.345),
    }


def test_table_7() -> None:
    assert printed.whole_questions() == 40
    changes = [change for _, change in printed.accuracy_changes()]
    assert (sum(c < 0 for c in changes), sum(c > 0 for c in changes)) == (10, 6)
    assert sum(changes) / 20 == pytest.approx(-0.31)
    # 74 and 64 of the 198 questions of GPQA.
    assert ("Llama-8B, GPQA", -5.1) in printed.accuracy_changes()
    assert (round(7400 / 198, 1), round(6400 / 198, 1)) == (37.4, 32.3)


def test_a_wrong_cell_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = ("Qwen-7B", "vanilla", "GPQA")
    monkeypatch.setitem(printed.TABLE_1, cell, (0.648, 0.255, 0.392))
    assert [(one.cell, one.recomputed) for one in printed.deltas()] == [("Qwen-7B, GPQA", 0.393)]
    assert printed.observed_cells_as_in_table_1() == 17
