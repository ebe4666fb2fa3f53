"""Write the tables of what a study has spent and of how its models behaved."""

from pathlib import Path
from typing import Any

from dissensus.debate.cost import priced
from dissensus.debate.spending import CONDUCT, SPENDING
from dissensus.figures.captions import write_caption
from dissensus.figures.money_tables import table_models, table_spending
from dissensus.figures.tables import as_csv, as_markdown, as_page
from dissensus.settings import load
from dissensus.stage import Stage, run
from dissensus.studies import study_of
from dissensus.tables.artefact import read, replacing


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    given = stage.settings
    debates = study_of(load(stage.config), Path(given["folder"]))
    lines = priced(given, debates)
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
