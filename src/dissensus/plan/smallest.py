"""What a study can find, and for how much, as its diagnosis says where there is one."""

from __future__ import annotations

from textwrap import wrap

from dissensus.plan.cost import EXPECTED, priced
from dissensus.plan.priced import price_settings
from dissensus.report.labels import listed
from dissensus.study.configuration import Configuration
from dissensus.study.sessions import Sessions
from dissensus.tables.artefact import read


def describe_smallest(configuration: Configuration, sessions: Sessions) -> list[str]:
    """The smallest differences that are found with 80% power, and the price, as lines.

    They are those that ``snakemake diagnosis`` has found for the number of items that is set; no
    line without it.
    """
    from dissensus.design.diagnosis import DIAGNOSIS

    path, items = sessions.folder / "design_diagnosis.parquet", len(sessions.items)
    if not path.is_file():
        return []
    smallest = {
        row["world"].split(", ", 1)[1]: row["smallest"]
        for row in read(path, DIAGNOSIS).to_pylist()
        # A null is played by the reference alone, and says nothing of what the arms vary by.
        if row["items"] == items and row["smallest"] is not None and row["true_se"]
    }
    if not smallest:
        return []
    found = listed(f"{value:.3f} ({name})" for name, value in smallest.items())
    lines = priced(price_settings(configuration, sessions.study.name), sessions)
    has_price = bool(lines) and all(line.has_price for line in lines)
    price = f", for ${sum(line.usd(EXPECTED) for line in lines):,.2f}" if has_price else ""
    return wrap(
        f"with {items:,} items the smallest difference found with 80% power is {found}{price}, as "
        "simulated models say (snakemake diagnosis)",
        100,
    )
