"""What readers see of the language study: figures, tables, captions, and two speeches side by side.

Nothing here estimates.
"""

from dissensus.report.declared import Outputs

_SHOWN = Outputs(
    __package__,
    main=("paired_effects", "specifications", "components"),
    tables="All tables",
    section="6 Tables",
)
_DESIGN, _EFFECT, _ROBUST = "1 Design", "2 Language effect", "3 Robustness"


HEADLINE = _SHOWN.headline(
    "language_effect", "specification_curve", "specification_tests", "saturation"
)


FIGURES = (
    _SHOWN.figure(
        "flow",
        "From the motion pool to complete draws",
        *("pool", "manifest", "outcomes"),
        section=_DESIGN,
    ),
    _SHOWN.figure(
        "power", "What the study could find", "power", "language_effect", section=_DESIGN
    ),
    _SHOWN.figure(
        "paired_effects",
        "The effect, draw by draw",
        *("metrics", "language_effect"),
        section=_EFFECT,
    ),
    _SHOWN.figure(
        "components",
        "Words or meaning: the components of the index",
        *("metrics", "language_effect"),
        section=_EFFECT,
    ),
    _SHOWN.figure(
        "specifications",
        "The effect under every choice of measure",
        *("specification_curve", "specification_tests"),
        section=_ROBUST,
    ),
    _SHOWN.figure(
        "saturation",
        "Which bounded scales have run out",
        *("metrics", "saturation"),
        section=_ROBUST,
    ),
    _SHOWN.figure(
        "domains",
        "Means and language effects by domain",
        *("metrics", "domains", "domain_tests", "language_effect"),
        section="4 Domains",
    ),
    _SHOWN.figure("reuse", "How much speakers recycle", "reuse", section="5 Case study"),
)


TABLES = (
    _SHOWN.table(
        "paper_tables",
        "table_1",
        "language_effect",
        question="How large is the effect, and how much of it is the instrument's own?",
    ),
    _SHOWN.table("paper_tables", "table_2", "domains"),
    _SHOWN.table("paper_tables", "table_3", "diagnostics"),
    _SHOWN.table("paper_tables", "table_4", "diagnostics"),
    _SHOWN.table("paper_tables", "table_5", "diagnostics"),
    _SHOWN.table("paper_tables", "table_6", "diagnostics", "outcomes"),
    _SHOWN.table("paper_tables", "table_7", "language_effect"),
    _SHOWN.table(
        "printed",
        "table_paper",
        *(
            "language_effect",
            "metrics",
            "power",
            "domain_tests",
            "domain_contrasts",
            "diagnostics",
            "reliability",
        ),
        question="What does the paper print, and what does this run find?",
    ),
    _SHOWN.table(
        "study_tables",
        "table_components",
        "language_effect",
        question="Which parts of the index carry the effect?",
        columns=(
            *("Contrast", "Part", "Unit", "Net", "*% CI, net", "p-value, net", "Offset"),
            *("As read", "N"),
        ),
    ),
    _SHOWN.table("study_tables", "table_instrument", "instrument"),
    _SHOWN.table("study_tables", "table_saturation", "saturation"),
    _SHOWN.table("study_tables", "table_domain_tests", "domain_tests"),
    _SHOWN.table("study_tables", "table_conduct", "diagnostics"),
    _SHOWN.table("study_tables", "table_reliability", "reliability", "pool"),
)
