"""What readers see of the union study: figures, tables and captions.

Nothing here estimates: every share, interval and p-value is that of an artefact.
"""

from dissensus.report.declared import Outputs

_SHOWN = Outputs(
    __package__,
    main=("verdicts", "coaching", "judges", "arguments"),
    tables="Verdicts, judges, coaching, speakers and claims",
)


HEADLINE = _SHOWN.headline("verdicts", "wins", "manifest", "coaching", "judges")


FIGURES = (
    _SHOWN.figure("verdicts", "Who wins", "verdicts", "wins", "manifest"),
    _SHOWN.figure("coaching", "What coaching changes", "coaching"),
    _SHOWN.figure("judges", "The judges, audited", "judges"),
    _SHOWN.figure("layers", "How far judges and layers agree", "judges", "verdicts"),
    _SHOWN.figure("survival", "What becomes of claims", "survival"),
    _SHOWN.figure("arguments", "What is argued", "map", "clusters", "cluster_names"),
)


TABLES = (
    _SHOWN.table(
        "debate_tables",
        "table_verdicts",
        *("verdicts", "manifest"),
        question="Which side won how many debates?",
    ),
    _SHOWN.table(
        "estimate_tables",
        "table_judges",
        "judges",
        question="Which judges are biased?",
        columns=(
            *("Judge", "Bias", "Statistic", "Estimate", "*% CI", "p (Holm)"),
            *("Named: favours", "N", "Note"),
        ),
    ),
    _SHOWN.table(
        "estimate_tables",
        "table_layers",
        "judges",
        question="How far do judges agree, and how far do the layers of judging?",
    ),
    _SHOWN.table(
        "estimate_tables",
        "table_coaching",
        "coaching",
        question="What does coaching change, from epoch to epoch?",
        columns=("Outcome", "Epoch", "Estimate", "*% CI", "p (Holm)", "N", "Note"),
        rows=(("Estimate of", "coached − control"), ("Method", "paired randomisation")),
    ),
    _SHOWN.table("estimate_tables", "table_wins", "wins"),
    _SHOWN.table("estimate_tables", "table_survival", "survival"),
    _SHOWN.table("debate_tables", "table_speakers", "speeches", "scores", "claims"),
    _SHOWN.table("debate_tables", "table_points", "points", "speeches"),
    _SHOWN.table("debate_tables", "table_claims", "claims"),
    _SHOWN.table("estimate_tables", "table_clusters", "clusters", "cluster_names"),
    _SHOWN.table(
        "printed",
        "table_printed",
        *("verdicts", "claims", "clusters", "scores", "points", "speeches"),
    ),
)
