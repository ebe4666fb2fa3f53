"""What readers see of the consensus study: three figures, three tables, and what was misprinted."""

from dissensus.report.declared import Figure, Headline, Table

_HERE = "dissensus.consensus.figures"
#: Shown on the results page at once.
_MAIN = ("effects", "course", "table_2", "table_contrasts")
_READS = ("estimates", "planted", "metrics", "manifest")

HEADLINE = Headline(f"{_HERE}.headline:state", ("contrasts", "planted"))


def _figure(name: str, title: str, *reads: str) -> Figure:
    return Figure(name, f"{_HERE}.{name}:draw", reads, title, "1 Figures", name in _MAIN)


FIGURES = (
    _figure("behaviour", "Figure 3. Sycophancy and dogmatism", *_READS),
    _figure("course", "Figure 4. Debates that have agreed, by round", *_READS),
    _figure("effects", "Figure 5. What each strategy changes, by domain", "contrasts", "planted"),
)


def _table(module: str, name: str, *reads: str) -> Table:
    title = "Strategies, baselines, contrasts, and what was misprinted"
    return Table(name, f"{_HERE}.{module}:{name}", reads, title, "2 Tables", name in _MAIN)


TABLES = (
    _table("tables", "table_2", "estimates", "metrics", "manifest", "statements"),
    _table("tables", "table_3", "estimates", "metrics", "manifest", "statements"),
    _table("tables", "table_contrasts", "contrasts", "planted"),
    _table("printed", "table_printed"),
)
