"""What studies declare of their figures and tables is what these ask for, and costs nothing."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

from dissensus.report.declared import Figure, Headline, Outputs, Table
from dissensus.study.registry import study_folder
from dissensus_studies.consensus import figures as consensus
from dissensus_studies.deliberation import figures as deliberation
from dissensus_studies.identity import figures as identity
from dissensus_studies.language import figures as language
from dissensus_studies.union import figures as union

FIGURES = {
    "language": language.FIGURES,
    "identity": identity.FIGURES,
    "deliberation": deliberation.FIGURES,
    "union": union.FIGURES,
    "consensus": consensus.FIGURES,
}


@pytest.mark.parametrize("study", FIGURES)
def test_every_figure_has_a_template_for_its_caption(study: str) -> None:
    names = [*(figure.name for figure in FIGURES[study]), "tables"]
    assert all((study_folder(study) / f"captions/{name}.rst").is_file() for name in names)


def test_declarations_import_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "import dissensus_studies.language.figures, dissensus_studies.identity.figures\n"
        "import dissensus_studies.deliberation.figures, dissensus_studies.union.figures\n"
        "import dissensus_studies.consensus.figures\n"
        "heavy = {'matplotlib', 'pandas', 'numpy', 'scipy', 'pyarrow'} & set(sys.modules)\n"
        "sys.exit(len(heavy))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_outputs_name_their_makers_and_where_they_are_shown() -> None:
    outputs = Outputs("package", main=("effects",), tables="All tables")
    assert outputs.headline("x") == Headline("package.headline:state", ("x",))
    effects = Figure("effects", "package.effects:draw", ("x", "y"), "Effects", "1 Figures", True)
    assert outputs.figure("effects", "Effects", "x", "y") == effects
    graph = outputs.figure("a_graph", "One graph", section="3 Graphs", module="graph")
    assert graph == Figure("a_graph", "package.graph:draw", (), "One graph", "3 Graphs")
    table = outputs.table("tables", "table_1", "x")
    assert table == Table("table_1", "package.tables:table_1", ("x",), "All tables", "2 Tables")
    assert not table.main
    asked = outputs.table("tables", "table_1", "x", question="How much?", columns=("a", "*% CI"))
    assert asked.main and asked.question == "How much?" and asked.columns == ("a", "*% CI")


@pytest.mark.parametrize("study", [language, identity, deliberation, union, consensus])
def test_each_study_has_three_or_four_main_tables_each_with_its_question(study: ModuleType) -> None:
    questions = [table.question for table in study.TABLES if table.main]
    assert len(questions) in (3, 4)
    assert all(question.endswith("?") for question in questions)
