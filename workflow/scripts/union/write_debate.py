"""Write one debate, the one that the files are named after, as a whole: to read, and as data."""

from pathlib import Path
from typing import Any

from dissensus.report.markdown import write_data
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write_text
from dissensus.union.pages.debate import check_debate, debate_data, debate_page
from dissensus.union.pages.run import load


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    session = Path(outputs.page).stem
    run_data = load(dict(inputs.items()), stage.simulated, session=session)
    check_debate(run_data, session)
    write_text(outputs.page, debate_page(run_data, session))
    write_data(outputs.data, debate_data(run_data, session))


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
