"""What the paper printed and its own formulas cannot give."""

from __future__ import annotations

import math

from dissensus.report.labels import number
from dissensus.report.tables import Table, make
from dissensus.report.view import Artefacts, View

#: Table, domain, strategy, consensus round, vote switches, agreement %, dogmatic %, sycophancy %.
PRINTED = (
    ("2", "City planning", "Alliance", 3.48, 1.32, 82.00, 13.00, 2.08),
    ("2", "City planning", "Compromise", 3.20, 2.16, 88.00, 5.00, 6.33),
    ("2", "City planning", "Credible Agent", 3.72, 1.60, 81.00, 18.00, 6.17),
    ("2", "City planning", "Debate", 3.49, 1.09, 81.16, 17.46, 2.75),
    ("2", "City planning", "Debate-Consensus", 3.44, 1.08, 81.51, 17.46, 2.75),
    ("2", "City planning", "Debate-Discuss", 3.38, 1.04, 81.85, 17.46, 2.75),
    ("2", "City planning", "Moderator", 3.52, 1.76, 83.00, 14.00, 3.60),
    ("2", "City planning", "Nudger", 3.20, 1.56, 86.00, 13.00, 4.90),
    ("2", "City planning", "Opposites", 3.36, 1.20, 86.00, 11.00, 2.58),
    ("2", "City planning", "Sentimental", 4.16, 1.96, 73.00, 23.00, 4.90),
    ("2", "Politics", "Alliance", 4.83, 1.64, 64.00, 57.60, 1.28),
    ("2", "Politics", "Debate - consensus", 5.00, 1.33, 60.71, 69.52, 0.76),
    ("2", "Politics", "Debate", 5.00, 0.71, 61.90, 75.24, 0.38),
    ("2", "Politics", "Debate- discuss", 5.00, 2.05, 58.33, 61.90, 1.90),
    ("2", "Politics", "Moderator", 3.05, 5.38, 92.30, 4.76, 4.14),
    ("2", "Politics", "Nudger", 5.00, 3.24, 58.33, 60.95, 1.52),
    ("2", "Politics", "Opposites", 4.81, 2.10, 59.52, 60.00, 1.33),
    ("2", "Politics", "Consensus", 4.04, 3.44, 89.00, 20.00, 5.45),
    ("2", "Politics", "Sentimental", 5.00, 2.29, 59.52, 59.05, 1.90),
    ("2", "Politics", "Credible", 4.89, 2.26, 62.00, 21.00, 1.93),
    ("3", "City planning", "Nudge", 3.00, 1.00, 89.29, 12.50, 4.17),
    ("3", "City planning", "Nudge (temp 1)", 3.05, 1.00, 90.30, 10.10, 4.16),
    ("3", "City planning", "Compromise", 3.14, 1.79, 89.29, 5.36, 4.82),
    ("3", "City planning", "Compromise (temp 1)", 3.29, 2.93, 83.93, 7.14, 5.71),
    ("3", "City planning", "ReConcile", 3.42, 2.26, 83.10, 10.90, 8.17),
    ("3", "City planning", "CCAGENT", 2.86, 1.79, 89.29, 1.79, 7.14),
    ("3", "City planning", "CCAGENT (temp 1)", 1.86, 0.86, 100.00, 0.00, 4.91),
    ("3", "Politics", "Moderator", 3.42, 1.18, 86.70, 14.00, 5.10),
    ("3", "Politics", "Moderator (temp 1)", 3.56, 1.22, 87.50, 12.20, 5.15),
    ("3", "Politics", "Compromise", 3.60, 2.02, 86.80, 6.20, 5.76),
    ("3", "Politics", "Compromise (temp 1)", 3.52, 2.06, 86.90, 5.40, 5.74),
    ("3", "Politics", "ReConcile", 4.76, 2.26, 82.90, 8.90, 6.13),
    ("3", "Politics", "CCAGENT", 3.12, 2.02, 86.80, 2.45, 8.22),
    ("3", "Politics", "CCAGENT (temp 1)", 2.34, 1.12, 96.00, 0.00, 5.91),
)
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
    rows = []
    for table, domain, strategy, _, switches, agreement, dogmatic, sycophancy in PRINTED:
        least, least_mean = smallest_share(switches), smallest_mean(switches, domain)
        rows.append(
            (
                f"Table {table}",
                domain,
                strategy,
                number(agreement, 2),
                number(100.0 - agreement, 2),
                number(dogmatic, 2),
                "NO" if too_dogmatic(agreement, dogmatic) else "yes",
                number(switches, 2),
                number(least, 2),
                number(sycophancy, 2),
                "NO" if 0.0 < sycophancy < least else "yes",
                number(least_mean, 2),
                "NO" if 0.0 < sycophancy < least_mean else "yes",
            )
        )
    breaks = sum(too_dogmatic(row[5], row[6]) for row in PRINTED)
    fewer = sum(0.0 < row[7] < smallest_share(row[4]) for row in PRINTED)
    impossible = sum(0.0 < row[7] < smallest_mean(row[4], row[1]) for row in PRINTED)
    note = (
        "The paper's own numbers. A dogmatic agent ended outside the largest group, so that no "
        f"more can be dogmatic than 100 minus agreement; {breaks} of {len(PRINTED)} rows have "
        "more. Sycophancy is defined as a share of vote switches, of all debates together (pooled) "
        "or of each debate and then averaged (mean); the paper does not say which. Pooled, in at "
        f"most {DEBATES} debates, one switch alone is a larger share than {fewer} rows print; as a "
        f"mean, the smallest that is not 0 is larger than {impossible} prints. As a share of "
        "opportunities (agents times rounds) all rows are possible. Agree to every "
        "statement of its Table 5 (politics) matches 10 of 20, or 11 where the set Neutral to "
        "Agree counts, and of its Table 6 (city planning) 10 of 25."
    )
    columns = (
        *("Source", "Domain", "Strategy", "Agreement %", "100 − agreement", "Dogmatic %"),
        *("Dogmatic possible", "Switches", "One switch, %", "Sycophancy %"),
        *("Possible of switches pooled", "Smallest mean, %", "Possible as a mean of debates"),
    )
    return make(
        "table_printed", "What was printed and cannot be", columns, rows, note, simulated=False
    )
