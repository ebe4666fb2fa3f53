"""The noise floor beside each study's headline: of the arms that are equal, and of no others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.report.facts import unmarked
from dissensus.report.view import Artefacts
from dissensus_studies.consensus.figures import headline as consensus
from dissensus_studies.consensus.tests import consensus_frames
from dissensus_studies.deliberation.figures import headline as deliberation
from dissensus_studies.deliberation.tests import deliberation_frames
from dissensus_studies.identity.figures import headline as identity
from dissensus_studies.identity.tests import identity_frames
from dissensus_studies.language.figures import headline as language
from dissensus_studies.language.tests import figure_frames
from dissensus_studies.union.figures import headline as union
from dissensus_studies.union.tests import union_frames
from marking import thorough_but


def said(state: Any, artefacts: Artefacts, view: Any) -> str:
    card = state(artefacts, view).card
    return unmarked(card.floor) if card else ""


def printed(row: Any, times: float = 1.0, digits: int = 3) -> str:
    numbers = [times * row[name] for name in ("estimate", "ci_low", "ci_high")]
    text = f"{numbers[0]:+.{digits}f} [{numbers[1]:.{digits}f}, {numbers[2]:.{digits}f}]"
    return text.replace("-", "−")


def beyond(rows: pd.DataFrame, name: str) -> str:
    """How many rows were found to be farther from 0 than the floor."""
    found, tested = (rows["floor_p"] < 0.05).sum(), rows["floor_p"].count()
    return (
        f"{found} of {tested} arm{'' if tested == 1 else 's'} "
        f"{'differs' if found == 1 else 'differ'} from {name} by more than that "
        "(95%, after Holm)."
    )


def test_deliberation_has_its_second_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(deliberation_frames.ARMS, "emergent_again", {})
    run = deliberation_frames.make_run(4, ("emergent", "emergent_again", "full", "pid"), 3, 3)
    rows = run.artefacts.frame("contrasts").query("headline and reference != ''").set_index("arm")
    row, others = rows.loc["emergent_again"], rows.drop("emergent_again")
    assert others["floor_p"].notna().all()
    assert said(deliberation.state, run.artefacts, run.view()) == (
        f"Noise floor: emergent run again differs from itself by {printed(row, digits=2)}, "
        f"n = {row['n']}; {beyond(others, 'emergent')}"
    )


def test_consensus_has_it_over_all_domains_in_points() -> None:
    run = consensus_frames.make_run()
    rows = run.contrasts.query("headline and domain == 'all'").set_index("arm")
    row, others = rows.loc["again"], rows.drop("again")
    assert said(consensus.state, run.artefacts, consensus_frames.VIEW) == (
        f"Noise floor: {row['reference']} run again differs from itself by "
        f"{printed(row, 100, 1)} points, n = {row['n']}; {beyond(others, row['reference'])}"
    )


def test_identity_has_vanilla_run_again_or_says_how() -> None:
    artefacts = identity_frames.make_run(2, 2).artefacts
    comparisons = artefacts.frame("comparisons")
    row = {**comparisons.iloc[0], "kind": "again", "team": "t", "estimate": 0.01}
    row |= {"ci_low": -0.2, "ci_high": 0.3, "n_questions": 40}
    second = {**row, "team": "u", "estimate": 0.02}
    floor = {**row, "kind": "floor", "p_value": 0.01, "p_adjusted": 0.02}
    floor |= {"estimate_one": -0.4, "estimate_other": 0.01}
    # As sure, but its team's vanilla differs from itself by more than its coefficient is.
    smaller = {**floor, "team": "u", "estimate_one": 0.3, "estimate_other": -0.4}
    others = comparisons.query("kind not in ('again', 'floor')").to_dict("records")
    made = pd.DataFrame([*others, row, second, floor, smaller])
    shown = Artefacts({}, {**artefacts.loaded, "comparisons": made})
    sentence = said(identity.state, shown, identity_frames.VIEW)
    assert sentence == (
        "Noise floor: debates with labels, run again, differ in team “t” by +0.010 "
        "[−0.200, 0.300], n = 40. Noise floor: debates with labels, run again, differ in team “u” "
        "by +0.020 [−0.200, 0.300], n = 40; 1 of 2 coefficients is farther from zero than that of "
        "the same team (95%, after Holm)."
    )
    none = Artefacts({}, {**artefacts.loaded, "comparisons": made.query("kind != 'again'")})
    assert said(identity.state, none, identity_frames.VIEW) == (
        "No noise floor: no team ran its debates with labels again; `controls: [again]` of a team "
        "does that."
    )


def test_union_has_the_epoch_before_any_memo() -> None:
    artefacts = union_frames.make_run().artefacts
    rows = artefacts.frame("coaching")
    (head,) = rows[rows["headline"]].to_dict("records")
    same = rows[(rows["outcome"] == head["outcome"]) & (rows["method"] == head["method"])]
    (row,) = same[(same["contrast"] == head["contrast"]) & (same["epoch"] == 1)].to_dict("records")
    sentence = said(union.state, artefacts, union_frames.VIEW)
    assert sentence.startswith(
        "Noise floor: in the first epoch, before any memo, the arms differ by "
        f"{printed(row, digits=2)}, n = {row['n']}"
    )
    # The last epoch less the first tests both at once, of as many draws each.
    joint = rows.query(
        f"contrast == 'difference_in_differences' and outcome == '{head['outcome']}' "
        f"and method == '{head['method']}'"
    ).iloc[0]
    assert sentence.endswith(
        f"; up to epoch {joint['epoch']} this changes by {joint['estimate']:+.2f} (95% interval "
        f"[{joint['ci_low']:.2f}, {joint['ci_high']:.2f}], p = {joint['p_value']:.3f}).".replace(
            "-", "−"
        )
    )
    few = said(union.state, union_frames.make_run(1, 2, 2).artefacts, union_frames.VIEW)
    assert few.startswith("No noise floor: in the first epoch") and few.endswith("an interval.")


@pytest.mark.parametrize(
    "languages", thorough_but((("en", "zh"), ("en", "zh", "en_again")), ("en", "zh", "en_again"))
)
def test_language_has_the_reference_against_itself_or_says_how(languages: tuple[str, ...]) -> None:
    run = figure_frames.make_run(12, 4, languages)
    sentence = said(language.state, run.artefacts, figure_frames.VIEW)
    if "en_again" not in languages:
        assert sentence == (
            "No noise floor: English was not run against itself; config/a-a.yaml does that."
        )
        return
    effect = run.artefacts.frame("language_effect")
    rows = effect[effect["headline"].astype(bool)].set_index("contrast")
    row = rows.loc["en_again-en"]
    differs = (
        f"Noise floor: English run again differs from itself by {printed(row)}, n = {row['n']}; "
    )
    beyond = int(rows.loc["zh-en", "floor_p"] < 0.05)
    assert sentence == (
        f"{differs}{beyond} of 1 language differs from English by more than that (95%, after Holm)."
    )
    artefacts = run.artefacts
    effect["floor_p"] = np.nan
    assert said(language.state, artefacts, figure_frames.VIEW) == (
        f"{differs}no other language is tested against it, which takes texts measured in both "
        "languages, and draws whose number is fixed."
    )
