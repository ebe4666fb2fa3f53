"""The card of every study, where no estimate has an interval: it claims no effect."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from dissensus.report.facts import unmarked
from dissensus.report.findings import NO_LIMITS
from dissensus.report.view import Artefacts
from dissensus.study.makes import resolve
from dissensus.study.registry import STUDIES, study_class
from report.test_every_study_shown import STUDIES as SHOWN
from report.test_every_study_shown import shown

LIMITS = re.compile(r"(ci|family)_(low|high)|se|p_value|p_adjusted")
CLAIMS = re.compile(r"\bis (larger|smaller)\b|\bmore: [+−]")


def without_limits(frame: pd.DataFrame) -> pd.DataFrame:
    """What a run of too few draws gives: estimates, and nothing that could be said of them."""
    columns = [name for name in frame if LIMITS.fullmatch(str(name))]
    return frame.assign(**dict.fromkeys(columns, np.nan))


@pytest.mark.parametrize("study", SHOWN)
def test_an_effect_without_an_interval_is_not_claimed(study: str) -> None:
    assert study in STUDIES
    headline = study_class(study).headline
    assert headline is not None
    state = resolve(headline.maker)
    runs = [shown(study).made(size) for size in shown(study).SIZES]
    cards = [(run, card) for run in runs if (card := state(*run).card)]
    (artefacts, view), as_it_is = cards[-1]
    assert NO_LIMITS not in as_it_is.finding
    bare = {name: without_limits(frame) for name, frame in artefacts.loaded.items()}
    for path in artefacts.paths:
        bare.setdefault(path, without_limits(artefacts.frame(path)))
    card = state(Artefacts(artefacts.paths, bare), view).card
    assert card is None or (NO_LIMITS in card.finding or "cannot be told" in card.finding)
    assert card is None or not CLAIMS.search(unmarked(card.finding))
