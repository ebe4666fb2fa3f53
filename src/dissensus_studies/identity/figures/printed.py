"""What the paper's printed numbers come to when they are computed again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dissensus.report.labels import listed, number
from dissensus.report.tables import Row, Table, make
from dissensus.report.view import Artefacts, View

from .printed_cells import (
    BANKS,
    IBC,
    QUESTIONS,
    TABLE_1,
    TABLE_2,
    TABLE_7,
    TABLES_4_TO_6,
)

#: How far a number computed from printed ones may be off and count as the same: they have three
#: decimals, so what is not equal differs by 0.001 at least.
TOLERANCE = 0.0005


@dataclass(frozen=True)
class Wrong:
    """A printed cell that is not what the cells beside it come to."""

    model: str
    bank: str
    printed: float
    recomputed: float

    @property
    def cell(self) -> str:
        """Such as "Mistral-7B, MMLU"."""
        return f"{self.model}, {self.bank}"


def deltas() -> list[Wrong]:
    """Cells of Table 1 and Tables 4 to 6 where Delta is not conformity minus obstinacy."""
    triples = [
        (model, bank, triple)
        for model, conditions in TABLE_1.items()
        for condition in conditions
        for bank, triple in zip(BANKS, condition, strict=True)
    ]
    triples += [
        (*panel, triple) for panel, triples_of in TABLES_4_TO_6.items() for triple in triples_of
    ]
    return [
        Wrong(model, bank, delta, round(conformity - obstinacy, 3))
        for model, bank, (conformity, obstinacy, delta) in triples
        if abs(conformity - obstinacy - delta) > TOLERANCE
    ]


def recomputed_ibc() -> Iterator[tuple[str, int, float]]:
    """Model, place of the bank and IBC from the printed Deltas, in the order of Table 1."""
    for model, (vanilla, anonymised) in TABLE_1.items():
        for place, (before, after) in enumerate(zip(vanilla, anonymised, strict=True)):
            yield model, place, round(before[2] - after[2], 3)


def wrong_ibc() -> list[Wrong]:
    """Cells of Table 1 where IBC is not Delta vanilla minus Delta anonymised."""
    return [
        Wrong(model, BANKS[place], IBC[model][place], value)
        for model, place, value in recomputed_ibc()
        if abs(IBC[model][place] - value) > TOLERANCE
    ]


def wrong_drops() -> list[Wrong]:
    """Cells of Table 2 where the printed drop is not that of the printed ratios, in percent."""
    return [
        Wrong(f"{model}, {ratio}", bank, drop, round(100 * (before - after) / before, 2))
        for model, ratios in TABLE_2.items()
        for ratio, cells in zip(("subversion", "correction"), ratios, strict=True)
        for bank, (before, after, drop) in zip(BANKS, cells, strict=True)
        if abs(100 * (before - after) / before - drop) > 0.05
    ]


def subversion_does_not_drop_more() -> list[str]:
    """Cells of Table 2 where the printed drop of subversion is not above that of correction."""
    return [
        f"{model}, {bank} ({first[2]:.1f}% against {second[2]:.1f}%)"
        for model, (subversion, correction) in TABLE_2.items()
        for bank, first, second in zip(BANKS, subversion, correction, strict=True)
        if first[2] <= second[2]
    ]


def grown() -> list[str]:
    """Cells of Table 1 where Delta is further from zero when answers are anonymised."""
    return [
        f"{model}, {bank} ({number(before[2])} to {number(after[2])})"
        for model, conditions in TABLE_1.items()
        for bank, before, after in zip(BANKS, *conditions, strict=True)
        if abs(after[2]) > abs(before[2])
    ]


def observed_cells_as_in_table_1() -> int:
    """How many of the 18 observed cells of Tables 4 to 6 stand in Table 1 too."""
    return sum(
        abs(printed - other) < TOLERANCE
        for (model, bank), (vanilla, _, anonymised, _) in TABLES_4_TO_6.items()
        for condition, triple in enumerate((vanilla, anonymised))
        for printed, other in zip(triple, TABLE_1[model][condition][BANKS.index(bank)], strict=True)
    )


def implied_ibc() -> dict[str, tuple[float, float]]:
    """Panel of Tables 4 to 6 -> IBC as observed and as the fitted DCM implies it."""
    return {
        f"{model}, {bank}": (
            round(vanilla[2] - anonymised[2], 3),
            round(fit_vanilla[2] - fit_anonymised[2], 3),
        )
        for (model, bank), (
            vanilla,
            fit_vanilla,
            anonymised,
            fit_anonymised,
        ) in TABLES_4_TO_6.items()
    }


def largest_misfit() -> tuple[float, float]:
    """Largest distance in Tables 4 to 6 between fit and data: of a share, and of a Delta."""
    pairs = [
        pair
        for first, fit, other, other_fit in TABLES_4_TO_6.values()
        for pair in ((first, fit), (other, other_fit))
    ]
    shares = max(abs(a[k] - b[k]) for a, b in pairs for k in (0, 1))
    return round(shares, 3), round(max(abs(a[2] - b[2]) for a, b in pairs), 3)


def whole_questions() -> int:
    """How many of the 40 accuracies of Table 7 are a whole number of the bank's questions."""
    return sum(
        abs(100 * round(value * total / 100) / total - value) <= 0.05
        for conditions in TABLE_7.values()
        for condition in conditions
        for total, value in zip(QUESTIONS, condition, strict=True)
    )


