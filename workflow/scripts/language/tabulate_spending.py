"""Write the tables of what the run has spent and of how its models behaved."""

from typing import Any

from dissensus.language.design.cost import estimate_settings
from dissensus.language.design.manifest import MANIFEST
from dissensus.language.design.pool import read_pool
from dissensus.language.figures.captions import write_caption
from dissensus.language.figures.money_tables import table_models, table_spending
from dissensus.language.figures.tables import as_csv, as_markdown, as_page
from dissensus.language.spending import CONDUCT, SPENDING
from dissensus.stage import Stage, run
from dissensus.tables.artefact import read, replacing


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    given = stage.settings
    manifest = read(inputs.manifest, MANIFEST).to_pylist()
    lines = estimate_settings(given, manifest, read_pool(inputs.pool))
    spent = read(inputs.spending, SPENDING).to_pylist()
    conduct = read(inputs.conduct, CONDUCT).to_pylist()
    tables = [
        table_spending(spent, lines, given["budget_usd"], stage.simulated),
        table_models(conduct, spent, lines, stage.simulated),
    ]
    for made, comma, markdown in zip(tables, outputs.csv, outputs.markdown, strict=True):
        write_text(comma, as_csv(made))
        write_text(markdown, as_markdown(made))
    write_text(outputs.page, as_page(tables, "Conduct and cost"))
    counts = {"calls": str(sum(row["calls"] for row in spent))}
    write_caption(outputs.caption, inputs.caption, counts, stage.simulated)


def write_text(path: str, text: str) -> None:
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
