"""Figures and tables of the identity study."""

from dissensus.report.declared import Outputs

_SHOWN = Outputs(
    "dissensus.identity.figures",
    main=("conformity", "peers"),
    tables="Tables 1 to 7, the debate model, and what is wrong as printed",
)


HEADLINE = _SHOWN.headline("estimates", "metrics", "power", "comparisons")


FIGURES = (
    _SHOWN.figure("conformity", "Conformity and obstinacy", "estimates"),
    _SHOWN.figure(
        "peers", "Identity bias with one and with several peers", "estimates", "manifest"
    ),
    _SHOWN.figure("rounds", "Identity bias by round", "estimates", "comparisons"),
    _SHOWN.figure("equal_tokens", "Is debate worth its tokens?", "equal_tokens"),
)


#: The paper's seven by number, then the study's own.
TABLES = (
    _SHOWN.table(
        "paper_tables",
        "table_1",
        *("estimates", "manifest"),
        question="Do agents follow an answer less where they do not see whose it is?",
        columns=("Agent", "Anonymize", "all banks, *"),
    ),
    _SHOWN.table("paper_tables", "table_2", "estimates"),
    _SHOWN.table("paper_tables", "table_3", "estimates", "manifest"),
    _SHOWN.table("model_tables", "table_4", "estimates", "dcm"),
    _SHOWN.table("paper_tables", "table_7", "estimates"),
    _SHOWN.table(
        "comparison_tables",
        "table_comparisons",
        "comparisons",
        question="Do the paper's claims hold as tested differences?",
        columns=(
            *("Question", "Team", "Measure", "Side", "Other side", "Difference, *", "p (Holm)"),
            "Questions",
        ),
    ),
    _SHOWN.table("comparison_tables", "table_agents", "comparisons"),
    _SHOWN.table("printed", "table_printed"),
    _SHOWN.table("model_tables", "table_dcm", "estimates", "dcm", "dcm_tests"),
    _SHOWN.table(
        "model_tables",
        "table_ibc",
        *("estimates", "dcm", "dcm_tests"),
        question="Does the debate model find the same identity bias?",
        columns=("Team", "Bank", "pi_peer − pi_self", "Delta, *"),
        rows=(("Condition", "difference"),),
    ),
    _SHOWN.table("model_tables", "table_rounds", "estimates", "dcm", "dcm_tests"),
    _SHOWN.table("model_tables", "table_goodness", "estimates", "dcm_tests"),
    _SHOWN.table("study_tables", "table_martingale", "estimates", "martingale"),
    _SHOWN.table("study_tables", "table_conduct", "estimates", "manifest", "metrics", "outcomes"),
    _SHOWN.table("study_tables", "table_power", "power"),
)