def accuracy_changes() -> list[tuple[str, float]]:
    """Cell of Table 7 and what anonymisation changed, in points."""
    return [
        (f"{model}, {bank}", round(after - before, 1))
        for model, conditions in TABLE_7.items()
        for bank, before, after in zip(BANKS, *conditions, strict=True)
    ]


def table_printed(artefacts: Artefacts, view: View) -> Table:
    """What is printed beside what it comes to; the numbers of no run."""
    note = (
        'Printed: the numbers of "Measuring and Mitigating Identity Bias in Multi-Agent Debate via '
        'Anonymization" (Choi, Zhu and Li, arXiv 2510.07517), not ours. Recomputed: from the '
        f"printed numbers alone; as all have three decimals, cells within {TOLERANCE} are the same. MMLU is its "
        "professional medicine subset. Rounding: an IBC computed from unrounded shares can be "
        "0.0025 from one computed from the rounded ones, so the two smaller errors may be that; "
        "but every Delta equals the difference of the rounded shares. "
        "The body of Table 3 and the values of Figures 1, 3 and 4 are not in the paper's text: "
        "nothing to compare with."
    )
    rows = [*_table_1_rows(), *_table_2_rows(), *_fit_rows(), *_accuracy_rows(), *_text_rows()]
    columns = ("Cell or claim", "Printed", "Recomputed", "Why")
    return make("table_printed", "The paper's numbers checked", columns, rows, note, False)


def _table_1_rows() -> Iterator[Row]:
    cells = 2 * sum(len(row) for row in IBC.values())
    wrong = [drop for drop in deltas() if drop.model in TABLE_1]
    yield (
        "Table 1, Delta",
        f"{cells} cells",
        f"{cells - len(wrong)} of {cells} the same",
        "conformity minus obstinacy",
    )
    for cell in wrong_ibc():
        flipped = abs(cell.printed + cell.recomputed) <= TOLERANCE
        yield (
            f"Table 1, IBC, {cell.cell}",
            number(cell.printed),
            number(cell.recomputed),
            "the sign: the arrow beside it says that Delta rose, and the cell of GSM8K that rose "
            "too is printed negative"
            if flipped
            else "Delta vanilla minus Delta anonymised, as printed",
        )
    values = [value for _, _, value in recomputed_ibc()]
    printed = [value for row in IBC.values() for value in row]
    yield (
        "Signs of IBC (5.2)",
        f"18 of 20 positive; of the printed cells {sum(v > 0 for v in printed)}",
        f"{sum(v > 0 for v in values)} of {len(values)} positive",
        "the sentence is right, the cell of Mistral-7B on MMLU is not",
    )
    small = sum(abs(value) <= 0.1 + TOLERANCE for value in values)
    yield (
        "Sycophancy in 18 of 20 (5.2)",
        "no interval",
        f"|IBC| of 0.100 or less in {small} of {len(values)}",
        "not distinguishable from zero at 272 questions",
    )
    before, after = (
        sum(triple[2] > 0 for conditions in TABLE_1.values() for triple in conditions[place])
        for place in (0, 1)
    )
    yield (
        "Conformity above obstinacy (3.1)",
        "in most cases",
        f"vanilla {before} of 20, anonymised {after} of 20",
        "the signs of Delta",
    )
    yield (
        "Anonymisation reduces |Delta| (5.2)",
        "across other models and benchmarks",
        f"not in {len(grown())} of 20",
        "; ".join(grown()),
    )


