"""Write what all debates come to: in numbers, in sentences, and the coaching memos."""

from typing import Any

from dissensus.report.markdown import write_data
from dissensus.study.stage import Stage, run
from dissensus.tables.artefact import write_text
from dissensus.union.pages.memos import memos_page
from dissensus.union.pages.run import load
from dissensus.union.pages.summary import summary
from dissensus.union.pages.synthesis import synthesis_page


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    run_data = load(dict(inputs.items()), stage.simulated)
    write_data(outputs.summary, summary(run_data))
    write_text(outputs.memos, memos_page(run_data))
    write_text(outputs.synthesis, synthesis_page(run_data))


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
