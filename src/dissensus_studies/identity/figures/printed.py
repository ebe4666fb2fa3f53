"""What the paper's printed numbers come to when they are computed again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.data_files import beside, read_data
from dissensus.report.claims.printed import Found, Printed, Slots, show_printed
from dissensus.report.labels import number
from dissensus.report.tables import Table
from dissensus.report.view import Artefacts, View

PAPER = read_data(Printed, beside(__file__, "../printed.yaml"))

Triple = tuple[float, ...]

#: How far a number computed from printed ones may be off and count as the same: they have three
#: decimals, so what is not equal differs by 0.001 at least.
TOLERANCE = 0.0005


def _cells(table: str, keys: Sequence[str], *values: str) -> dict[tuple[str, ...], Triple]:
    """Cells of a table of the paper by what they are of."""
    printed = PAPER.tables[table]
    return {
        tuple(str(record[key]) for key in keys): printed.numbers(record, *values)
        for record in printed.records
    }


_SHARES = ("conformity", "obstinacy", "delta")
#: Table 1: model, condition and bank -> conformity, obstinacy and Delta.
TABLE_1 = _cells("table_1", ("model", "condition", "bank"), *_SHARES)
#: Table 1: model and bank -> IBC.
IBC = {key: value for key, (value,) in _cells("ibc", ("model", "bank"), "ibc").items()}
#: Table 2: model, ratio and bank -> vanilla, anonymised and drop in percent.
TABLE_2 = _cells("table_2", ("model", "ratio", "bank"), "vanilla", "anonymised", "drop")
#: Tables 4 to 6: model, bank, condition and source -> conformity, obstinacy and Delta.
TABLES_4_TO_6 = _cells("tables_4_to_6", ("model", "bank", "condition", "source"), *_SHARES)
#: Table 7: model, condition and bank -> accuracy in percent.
TABLE_7 = {
    key: value
    for key, (value,) in _cells("table_7", ("model", "condition", "bank"), "accuracy").items()
}
#: Bank -> its questions.
QUESTIONS = {bank: n for (bank,), (n,) in _cells("banks", ("bank",), "questions").items()}
CONDITIONS = VANILLA, ANONYMISED = ("vanilla", "anonymised")


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
    triples = [(model, bank, triple) for (model, _, bank), triple in TABLE_1.items()]
    triples += [(model, bank, triple) for (model, bank, *_), triple in TABLES_4_TO_6.items()]
    return [
        Wrong(model, bank, delta, round(conformity - obstinacy, 3))
        for model, bank, (conformity, obstinacy, delta) in triples
        if abs(conformity - obstinacy - delta) > TOLERANCE
    ]


def recomputed_ibc() -> dict[tuple[str, str], float]:
    """Model and bank -> IBC from the printed Deltas, in the order of Table 1."""
    return {
        (model, bank): round(
            TABLE_1[model, VANILLA, bank][2] - TABLE_1[model, ANONYMISED, bank][2], 3
        )
        for model, bank in IBC
    }


def wrong_ibc() -> list[Wrong]:
    """Cells of Table 1 where IBC is not Delta vanilla minus Delta anonymised."""
    return [
        Wrong(*cell, IBC[cell], value)
        for cell, value in recomputed_ibc().items()
        if abs(IBC[cell] - value) > TOLERANCE
    ]


def wrong_drops() -> list[Wrong]:
    """Cells of Table 2 where the printed drop is not that of the printed ratios, in percent."""
    return [
        Wrong(f"{model}, {ratio}", bank, drop, round(100 * (before - after) / before, 2))
        for (model, ratio, bank), (before, after, drop) in TABLE_2.items()
        if abs(100 * (before - after) / before - drop) > 0.05
    ]


def subversion_does_not_drop_more() -> list[str]:
    """Cells of Table 2 where the printed drop of subversion is not above that of correction."""
    drops = [
        (model, bank, TABLE_2[model, "subversion", bank][2], TABLE_2[model, "correction", bank][2])
        for model, bank in IBC
    ]
    return [
        f"{model}, {bank} ({first:.1f}% against {second:.1f}%)"
        for model, bank, first, second in drops
        if first <= second
    ]


def grown() -> list[str]:
    """Cells of Table 1 where Delta is further from zero when answers are anonymised."""
    pairs = {
        (model, bank): [TABLE_1[model, condition, bank][2] for condition in CONDITIONS]
        for model, bank in IBC
    }
    return [
        f"{model}, {bank} ({number(before)} to {number(after)})"
        for (model, bank), (before, after) in pairs.items()
        if abs(after) > abs(before)
    ]


def observed_cells_as_in_table_1() -> int:
    """How many of the 18 observed cells of Tables 4 to 6 stand in Table 1 too."""
    return sum(
        abs(printed - other) < TOLERANCE
        for (model, bank, condition, source), triple in TABLES_4_TO_6.items()
        if source == "observed"
        for printed, other in zip(triple, TABLE_1[model, condition, bank], strict=True)
    )


def implied_ibc() -> dict[str, tuple[float, float]]:
    """Panel of Tables 4 to 6 -> IBC as observed and as the fitted DCM implies it."""

    def ibc(model: str, bank: str, source: str) -> float:
        before, after = (TABLES_4_TO_6[model, bank, each, source][2] for each in CONDITIONS)
        return round(before - after, 3)

    panels = dict.fromkeys(key[:2] for key in TABLES_4_TO_6)
    return {
        f"{model}, {bank}": (ibc(model, bank, "observed"), ibc(model, bank, "implied"))
        for model, bank in panels
    }


def largest_misfit() -> tuple[float, float]:
    """Largest distance in Tables 4 to 6 between fit and data: of a share, and of a Delta."""
    pairs = [
        (triple, TABLES_4_TO_6[*panel, "implied"])
        for (*panel, source), triple in TABLES_4_TO_6.items()
        if source == "observed"
    ]
    shares = max(abs(a[k] - b[k]) for a, b in pairs for k in (0, 1))
    return round(shares, 3), round(max(abs(a[2] - b[2]) for a, b in pairs), 3)


def whole_questions() -> int:
    """How many of the 40 accuracies of Table 7 are a whole number of the bank's questions."""
    return sum(
        abs(100 * round(value * QUESTIONS[bank] / 100) / QUESTIONS[bank] - value) <= 0.05
        for (_, _, bank), value in TABLE_7.items()
    )


