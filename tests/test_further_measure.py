"""A measure more breaks no frame that tests are made of, is estimated, and has its panel.

Every study's metrics gain a column here, as CONTRIBUTING has it; nothing else is told of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from dissensus.report.view import Drawn
from dissensus.tables.artefact import Schema
from dissensus.tables.common import share
from dissensus_studies.consensus import inference as consensus
from dissensus_studies.consensus.records import METRICS as CONSENSUS
from dissensus_studies.consensus.tests import consensus_frames
from dissensus_studies.deliberation.figures import contrast_tables
from dissensus_studies.deliberation.inference import contrasts as deliberation
from dissensus_studies.deliberation.measures.records import METRICS as DELIBERATION
from dissensus_studies.deliberation.tests import deliberation_frames
from dissensus_studies.identity.measures.metrics import METRICS as IDENTITY
from dissensus_studies.identity.tests import identity_frames
from dissensus_studies.language.figures import components
from dissensus_studies.language.inference import effect
from dissensus_studies.language.measures.components import COMPONENTS
from dissensus_studies.language.measures.homogeneity import METRICS, RENDERINGS
from dissensus_studies.language.tests import figure_frames, inference_frames
from dissensus_studies.union.figures import coaching as drawn_coaching
from dissensus_studies.union.inference import coaching
from dissensus_studies.union.tables import VERDICTS
from dissensus_studies.union.tests import union_frames
from marking import thorough_but

NAME = "a_further_measure"


@dataclass(frozen=True)
class Study:
    """A study: artefacts with measures, where outcomes are listed, and a run of a size of its own.

    No other test makes a run of that size, so that none finds one with the measure in a cache.
    """

    schemas: tuple[Schema, ...]
    outcomes: tuple[tuple[Any, str], ...]
    run: Callable[[], Any]
    measured: str
    estimated: str
    shown: Callable[[Any], str]


def _titles(drawn: Drawn) -> str:
    """What stands above the panels of a figure."""
    return " ".join(axes.get_title("left") for axes in drawn.figure.axes).replace("\n", " ")


STUDIES = {
    "language": Study(
        (COMPONENTS, METRICS, RENDERINGS),
        ((effect, "RAW_OUTCOMES"),),
        lambda: figure_frames.make_run(9, 2, ("en", "zh")),
        *("metrics", "effect"),
        lambda run: _titles(components.draw(run.artefacts, figure_frames.VIEW)),
    ),
    "deliberation": Study(
        (DELIBERATION,),
        ((deliberation, "SECONDARY"), (contrast_tables, "SECONDARY")),
        lambda: deliberation_frames.make_run(9, ("emergent", "full"), 3, 3),
        *("metrics", "contrasts"),
        lambda run: str(contrast_tables.table_outcomes(run.artefacts, run.view()).rows),
    ),
    "consensus": Study(
        (CONSENSUS,),
        ((consensus, "OUTCOMES"),),
        lambda: consensus_frames.make_run(2, 1),
        *("metrics", "estimates"),
        # Its tables have the columns of the paper.
        lambda run: "A further measure",
    ),
    "union": Study(
        (VERDICTS,),
        ((coaching, "OUTCOMES"),),
        lambda: union_frames.make_run(1, 3, 2),
        *("verdicts", "coaching"),
        lambda run: _titles(drawn_coaching.draw(run.artefacts, union_frames.VIEW)),
    ),
}


def gain(patch: pytest.MonkeyPatch, *schemas: Schema) -> None:
    """Give schemas a column, until the test is over."""
    for schema in schemas:
        # What was derived of the columns comes back with them.
        derived = {"fields": schema.fields, "arrow": schema.arrow}
        patch.setitem(schema.columns, NAME, share("Made up for this test."))
        for name in derived:
            patch.delitem(vars(schema), name)


@pytest.mark.parametrize("name", thorough_but(STUDIES, "language", "deliberation"))
def test_it_is_measured_estimated_and_shown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    study = STUDIES[name]
    gain(monkeypatch, *study.schemas)
    for place in study.outcomes:
        monkeypatch.setattr(*place, (*getattr(*place), NAME))
    run = study.run()
    assert getattr(run, study.measured)[NAME].notna().any()
    rows = getattr(run, study.estimated)
    assert rows.loc[rows["outcome"] == NAME, "estimate"].notna().any()
    assert "A further measure" in study.shown(run)


def test_frames_of_a_round_or_of_components_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    gain(monkeypatch, IDENTITY, COMPONENTS, METRICS, RENDERINGS)
    assert NAME in identity_frames.make_run(2, 1).metrics
    assert NAME in inference_frames.make_study(3).components
