"""What the paper printed and its own formulas cannot give."""

from __future__ import annotations

import math

from dissensus.data_files import beside, read_data
from dissensus.report.claims.printed import Printed, Record, Slots, show_printed
from dissensus.report.labels import number
from dissensus.report.tables import Table
from dissensus.report.view import Artefacts, View

PRINTED = read_data(Printed, beside(__file__, "../printed.yaml"))
STRATEGIES = PRINTED.tables["strategies"]
#: Debates behind a printed row, at most: the statements of a domain.
DEBATES = 25
#: Switches that a debate can have: of 4 or 5 agents, in each of four rounds after the first.
MOST_SWITCHES = {"City planning": 16, "Politics": 20}


def too_dogmatic(agreement: float, dogmatic: float) -> bool:
    """Whether more agents are dogmatic than are outside the largest group; in per cent."""
    # Sums of cells with two decimals differ from 100 by rounding.
    return dogmatic > 100.0 - agreement + 0.005


def smallest_share(switches: float) -> float:
    """The smallest share of all switches that is not 0, in per cent: one of them."""
    return 100.0 / (switches * DEBATES)


def smallest_mean(switches: float, domain: str) -> float:
    """The smallest mean over debates of each debate's share that is not 0, in per cent.

    One switch counts, in the debate with the most, s of them; all other debates with any have one
    each. With T switches in all these are T - s + 1 debates, and the mean is 1 / (s (T - s + 1)).
    """
    total, most = math.ceil(switches * DEBATES - 1e-9), MOST_SWITCHES[domain]
    counts = range(1, min(most, total) + 1)
    return 100.0 / max(s * min(total - s + 1, DEBATES) for s in counts)


def table_printed(artefacts: Artefacts, view: View) -> Table:
    """All rows of Tables 2 and 3, with what their own columns allow."""
    rows = [_possible(record) for record in STRATEGIES.records]
    impossible = {
        name: str(sum(row[column] == "NO" for row in rows))
        for name, column in (
            ("too_dogmatic", "dogmatic_possible"),
            ("below_pooled", "pooled_possible"),
            ("below_mean", "mean_possible"),
        )
    }
    counts = {"rows": str(len(rows)), "debates": str(DEBATES)}
    return show_printed("table_printed", PRINTED, {"strategy": rows}, counts | impossible)


def _possible(record: Record) -> Slots:
    """What a printed row has, and whether it can be."""
    shares = ("switches", "agreement", "dogmatic", "sycophancy")
    switches, agreement, dogmatic, sycophancy = STRATEGIES.numbers(record, *shares)
    least, least_mean = smallest_share(switches), smallest_mean(switches, str(record["domain"]))
    return {
        **{name: str(record[name]) for name in ("table", "domain", "strategy")},
        "agreement": number(agreement, 2),
        "disagreement": number(100.0 - agreement, 2),
        "dogmatic": number(dogmatic, 2),
        "dogmatic_possible": "NO" if too_dogmatic(agreement, dogmatic) else "yes",
        "switches": number(switches, 2),
        "one_switch": number(least, 2),
        "sycophancy": number(sycophancy, 2),
        "pooled_possible": "NO" if 0.0 < sycophancy < least else "yes",
        "smallest_mean": number(least_mean, 2),
        "mean_possible": "NO" if 0.0 < sycophancy < least_mean else "yes",
    }
