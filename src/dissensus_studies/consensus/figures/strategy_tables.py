"""The paper's Tables 2 and 3 in their shape, with intervals; and the contrasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from dissensus.design.contrasts import HEADLINE, RANDOMISATION
from dissensus.design.declared import ALL
from dissensus.report.frames import Keyed, keyed, records
from dissensus.report.labels import MISSING, number, p_value
from dissensus.report.tables import Row, Table, make
from dissensus.report.view import Artefacts, View

from ..design import DEBATE
from ..inference import LOG_RANK
from ..outcomes import OUTCOMES, PRIMARY, header
from ..scale import AGREE
from ..wording import CCAGENT, RECONCILE
from .forest import domains_of, joined_planted
from .words import attrition, cell

#: outcome -> factor and decimals, in the order of the paper's tables.
_PRINTED = {
    "consensus_round": (1.0, 2),
    "consensus": (100.0, 0),
    "majority_round": (1.0, 2),
    "switches": (1.0, 2),
    PRIMARY: (100.0, 1),
    "compromise": (100.0, 1),
    "cosine": (1.0, 2),
    "dogmatic": (100.0, 1),
    "sycophancy": (100.0, 1),
    "sycophancy_of_switches": (100.0, 1),
    "match": (1.0, 2),
    "match_levels": (1.0, 2),
}
#: outcome -> column, factor and decimals.
COLUMNS = {
    name: (header(name, factor), factor, digits) for name, (factor, digits) in _PRINTED.items()
}
#: What the columns that a reader may take for each other count.
COUNTED = " ".join(
    f"{OUTCOMES[name].column}: {OUTCOMES[name].over}." for name in (PRIMARY, "consensus")
)
#: What names a cell of the estimates.
CELL = ("domain", "arm", "outcome")
#: The paper's Table 3: its method, and what it sets beside it.
FINAL = ("nudger", "moderator", "compromise", RECONCILE, CCAGENT)


def table_2(artefacts: Artefacts, view: View) -> Table:
    """Every strategy on every measure."""
    arms = [arm for arm in view.arms if view["arms"][arm] not in (RECONCILE, CCAGENT)]
    title = "Table 2. Strategies on consensus, agreement and behaviour"
    return _measures("table_2", title, artefacts, view, arms, _BESIDE)


def table_3(artefacts: Artefacts, view: View) -> Table:
    """CCAgent, the strategies that the paper's Table 3 has as baselines, and ReConcile."""
    models = view["models_by_arm"]
    arms = [
        arm
        for arm, strategy in view["arms"].items()
        if strategy in FINAL and models[arm] == models[view.reference]
    ]
    title = "Table 3. CCAgent and its baselines"
    note = _weighted(artefacts, view)
    return _measures("table_3", title, artefacts, view, arms, note)


_BESIDE = (
    "A debate that never agreed counts with the last round in the consensus round, which makes it "
    "the mean restricted to that many rounds; the share that agreed stands beside it."
)


def _measures(
    name: str, title: str, artefacts: Artefacts, view: View, arms: Sequence[str], besides: str
) -> Table:
    estimates, manifest, statements = artefacts.frames("estimates", "manifest", "statements")
    by_cell = keyed(estimates, *CELL)
    rows: list[Row] = []
    for domain in domains_of(view):
        rows += [(domain, view.arm(arm), *measure_cells(by_cell, domain, arm)) for arm in arms]
        rows.append(_always_agree(domain, manifest, statements))
    note = (
        f"Means over debates with {view.level} intervals over statements: Student's, of shares on "
        "the logit scale; exact where a share is none or all. "
        f"{COUNTED} {besides} "
        "Sycophancy is given as a share of opportunities (agents times rounds), which the "
        "paper's numbers fit, and as its Table 11 has it, of switches, over the debates with "
        "any. Always Agree: the match of that answer to every statement debated."
    )
    columns = ("Domain", "Arm", "Debates", *(head for head, _, _ in COLUMNS.values()))
    facts = {"attrition": attrition(artefacts)}
    return make(name, title, columns, rows, note, view.simulated, facts)


