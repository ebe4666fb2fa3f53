"""Figures and tables of the identity study."""

from dissensus.report.declared import Figure, Headline, Table

_HERE = "dissensus.identity.figures"


HEADLINE = Headline(f"{_HERE}.headline:state", ("estimates", "metrics", "power"))
#: Shown on the results page at once.
_MAIN = ("conformity", "peers", "table_ibc")


def _figure(name: str, title: str, *reads: str) -> Figure:
    return Figure(name, f"{_HERE}.{name}:draw", reads, title, "1 Figures", name in _MAIN)


FIGURES = (
    _figure("conformity", "Figure 1. Conformity and obstinacy", "estimates"),
    _figure(
        "peers",
        "Figure 3. Identity bias with one and with several peers",
        *("estimates", "manifest"),
    ),
    _figure("rounds", "Figure 4. Identity bias by round", "estimates"),
    _figure("ibc_power", "How many questions an identity bias needs", "power"),
)


def _table(module: str, name: str, *reads: str) -> Table:
    """A table of the page of all tables, which is one result of the report."""
    title = "Tables 1 to 7, the debate model, and what is wrong as printed"
    return Table(name, f"{_HERE}.{module}:{name}", reads, title, "2 Tables", name in _MAIN)


#: The paper's seven by number, then the study's own.
TABLES = (
    _table("paper_tables", "table_1", "estimates", "manifest"),
    _table("paper_tables", "table_2", "estimates"),
    _table("paper_tables", "table_3", "estimates", "manifest"),
    _table("model_tables", "table_4", "estimates", "dcm"),
    _table("model_tables", "table_5", "estimates", "dcm"),
    _table("model_tables", "table_6", "estimates", "dcm"),
    _table("paper_tables", "table_7", "estimates"),
    _table("printed", "table_printed"),
    _table("model_tables", "table_dcm", "estimates", "dcm", "dcm_tests"),
    _table("model_tables", "table_ibc", "estimates", "dcm", "dcm_tests"),
    _table("model_tables", "table_rounds", "estimates", "dcm", "dcm_tests"),
    _table("model_tables", "table_goodness", "estimates", "dcm_tests"),
    _table("study_tables", "table_martingale", "estimates", "martingale"),
    _table("study_tables", "table_conduct", "estimates", "manifest", "metrics", "outcomes"),
    _table("study_tables", "table_power", "power"),
)
