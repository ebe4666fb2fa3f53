"""What readers see of the union study: figures, tables and captions.

Nothing here estimates: every share, interval and p-value is that of an artefact.
"""

from dissensus.report.declared import Figure, Headline, Table

_HERE = "dissensus.union.figures"


HEADLINE = Headline(
    f"{_HERE}.headline:state", ("verdicts", "wins", "manifest", "coaching", "judges")
)
#: Shown on the results page at once.
_MAIN = ("verdicts", "coaching", "judges", "table_judges")


def _figure(name: str, title: str, *reads: str) -> Figure:
    return Figure(name, f"{_HERE}.{name}:draw", reads, title, "1 Figures", name in _MAIN)


FIGURES = (
    _figure("verdicts", "Figure 1. Who wins", "verdicts", "wins", "manifest"),
    _figure("coaching", "Figure 2. What coaching changes", "coaching"),
    _figure("judges", "Figure 3. The judges, audited", "judges"),
    _figure("layers", "Figure 4. How far judges and layers agree", "judges", "verdicts"),
    _figure("survival", "Figure 5. What becomes of claims", "survival"),
    _figure("wins", "Figure 6. Win share by place of the speech", "wins"),
)


def _table(module: str, name: str, *reads: str) -> Table:
    """A table of the page of all tables, which is one result of the report."""
    title = "Verdicts, judges, coaching, speakers and claims"
    return Table(name, f"{_HERE}.{module}:{name}", reads, title, "2 Tables", name in _MAIN)


TABLES = (
    _table("debate_tables", "table_verdicts", "verdicts", "manifest"),
    _table("estimate_tables", "table_judges", "judges"),
    _table("estimate_tables", "table_layers", "judges"),
    _table("estimate_tables", "table_coaching", "coaching"),
    _table("estimate_tables", "table_wins", "wins"),
    _table("estimate_tables", "table_survival", "survival"),
    _table("debate_tables", "table_speakers", "speeches", "scores", "claims"),
    _table("debate_tables", "table_points", "points", "speeches"),
    _table("debate_tables", "table_claims", "claims"),
    _table("estimate_tables", "table_clusters", "clusters", "cluster_names"),
)