def accuracy_changes() -> list[tuple[str, float]]:
    """Cell of Table 7 and what anonymisation changed, in points."""
    return [
        (
            f"{model}, {bank}",
            round(TABLE_7[model, ANONYMISED, bank] - TABLE_7[model, VANILLA, bank], 1),
        )
        for model, bank in IBC
    ]


def table_printed(artefacts: Artefacts, view: View) -> Table:
    """What is printed beside what it comes to; the numbers of no run."""
    found = {**_table_1(), **_table_2(), **_fit(), **_accuracy(), **_text()}
    return show_printed("table_printed", PAPER, found, {"tolerance": str(TOLERANCE)})


def _table_1() -> dict[str, Found]:
    cells = 2 * len(IBC)
    models = {model for model, _ in IBC}
    wrong = [delta for delta in deltas() if delta.model in models]
    values = recomputed_ibc().values()
    positive = {
        each: str(sum(TABLE_1[model, each, bank][2] > 0 for model, bank in IBC))
        for each in CONDITIONS
    }
    return {
        "deltas": {"cells": str(cells), "same": str(cells - len(wrong))},
        "wrong_ibc": [_wrong_ibc(cell) for cell in wrong_ibc()],
        "signs": {
            "printed": str(sum(value > 0 for value in IBC.values())),
            "positive": str(sum(value > 0 for value in values)),
            "cells": str(len(values)),
        },
        "sycophancy": {
            "small": str(sum(abs(value) <= 0.1 + TOLERANCE for value in values)),
            "cells": str(len(values)),
        },
        "conformity": {"before": positive[VANILLA], "after": positive[ANONYMISED]},
        "reduces": _listed(grown()),
    }


_WRONG_SIGN = (
    "the sign: the arrow beside it says that Delta rose, and the cell of GSM8K that rose too is "
    "printed negative"
)


def _wrong_ibc(cell: Wrong) -> Slots:
    is_flipped = abs(cell.printed + cell.recomputed) <= TOLERANCE
    return {
        "cell": cell.cell,
        "printed": number(cell.printed),
        "recomputed": number(cell.recomputed),
        "why": _WRONG_SIGN if is_flipped else "Delta vanilla minus Delta anonymised, as printed",
    }


def _listed(cells: Sequence[str]) -> Slots:
    return {"count": str(len(cells)), "which": "; ".join(cells)}


def _table_2() -> dict[str, Found]:
    wrong = wrong_drops()
    return {
        "drops": {"same": str(len(TABLE_2) - len(wrong))},
        "wrong_drops": [
            {
                "cell": drop.cell,
                "printed": f"{drop.printed:.1f}%",
                "recomputed": f"{drop.recomputed:.2f}%",
            }
            for drop in wrong
        ],
        "subversion": _listed(subversion_does_not_drop_more()),
    }


def _fit() -> dict[str, Found]:
    panels = {key[:2] for key in TABLES_4_TO_6}
    wrong = [delta for delta in deltas() if (delta.model, delta.bank) in panels]
    share, delta = largest_misfit()
    implied = implied_ibc()
    which = [
        f"{cell} {number(fit)} against {number(data)}" for cell, (data, fit) in implied.items()
    ]
    return {
        "fit_deltas": {"same": str(len(TABLES_4_TO_6) - len(wrong))},
        "observed": {"same": str(observed_cells_as_in_table_1())},
        "closeness": {"share": number(share), "delta": number(delta)},
        "implied_ibc": {
            "above": str(sum(fit > data for data, fit in implied.values())),
            "cells": str(len(implied)),
            "which": "; ".join(which),
        },
    }


def _accuracy() -> dict[str, Found]:
    changes = accuracy_changes()
    cell, most = max(changes, key=lambda change: abs(change[1]))
    lower, higher = sum(c < 0 for _, c in changes), sum(c > 0 for _, c in changes)
    return {
        "votes": {"whole": str(whole_questions())},
        "accuracy": {
            "lower": str(lower),
            "higher": str(higher),
            "same": str(len(changes) - lower - higher),
            "mean": number(sum(c for _, c in changes) / len(changes), 1),
            "most": number(most, 1),
            "cell": cell,
        },
    }


def _text() -> dict[str, Found]:
    same = abs(IBC["Qwen-7B", "MMLU"] - 0.408) < TOLERANCE
    return {
        "personas": {
            "difference": number(0.457 - 0.083),
            "without": "0.408 in Table 1 too" if same else "not as in Table 1",
        }
    }
