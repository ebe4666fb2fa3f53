"""What readers see of the deliberation study: figures, the graph of any debate, tables, captions.

Nothing here estimates but means and their intervals.
"""

from dissensus.report.declared import Figure, Headline, Table

_HERE = "dissensus.deliberation.figures"


HEADLINE = Headline(f"{_HERE}.headline:state", ("contrasts", "claims", "engagements", "stances"))
#: Shown on the results page at once.
_MAIN = ("contrasts", "trajectories", "ignored_claims", "table_arms")


def _figure(module: str, name: str, title: str, *reads: str) -> Figure:
    return Figure(name, f"{_HERE}.{module}:draw", reads, title, "1 Figures", name in _MAIN)


FIGURES = (
    _figure(
        "trajectories",
        "trajectories",
        "Figure 1. Entropy and retained divergence by round",
        *("rounds", "metrics", "manifest"),
    ),
    _figure(
        "control",
        "control",
        "Figure 2. Contentiousness and quality by round",
        *("rounds", "manifest"),
    ),
    _figure(
        "ignored_claims",
        "ignored_claims",
        "Figure 3. Claims that nobody engaged",
        *("claims", "engagements", "stances"),
    ),
    _figure("contrasts", "contrasts", "Figure 4. Arms against the reference", "contrasts"),
    _figure(
        "graph",
        "debate_graph",
        "Figure 5. One session's debate graph",
        *("claims", "engagements", "stances", "manifest", "topics"),
    ),
)


def _table(module: str, name: str, *reads: str) -> Table:
    """A table of the page of all tables, which is one result of the report."""
    title = "Arms, contrasts, references, influence and control"
    return Table(name, f"{_HERE}.{module}:{name}", reads, title, "2 Tables", name in _MAIN)


TABLES = (
    _table("arm_tables", "table_arms", "metrics", "manifest"),
    _table("contrast_tables", "table_contrasts", "contrasts"),
    _table("contrast_tables", "table_outcomes", "contrasts"),
    _table("contrast_tables", "table_silence", "contrasts", "metrics"),
    _table("arm_tables", "table_hints", "metrics", "contrasts"),
    _table("debate_tables", "table_references", "metrics"),
    _table("debate_tables", "table_pairs", "pairs"),
    _table("arm_tables", "table_calls", "metrics", "outcomes", "manifest"),
    _table("debate_tables", "table_control", "rounds"),
    _table("debate_tables", "table_influence", "influence", "metrics", "manifest"),
)
