"""What readers see of the language study: figures, tables, captions, and two speeches side by side.

Nothing here estimates.
"""

from dissensus.report.declared import Figure, Headline, Table

_HERE = "dissensus.language.figures"
_DESIGN, _EFFECT, _ROBUST = "1 Design", "2 Language effect", "3 Robustness"


HEADLINE = Headline(
    f"{_HERE}.headline:state",
    ("language_effect", "specification_curve", "specification_tests", "saturation"),
)
#: Shown on the results page at once.
_MAIN = ("paired_effects", "specifications", "components", "table_paper")


def _figure(name: str, title: str, section: str, *reads: str) -> Figure:
    return Figure(name, f"{_HERE}.{name}:draw", reads, title, section, name in _MAIN)


FIGURES = (
    _figure(
        "flow",
        "Figure 1. From the motion pool to complete draws",
        _DESIGN,
        *("pool", "manifest", "outcomes"),
    ),
    _figure("power", "Figure 2. What the study could find", _DESIGN, "power", "language_effect"),
    _figure(
        "paired_effects",
        "Figure 3. The effect, draw by draw",
        _EFFECT,
        *("metrics", "language_effect"),
    ),
    _figure(
        "components",
        "Figure 4. Words or meaning: the components of the index",
        _EFFECT,
        *("metrics", "language_effect"),
    ),
    _figure(
        "specifications",
        "Figure 5. The effect under every choice of measure",
        _ROBUST,
        *("specification_curve", "specification_tests"),
    ),
    _figure(
        "saturation",
        "Figure 6. Which bounded scales have run out",
        _ROBUST,
        *("metrics", "saturation"),
    ),
    _figure(
        "domains",
        "Figure 7. Means and language effects by domain",
        "4 Domains",
        *("metrics", "domains", "domain_tests", "language_effect"),
    ),
    _figure("reuse", "Figure 8. How much speakers recycle", "5 Case study", "reuse"),
)


def _table(module: str, name: str, *reads: str) -> Table:
    """A table of the page of all tables, which is one result of the report."""
    title, section = "All tables", "6 Tables"
    return Table(name, f"{_HERE}.{module}:{name}", reads, title, section, name in _MAIN)


TABLES = (
    _table("paper_tables", "table_1", "language_effect"),
    _table("paper_tables", "table_2", "domains"),
    _table("paper_tables", "table_3", "diagnostics"),
    _table("paper_tables", "table_4", "diagnostics"),
    _table("paper_tables", "table_5", "diagnostics"),
    _table("paper_tables", "table_6", "diagnostics", "outcomes"),
    _table("paper_tables", "table_7", "language_effect"),
    _table(
        "printed",
        "table_paper",
        *("language_effect", "metrics", "power", "domain_tests", "domain_contrasts"),
        *("diagnostics", "reliability"),
    ),
    _table("study_tables", "table_components", "language_effect"),
    _table("study_tables", "table_instrument", "instrument"),
    _table("study_tables", "table_saturation", "saturation"),
    _table("study_tables", "table_domain_tests", "domain_tests"),
    _table("study_tables", "table_conduct", "diagnostics"),
    _table("study_tables", "table_reliability", "reliability", "pool"),
)
