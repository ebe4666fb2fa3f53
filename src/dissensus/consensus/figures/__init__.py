"""What readers see of the consensus study: three figures, three tables, and what was misprinted."""

from dissensus.report.declared import Outputs

_SHOWN = Outputs(
    "dissensus.consensus.figures",
    main=("effects", "course", "table_2", "table_contrasts"),
    tables="Strategies, baselines, contrasts, and what was misprinted",
)
_READS = ("estimates", "planted", "metrics", "manifest")

HEADLINE = _SHOWN.headline("contrasts", "planted")


FIGURES = (
    _SHOWN.figure("behaviour", "Figure 3. Sycophancy and dogmatism", *_READS),
    _SHOWN.figure("course", "Figure 4. Debates that have agreed, by round", *_READS),
    _SHOWN.figure(
        "effects", "Figure 5. What each strategy changes, by domain", "contrasts", "planted"
    ),
)


TABLES = (
    _SHOWN.table("tables", "table_2", "estimates", "metrics", "manifest", "statements"),
    _SHOWN.table("tables", "table_3", "estimates", "metrics", "manifest", "statements"),
    _SHOWN.table("tables", "table_contrasts", "contrasts", "planted"),
    _SHOWN.table("printed", "table_printed"),
)