def _table_2_rows() -> Iterator[Row]:
    wrong = wrong_drops()
    yield ("Table 2, drop", "40 cells", f"{40 - len(wrong)} of 40 the same", "1 − after / before")
    for drop in wrong:
        yield (
            f"Table 2, drop, {drop.cell}",
            f"{drop.printed:.1f}%",
            f"{drop.recomputed:.2f}%",
            "within what unrounded ratios could give",
        )
    failing = subversion_does_not_drop_more()
    yield (
        "Subversion drops more than correction (6.1)",
        "consistently",
        f"not in {len(failing)} of 20",
        "; ".join(failing),
    )


def _fit_rows() -> Iterator[Row]:
    wrong = [drop for drop in deltas() if (drop.model, drop.bank) in TABLES_4_TO_6]
    yield (
        "Tables 4 to 6, Delta",
        "12 cells",
        f"{12 - len(wrong)} of 12 the same",
        "conformity minus obstinacy",
    )
    yield (
        "Tables 4 to 6, observed",
        "18 cells",
        f"{observed_cells_as_in_table_1()} of 18 the same",
        "as in Table 1",
    )
    share, delta = largest_misfit()
    yield (
        "The DCM closely matches (C.3)",
        "no measure of fit",
        f"off by up to {number(share)} in a share and {number(delta)} in Delta",
        "the largest differences in Tables 4 to 6",
    )
    implied = [
        f"{cell} {number(fit)} against {number(data)}"
        for cell, (data, fit) in implied_ibc().items()
    ]
    above = sum(fit > data for data, fit in implied_ibc().values())
    yield (
        "IBC that the DCM implies (C.3)",
        "not printed",
        f"above the observed one in {above} of {len(implied)}",
        "; ".join(implied),
    )


def _accuracy_rows() -> Iterator[Row]:
    yield (
        "Table 7, votes",
        "40 cells",
        f"{whole_questions()} of 40 whole questions",
        "k of 198, 272 or 300: no cell shows a tie that was shared",
    )
    changes = accuracy_changes()
    cell, most = max(changes, key=lambda change: abs(change[1]))
    signs = [sum(c < 0 for _, c in changes), sum(c > 0 for _, c in changes)]
    yield (
        "Accuracy often remains similar (D)",
        "no test",
        f"lower in {signs[0]}, higher in {signs[1]}, same in {len(changes) - sum(signs)}",
        f"mean {number(sum(c for _, c in changes) / len(changes), 1)} points, "
        f"most {number(most, 1)} ({cell})",
    )


def _text_rows() -> Iterator[Row]:
    model, bank = "Qwen-7B", BANKS.index("MMLU")
    same = abs(IBC[model][bank] - 0.408) < TOLERANCE
    yield (
        "Personas, Qwen-7B (6.2)",
        "0.457 to 0.083, IBC 0.374; 0.408 without",
        f"{number(0.457 - 0.083)}; {'0.408 in Table 1 too' if same else 'not as in Table 1'}",
        "Delta vanilla minus Delta anonymised",
    )
    yield (
        "Mistral's version",
        listed(("Mistral-7b-instruct-v0.3 (Figure 1)", "Mistral-7b-v0.3 (5.1)")),
        "inconsistent",
        "a base model and an instructed one",
    )
    yield (
        "HellaSwag's questions (A.1)",
        "the original test split",
        "not possible",
        "the published test split has no answers; the validation split has",
    )
