"""Write the paper's tables in its shape, and the study's own beside them."""

from typing import Any

from dissensus.language.figures import paper_tables, printed, study_tables
from dissensus.language.figures.frames import View
from dissensus.language.inference.domain_tests import TESTS
from dissensus.language.inference.estimators import METHODS
from dissensus.report.captions import write_caption
from dissensus.report.frames import read_frame
from dissensus.report.tables import Table, write_tables
from dissensus.study.stage import Stage, run


def make_tables(inputs: Any, view: View, threshold: float) -> list[Table]:
    effect, diagnostics = read_frame(inputs.effect), read_frame(inputs.diagnostics)
    tests, reliability = read_frame(inputs.tests), read_frame(inputs.reliability)
    artefacts = printed.Artefacts(
        read_frame(inputs.metrics),
        effect,
        diagnostics,
        tests,
        read_frame(inputs.contrasts),
        read_frame(inputs.power),
        reliability,
    )
    return [
        paper_tables.table_1(effect, view),
        paper_tables.table_2(read_frame(inputs.domains), view),
        paper_tables.table_3(diagnostics, view),
        paper_tables.table_4(diagnostics, view),
        paper_tables.table_5(diagnostics, view),
        paper_tables.table_6(diagnostics, read_frame(inputs.outcomes), view),
        paper_tables.table_7(effect, METHODS, view),
        printed.table_paper(artefacts, view),
        study_tables.table_parts(effect, view),
        study_tables.table_saturation(read_frame(inputs.saturation), threshold, view),
        study_tables.table_domain_tests(tests, TESTS, view),
        study_tables.table_conduct(diagnostics, view),
        study_tables.table_reliability(reliability, read_frame(inputs.pool), view),
    ]


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    tables = make_tables(inputs, view, stage.settings["threshold"])
    title = "Tables of the language study"
    write_tables(tables, outputs.csv, outputs.markdown, outputs.page, title)
    counts = {"tables": str(len(tables))}
    write_caption(outputs.caption, inputs.caption, counts, view.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
