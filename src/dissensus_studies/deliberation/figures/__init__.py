"""What readers see of the deliberation study: figures, the graph of any debate, tables, captions.

Nothing here estimates but means and their intervals.
"""

from dissensus.report.declared import Outputs

_SHOWN = Outputs(
    __package__,
    main=("contrasts", "trajectories", "ignored_claims"),
    tables="Arms, contrasts, references, influence and control",
)


HEADLINE = _SHOWN.headline("contrasts", "unanswered")


FIGURES = (
    _SHOWN.figure("contrasts", "Arms against the reference", "contrasts"),
    _SHOWN.figure(
        "trajectories",
        "Entropy and retained divergence by round",
        *("trajectories", "rounds", "metrics"),
    ),
    _SHOWN.figure("control", "Contentiousness and quality by round", "rounds", "trajectories"),
    _SHOWN.figure("ignored_claims", "Claims that nobody engaged", "claims", "unanswered"),
    _SHOWN.figure(
        "debate_graph",
        "One session's debate graph",
        *("claims", "engagements", "stances", "manifest", "topics"),
        module="graph",
    ),
    _SHOWN.figure("equal_tokens", "Is debate worth its tokens?", "equal_tokens"),
)


TABLES = (
    _SHOWN.table(
        "arm_tables",
        "table_arms",
        *("metrics", "rounds"),
        question="How much disagreement does each arm keep?",
        columns=(
            *("Arm", "Complete", "Entropy, first", "Entropy, last", "Retention", "Groupthink"),
            *("Agreement", "Correct"),
        ),
    ),
    _SHOWN.table(
        "contrast_tables",
        "table_contrasts",
        "contrasts",
        question="Does an arm keep more disagreement than the reference?",
        columns=("Arm", "Difference", "*% CI", "p (Holm)", "p (sign flip, Holm)", "Draws"),
    ),
    _SHOWN.table(
        "contrast_tables", "table_outcomes", "contrasts", question="What else do the arms change?"
    ),
    _SHOWN.table("arm_tables", "table_engagement", "metrics"),
    _SHOWN.table("contrast_tables", "table_silence", "contrasts", "metrics"),
    _SHOWN.table("arm_tables", "table_hints", "metrics", "contrasts"),
    _SHOWN.table("debate_tables", "table_references", "metrics"),
    _SHOWN.table("debate_tables", "table_pairs", "pairs"),
    _SHOWN.table("arm_tables", "table_calls", "metrics", "outcomes", "manifest"),
    _SHOWN.table("debate_tables", "table_control", "rounds"),
    _SHOWN.table(
        "debate_tables", "table_influence", "influence", "metrics", "manifest", "left_out"
    ),
)
