"""What readers see of the consensus study: figures, tables, and what was misprinted."""

from dissensus.report.declared import Outputs

_SHOWN = Outputs(
    __package__,
    main=("effects", "course", "parts"),
    tables="Strategies, CCAgent, contrasts, and what was misprinted",
)
_READS = ("estimates", "planted", "metrics", "manifest")

HEADLINE = _SHOWN.headline("contrasts", "planted", "ablations")


FIGURES = (
    _SHOWN.figure("effects", "What each strategy changes, by domain", "contrasts", "planted"),
    _SHOWN.figure("behaviour", "Sycophancy and dogmatism", *_READS),
    _SHOWN.figure("course", "Debates that have agreed, by round", *_READS),
    _SHOWN.figure(
        "parts",
        "What each part of CCAgent is worth, and what carries over to another domain",
        "ablations",
    ),
    _SHOWN.figure("learned", "Consensus by what agents have learned from", *_READS),
)


TABLES = (
    _SHOWN.table("agent_tables", "table_1", "sanity"),
    _SHOWN.table(
        "strategy_tables",
        "table_2",
        *("estimates", "metrics", "manifest", "statements"),
        question="How do debates of each strategy go?",
        columns=(
            *("Domain", "Arm", "Debates", "Consensus %", "Agreement %", "Compromise %"),
            *("Vote switches", "GT match"),
        ),
    ),
    _SHOWN.table("strategy_tables", "table_3", "estimates", "metrics", "manifest", "statements"),
    _SHOWN.table(
        "strategy_tables",
        "table_contrasts",
        *("contrasts", "planted"),
        question="What does each strategy change, compared with debate?",
        columns=(
            *("Arm", "Statements", "Agreement, points", "Planted", "p (Holm)", "Consensus round"),
            *("p (Holm), rounds", "GT match", "p (Holm), match"),
        ),
    ),
    _SHOWN.table(
        "learned_tables",
        "table_ablations",
        "ablations",
        question="What is each part of CCAgent worth?",
        columns=(
            *("Question", "Comparison", "Statements", "Agreement, points", "Planted"),
            *("p (Holm)", "Detectable"),
        ),
    ),
    _SHOWN.table("learned_tables", "table_10", "estimates", "metrics", "manifest"),
    _SHOWN.table("agent_tables", "table_12", "sanity"),
    _SHOWN.table("learned_tables", "table_13", "estimates"),
    _SHOWN.table("printed", "table_printed"),
)