def measure_cells(by_cell: Keyed, domain: str, arm: str) -> tuple[str, ...]:
    """How many debates an arm has in a domain, and every measure of them with its interval.

    Parameters
    ----------
    by_cell : the rows of the estimates by :data:`CELL`.
    """
    return str(by_cell[domain, arm, PRIMARY]["n"]), *(
        cell(by_cell[domain, arm, outcome], factor, digits)
        for outcome, (_, factor, digits) in COLUMNS.items()
    )


def _always_agree(domain: str, manifest: pd.DataFrame, statements: pd.DataFrame) -> Row:
    """The match of a constant Agree, on the statements that were drawn."""
    debated = (manifest["domain"] == domain) & (manifest["kind"] == DEBATE)
    drawn = set(manifest.loc[debated, "statement_id"])
    in_debates = statements[statements["statement_id"].isin(drawn)]
    exact = ((in_debates["truth_low"] <= AGREE) & (in_debates["truth_high"] >= AGREE)).mean()
    # At three levels, Agree is what Strongly agree is.
    near = (in_debates["truth_high"] >= AGREE).mean()
    blanks = [MISSING] * (len(COLUMNS) - 2)
    return (
        domain,
        "always Agree",
        str(len(in_debates)),
        *blanks,
        number(exact, 2),
        number(near, 2),
    )


def _weighted(artefacts: Artefacts, view: View) -> str:
    """What becomes of the match where ReConcile's vote is weighted by confidence."""
    estimates = artefacts.frame("estimates")
    by_outcome = estimates[
        (estimates["outcome"] == "weighted_match") & estimates["estimate"].notna()
    ]
    by_outcome = by_outcome[by_outcome["domain"] != ALL]
    matches = [
        f"{cell(row)} in {row['domain']} ({view.arm_of(row)})" for row in records(by_outcome)
    ]
    weighted = (
        f"By its confidence-weighted vote, ReConcile matches {' and '.join(matches)}. "
        if matches
        else ""
    )
    return f"{weighted}{_BESIDE}"


def table_contrasts(artefacts: Artefacts, view: View) -> Table:
    """Every arm against the reference: agreement, rounds to consensus, and match."""
    contrasts, planted = artefacts.frames("contrasts", "planted")
    pooled = joined_planted(contrasts[contrasts["domain"] == ALL], planted, "effect")
    by_cell = keyed(pooled, "arm", "outcome", "method")
    arms = [arm for arm in view.arms[1:] if (arm, PRIMARY, HEADLINE) in by_cell]
    rows = [(view.arm(arm), *_contrast(arm, by_cell)) for arm in arms]
    note = (
        f"Arm minus {view.arm(view.reference)} on the same statements, over all domains: "
        f"{view.level} intervals and p from a standard error by statement (CR2, Satterthwaite), "
        "adjusted over the arms (Holm) for agreement, which is the primary outcome, and over arms "
        f"and outcomes for the others. {COUNTED} "
        "Planted: the difference that the simulated agents' equations have for these "
        "statements. The log-rank test takes debates that never agreed for "
        "censored; its p is adjusted over the arms."
    )
    columns = (
        *("Arm", "Statements", "Agreement, points", "Planted", "p", "p (Holm)", "p (sign flip)"),
        *("Consensus round", "Planted, rounds", "p (Holm), rounds", "p (log-rank, Holm)"),
        *("GT match", "Planted, match", "p (Holm), match"),
    )
    return make(
        "table_contrasts", "What each strategy changes", columns, rows, note, view.simulated
    )


def _contrast(arm: str, by_cell: Keyed) -> Iterator[str]:
    primary = by_cell[arm, PRIMARY, HEADLINE]
    yield str(primary["n_clusters"])
    yield cell(primary, 100.0, 1)
    yield number(100 * primary["planted"], 1)
    yield p_value(primary["p_value"])
    yield p_value(primary["p_adjusted"])
    yield p_value(by_cell[arm, PRIMARY, RANDOMISATION]["p_value"])
    rounds = by_cell[arm, "consensus_round", HEADLINE]
    yield cell(rounds)
    yield number(rounds["planted"], 2)
    yield p_value(rounds["p_adjusted"])
    yield p_value(by_cell[arm, "consensus_round", LOG_RANK]["p_adjusted"])
    matched = by_cell[arm, "match", HEADLINE]
    yield cell(matched)
    yield number(matched["planted"], 2)
    yield p_value(matched["p_adjusted"])
