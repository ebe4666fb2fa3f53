"""CCAgent's tables: other models (10), its parts (13), and what each part is worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dissensus.design.contrasts import HEADLINE
from dissensus.design.declared import ALL
from dissensus.report.frames import Record, keyed, records
from dissensus.report.labels import number, p_value
from dissensus.report.tables import Row, Table, make
from dissensus.report.view import Artefacts, View

from ..learning.inference import ABLATION, CLAIM, MODELS, TRANSFER, claim_p
from ..outcomes import PRIMARY
from ..wording import ABLATIONS, CCAGENT, RECONCILE
from .forest import domains_of
from .strategy_tables import CELL, COLUMNS, measure_cells
from .words import attrition, cell

#: Arm of the paper's Table 13 -> its column; metrics only is in its Figure 11.
_PARTS = {
    "ccagent_without_good": "w/o Good",
    "ccagent_without_bad": "w/o Bad",
    "ccagent_without_rationale": "w/o Rationale",
    "ccagent_without_counterfactual": "w/o Counterfactuals",
    "ccagent_metrics_only": "Metrics only",
    CCAGENT: "CCAgent",
}
_QUESTIONS = {
    ABLATION: "A part left out",
    TRANSFER: "Examples of another domain",
    CLAIM: "Do counterfactuals matter most?",
    MODELS: "Another model or temperature",
}


def table_10(artefacts: Artefacts, view: View) -> Table:
    """The reference, ReConcile and CCAgent by model and temperature."""
    by_cell = keyed(artefacts.frame("estimates"), *CELL)
    wanted = (view["arms"][view.reference], RECONCILE, CCAGENT)
    keys = {arm: (view["models_by_arm"][arm], view["temperatures"][arm]) for arm in view["arms"]}
    # A second name of an arm is no other model.
    named = {(*keys[arm], strategy): arm for arm, strategy in reversed(view["arms"].items())}
    arms = [arm for (_, _, strategy), arm in named.items() if strategy in wanted]
    rows: list[Row] = [
        (
            domain,
            keys[arm][0],
            view.arm(arm),
            f"{keys[arm][1]:g}",
            *measure_cells(by_cell, domain, arm),
        )
        for domain in domains_of(view)
        for arm in sorted(arms, key=lambda arm: (keys[arm], wanted.index(view["arms"][arm])))
    ]
    note = (
        f"Means over debates with {view.level} intervals over statements, as in "
        "Table 3. Arms with a model or a temperature of their own are those of consensus.variants; "
        "all of them read the same examples."
    )
    columns = (
        "Domain",
        "Model",
        "Arm",
        "Temp",
        "Debates",
        *(head for head, _, _ in COLUMNS.values()),
    )
    facts = {"attrition": attrition(artefacts)}
    title = "Table 10. Models and temperatures"
    return make("table_10", title, columns, rows, note, view.simulated, facts)


def table_13(artefacts: Artefacts, view: View) -> Table:
    """Every measure with a part of CCAgent left out, and with none."""
    by_cell = keyed(artefacts.frame("estimates"), *CELL)
    arms = _own_arms(view)
    shown = [(arms[strategy], head) for strategy, head in _PARTS.items() if strategy in arms]
    rows: list[Row] = [
        (domain, head, *(cell(by_cell[domain, arm, outcome], factor, digits) for arm, _ in shown))
        for domain in domains_of(view)
        for outcome, (head, factor, digits) in COLUMNS.items()
    ]
    note = (
        f"Means over debates with {view.level} intervals over statements; the "
        "last column is CCAgent's row of Table 3. The paper has city planning alone, without "
        "intervals, and says that removing counterfactuals hurts most; in its own numbers that "
        "removal hurts least on eight of nine measures. table_ablations tests it."
    )
    columns = ("Domain", "Measure", *(head for _, head in shown))
    title = "Table 13. CCAgent with parts left out"
    return make("table_13", title, columns, rows, note, view.simulated)


def table_ablations(artefacts: Artefacts, view: View) -> Table:
    """Every comparison of arms that learn: agreement and rounds, and what could be found."""
    frame = artefacts.frame("ablations")
    comparisons = frame[(frame["domain"] == ALL) & (frame["method"] == HEADLINE)]
    by_cell = keyed(comparisons, "outcome", "question", "arm", "reference")
    rows = [
        tuple(_comparison(view, row, by_cell["consensus_round", *compared]))
        for (outcome, *compared), row in by_cell.items()
        if outcome == PRIMARY
    ]
    note = (
        f"Paired by statement, over all domains: {view.level} intervals and p from a standard "
        "error by statement (CR2, Satterthwaite); Holm is over the comparisons of a question, and "
        "for rounds over comparisons and all further measures. Detectable: the smallest true "
        "difference in agreement, in points, that is found in 80% of studies after the strictest "
        "step of Holm, with the statements of this run and with the 24 that a domain has; "
        f"most of what is smaller would be missed. {_claim(records(comparisons))}"
    )
    columns = (
        *("Question", "Comparison", "Statements", "Agreement, points", "Planted", "p", "p (Holm)"),
        *("Detectable", "Detectable, 24", "Power for planted"),
        *("Consensus round", "Planted, rounds", "p (Holm), rounds"),
    )
    title = "What each part of CCAgent is worth"
    return make("table_ablations", title, columns, rows, note, view.simulated)


def _own_arms(view: View) -> dict[str, str]:
    """Strategy -> its arm with the model and temperature of the reference."""
    keys = {arm: (view["models_by_arm"][arm], view["temperatures"][arm]) for arm in view["arms"]}
    common = keys[view.reference]
    return {strategy: arm for arm, strategy in view["arms"].items() if keys[arm] == common}


def learned_arms(view: View) -> list[str]:
    """The reference, the ablations and CCAgent, in the order of the paper's Table 13."""
    arm_of = _own_arms(view)
    return [
        view.reference,
        *(arm_of[strategy] for strategy in (*ABLATIONS, CCAGENT) if strategy in arm_of),
    ]


def _comparison(view: View, row: Record, rounds: Record) -> Iterator[str]:
    yield _QUESTIONS[row["question"]]
    yield f"{view.arm_of(row)} − {view.arm(row['reference'])}"
    yield str(row["n_clusters"])
    yield cell(row, 100.0, 1)
    yield number(100 * row["true"], 1)
    yield p_value(row["p_value"])
    yield p_value(row["p_adjusted"])
    yield number(100 * row["detectable"], 1)
    yield number(100 * row["detectable_24"], 1)
    yield number(row["power"], 2)
    yield cell(rounds)
    yield number(rounds["true"], 2)
    yield p_value(rounds["p_adjusted"])


def _claim(rows: Sequence[Record]) -> str:
    """The paper's claim about counterfactuals, as tested here."""
    p = claim_p(rows)
    if p is None:
        return "The claim that the absence of counterfactuals hurts most cannot be tested here."
    return (
        "The paper's claim that \"the removal of counterfactuals leads to the largest performance "
        f'drop", tested for agreement: p = {p_value(p)} (the largest one-sided p of the three '
        "comparisons of that question: it has to win all of them)."
    )
