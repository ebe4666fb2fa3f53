"""What readers see of the consensus study: figures, tables, and what was misprinted."""

from dissensus.report.declared import Figure, Headline, Table

_HERE = "dissensus.consensus.figures"
#: Shown on the results page at once.
_MAIN = ("effects", "course", "table_2", "table_contrasts", "table_ablations")
_READS = ("estimates", "planted", "metrics", "manifest")

HEADLINE = Headline(f"{_HERE}.headline:state", ("contrasts", "planted", "ablations"))


def _figure(name: str, title: str, *reads: str) -> Figure:
    return Figure(name, f"{_HERE}.{name}:draw", reads, title, "1 Figures", name in _MAIN)


FIGURES = (
    _figure("behaviour", "Figure 3. Sycophancy and dogmatism", *_READS),
    _figure("course", "Figure 4. Debates that have agreed, by round", *_READS),
    _figure("effects", "Figure 5. What each strategy changes, by domain", "contrasts", "planted"),
    Figure(
        "parts",
        f"{_HERE}.parts:draw_changed",
        ("ablations",),
        "What each part of CCAgent is worth, and what carries over to another domain",
        "1 Figures",
        main=True,
    ),
    Figure(
        "learned",
        f"{_HERE}.parts:draw_reached",
        _READS,
        "Figure 11. Consensus by what agents have learned from",
        "1 Figures",
    ),
)


def _table(module: str, name: str, *reads: str) -> Table:
    title = "Strategies, CCAgent, contrasts, and what was misprinted"
    return Table(name, f"{_HERE}.{module}:{name}", reads, title, "2 Tables", name in _MAIN)


TABLES = (
    _table("agents", "table_1", "sanity"),
    _table("tables", "table_2", "estimates", "metrics", "manifest", "statements"),
    _table("tables", "table_3", "estimates", "metrics", "manifest", "statements"),
    _table("tables", "table_contrasts", "contrasts", "planted"),
    _table("learned", "table_ablations", "ablations"),
    _table("learned", "table_10", "estimates", "metrics", "manifest"),
    _table("agents", "table_12", "sanity"),
    _table("learned", "table_13", "estimates"),
    _table("printed", "table_printed"),
)
