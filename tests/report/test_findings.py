"""Findings in sentences: what was found, what speaks against it, and how a run ends."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.errors import ResourceError
from dissensus.plan.confirmation import CONFIRMATION
from dissensus.report.facts import Facts, unmarked
from dissensus.report.findings import FINDINGS, Findings, derived, losses, rows, undefined, unread
from dissensus.report.view import Artefacts, View
from dissensus.run.ending import ending, planned
from dissensus.tables.artefact import Schema, write
from dissensus.tables.common import flag, text
from dissensus_studies.language.figures.headline import state
from dissensus_studies.language.figures.paired_effects import describe
from dissensus_studies.language.inference.estimators import REFITTED
from dissensus_studies.language.tests import figure_frames
from dissensus_studies.language.tests.inference_frames import effect_of
from made_frames import frame_of
from reader.small_run import configuration


def outcome(name: str, failure: str = "") -> dict[str, object]:
    return {"session_id": name, "complete": not failure, "failure": failure}


def facts(rows: Sequence[Mapping[str, object]]) -> Facts:
    return Facts("made", pd.DataFrame(rows), ())


def test_lost_sessions_are_named_and_counted() -> None:
    kept = [outcome(f"d{n:03d}-en") for n in range(8)]
    assert losses(facts(kept)) == ""
    one = [*kept, outcome("d009-zh", "turn 3: timeout")]
    assert (
        unmarked(losses(facts(one))) == "Lost for good: 1 of 9 sessions, d009-zh (turn 3: timeout)."
    )
    many = unmarked(losses(facts([outcome(f"x{n}", "turn 1: empty") for n in range(7)])))
    assert many.startswith("Lost for good: 7 of 7 sessions, x0 (turn 1: empty)")
    assert many.endswith(" and others.")


def test_contrasts_that_all_studies_share_give_a_headline() -> None:
    row = {"contrast": "shown-alone", "outcome": "distance", "p_value": 0.01, "n": 30}
    number = {"estimate": -200.0, "ci_low": -220.5, "ci_high": -180.25}
    other = {**row, **number, "headline": False}
    found = derived([{**row, **number, "headline": True}, other])
    assert found.headlines == [
        "distance, shown-alone: −200.000 [−220.500, −180.250], p = 0.010, n = 30."
    ]
    assert derived([other]).headlines == []
    arms = {"arm": "shown", "reference": "alone"}
    named = derived([{**row, **number, **arms, "headline": True}], {"distance": "mean (km)"})
    assert named.headlines[0].startswith("mean (km), shown − alone: −200.000 [")


def test_an_effect_without_a_number_or_an_interval_says_why() -> None:
    row = {"arm": "shown", "reference": "alone", "outcome": "right", "headline": True}
    row |= {"estimate": None, "ci_low": None, "ci_high": None, "p_value": None, "n": 0}
    assert derived([row]).headlines == [
        "right, shown − alone: no estimate; no draw has the outcome in both arms."
    ]
    assert derived([{**row, "estimate": 0.0, "n": 12}]).headlines == [
        "right, shown − alone: +0.000, n = 12; no interval, as draws do not differ or are too few."
    ]
    assert derived([{**row, "estimate": 0.5, "n": 12, "n_clusters": 1}]).headlines == [
        "right, shown − alone: +0.500, n = 12; no interval, as all draws are of one cluster."
    ]


def test_outcomes_that_are_not_defined_everywhere_are_counted_by_arm() -> None:
    metrics = [
        {"session_id": f"{draw}-{arm}", "arm": arm, "complete": draw != 3, "right": right}
        | {"words": 1.0}
        for draw in range(4)
        for arm, right in (("alone", None), ("shown", None if draw == 2 else 1.0))
    ]
    table = facts(metrics)
    table.frame["right"] = table.frame["right"].astype(float)
    found = undefined(table, {"right": "right (share)", "words": "words"})
    # None of the arm alone has it: it is about the other.
    assert list(map(unmarked, found)) == [
        "right (share) is not defined in 1 of 3 sessions (shown 1), which count in no estimate of "
        "it."
    ]
    table.frame["right"] = np.nan
    assert list(map(unmarked, undefined(table, {"right": "right"}))) == [
        "right is not defined in 6 of 6 sessions (alone 3 and shown 3), which count in no estimate "
        "of it."
    ]
    assert undefined(table, {"right": "right"}, ["right"]) == []
    assert undefined(table, {"words": "words"}) == []


def test_a_curve_of_the_other_sign_and_bounds_of_the_lost_stand_against_the_headline() -> None:
    frames = figure_frames.make_run(12, 4, ("en", "zh")).artefacts
    curve = frames.frame("specification_curve").copy()
    effect = frames.frame("language_effect").copy()
    main = effect[effect["headline"].to_numpy(dtype=bool)].iloc[0]
    curve["estimate_d"] = np.linspace(-2.0, -1.0, len(curve)) * np.sign(main["estimate"])
    scale = f"hi_{figure_frames.VIEW['paper_scale']}"
    answer = {
        **main,
        "headline": False,
        "outcome": scale,
        "method": "cluster_robust",
        "estimate": 0.2,
        "ci_low": 0.1,
        "ci_high": 0.3,
        "n": 11,
    }
    bounds = {**answer, "method": "manski_bounds", "ci_low": 0.15, "ci_high": 0.25, "n": 12}
    # What table 1 prints of this scale, and not another interval of the same estimate.
    printed = {**answer, "method": REFITTED, "ci_low": 0.05, "ci_high": 0.35}
    others = effect[effect["outcome"] != scale]
    effect = pd.concat([others, pd.DataFrame([answer, printed, bounds])], ignore_index=True)
    loaded = frames.loaded | {"specification_curve": curve, "language_effect": effect}
    recycle = {"simulated-a": {"recycle": {"en": 0.3, "zh": 0.5}}}
    view = View("language", {**figure_frames.VIEW.settings, "planted": recycle}, simulated=True)
    found = state(Artefacts({}, loaded), view)
    against = unmarked(" ".join(found.against))
    assert f"{main['estimate']:+.3f}".replace("-", "−") in unmarked(found.headlines[0])
    assert "has the other sign" in against and "100% of them have the other sign" in against
    assert "effect without them is +0.200 [0.050, 0.350]" in against
    assert "within [0.150, 0.250] (Manski's bounds, which have no error of sampling)" in against
    assert "0.3 in English and 0.5 in Chinese" in unmarked(found.planted)


def test_a_study_that_stopped_states_its_last_look_net_of_the_instrument() -> None:
    run = figure_frames.looked_at(figure_frames.make_run(12, 4, ("en", "zh")))
    found = state(run.artefacts, figure_frames.LOOKED_AT)
    assert not found.unidentified
    said = unmarked(found.headlines[0])
    assert "net of the instrument: +0.600 [0.100, 1.100]" in said and "p = 0.020" in said
    assert "fitted on the first block as read in English" in said
    card = found.shown
    assert "the Homogeneity Index is larger" in unmarked(card.finding)
    assert [bar.row["estimate"] for bar in card.bars[:1]] == [0.6] and len(card.bars) == 3


def test_without_parallel_texts_no_effect_is_stated_with_a_p_or_in_bold(tmp_path: Path) -> None:
    frames = figure_frames.make_run(12, 4, ("en", "zh")).artefacts
    metrics = frames.frame("metrics")
    effect = pd.DataFrame(effect_of(metrics))
    assert effect.loc[effect["headline"], "method"].tolist() == [REFITTED]
    loaded = frames.loaded | {"language_effect": effect}
    found = state(Artefacts({}, loaded), figure_frames.VIEW)
    assert found.unidentified.startswith("Whether the language changes the debates cannot be told")
    assert ", as read: " in unmarked(found.headlines[0]) and "p " not in found.headlines[0]
    kinds = [row["kind"] for row in rows(found, "")[0]]
    assert kinds[:2] == ["unidentified", "headline"]
    # The card has no number at all.
    assert "cannot be told" in found.shown.finding and not re.search(r"\d", found.shown.finding)
    assert found.shown.bars == []
    clauses = unmarked(describe(Artefacts({}, loaded), figure_frames.VIEW)["effects"])
    assert "95% CI" in clauses and "p " not in clauses


@pytest.fixture
def results(tmp_path: Path) -> Path:
    found = Findings([f"Finding {n}." for n in range(4)], ["But this.", "And this."], "Planted.")
    made, _ = rows(found, "Lost for good: 1 of 2 sessions, a (b).")
    write(tmp_path / "own/findings.parquet", FINDINGS, made, {})
    columns = {"session_id": text("Id."), "complete": flag("Whether.")}
    ended = [{"session_id": "0", "complete": True}, {"session_id": "a", "complete": False}]
    schema = Schema("outcomes", "session", columns, key=("session_id",))
    write(tmp_path / "own/outcomes.parquet", schema, ended, {})
    (tmp_path / "index.html").write_text("", encoding="utf-8")
    return tmp_path


def settings_of(results: Path, *studies: str) -> Any:
    """Of a run of simulated models without panels."""
    run = SimpleNamespace(results=results, studies=studies, simulated=True, panels={}, panel="")
    run.parts = (run,)
    return run


def test_a_run_ends_with_findings_and_what_speaks_against_each(results: Path) -> None:
    lines = ending(settings_of(results, "own", "unmade"), time.time() - 60)
    assert lines == [
        "Simulated models: no number below says anything of a real one.",
        "own: Finding 0.",
        "  But this.",
        "own: Finding 1.",
        "own: Finding 2.",
        "own: Lost for good: 1 of 2 sessions, a (b). `dissensus read a --run "
        f"{results.name} --study own` prints its tries.",
        f"Open {results}/index.html for the results, each with what it rests on.",
    ]
    assert ending(settings_of(results, "own"), time.time() + 60) == []


def test_a_run_that_was_to_confirm_something_ends_with_the_verdict(results: Path) -> None:
    row = frame_of(CONFIRMATION, [{"sentence": "y, b-a: confirmed."}])
    write(results / "own/confirmation.parquet", CONFIRMATION, row, {})
    lines = ending(settings_of(results, "own"), time.time() - 60)
    assert lines[5] == "own: y, b-a: confirmed."


def test_a_run_with_panels_ends_with_what_these_come_to_together(results: Path) -> None:
    """And with the losses of each, which has a folder of its own."""
    whole = settings_of(results.parent / "whole", "own")
    part = settings_of(results, "own")
    part.panel, whole.panels, whole.parts = "small", {"small": {}}, (part,)
    folder = whole.results / "compared/own"
    made, _ = rows(Findings(["Mean."], ["But of the other sign."]), "")
    write(folder / "findings.parquet", FINDINGS, made, {})
    (whole.results / "index.html").write_text("", encoding="utf-8")
    lines = ending(whole, time.time() - 60)
    assert lines[1:3] == ["own: Mean.", "  But of the other sign."]
    lost = f"`dissensus read a --run {results.name} --study own` prints its tries."
    assert lines[-2] == f"small, own: Lost for good: 1 of 2 sessions, a (b). {lost}"
    assert lines[-1].startswith(f"Open {whole.results}/index.html")


def test_a_dry_run_says_how_many_sessions_will_run() -> None:
    settings = configuration()
    drawn = {"language": (200, 150)}
    assert planned({}, drawn, settings) == "Sessions that will run: 0."
    assert planned({"run_session": 7}, drawn, settings).startswith("Sessions that will run: 7;")
    assert planned({"run_sessions": 2}, drawn, settings).startswith(
        "Sessions that will run: at most 50 (50 of language);"
    )
    # Two draws, each in two languages: the manifest that is still to be drawn is counted.
    assert planned({"draw_language_manifest": 1}, {}, settings).startswith(
        "Sessions that will run: at most 4 (4 of language);"
    )


def test_a_dry_run_says_why_the_run_would_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise ResourceError("study.py: item 1 lacks 'topic'.")

    monkeypatch.setattr("dissensus.run.ending.resolve", lambda _: refuse)
    assert planned({"draw_language_manifest": 1}, {}, configuration()) == (
        "The run would stop before its sessions: study.py: item 1 lacks 'topic'."
    )


def test_turns_that_could_not_be_read_are_said_from_a_tenth_on() -> None:
    def said(kept: int, broken: int) -> list[str]:
        flags = pd.DataFrame({"role": "", "compliant": [True] * kept + [False] * broken})
        return list(map(unmarked, unread(Facts("turns", flags, ()))))

    assert said(0, 0) == said(9, 0) == said(91, 9) == []
    (sentence,) = said(9, 1)
    assert sentence.startswith("1 of 10 turns (10%) could not be read: they break a rule")
    assert said(0, 1680)[0].startswith("1,680 of 1,680 turns (100%) could not")


def test_a_role_that_cannot_go_wrong_hides_none_that_does() -> None:
    roles = ["speech"] * 90 + ["judge"] * 10
    flags = pd.DataFrame({"role": roles, "compliant": [True] * 95 + [False] * 5})
    (sentence,) = map(unmarked, unread(Facts("turns", flags, ())))
    assert sentence.startswith("5 of 10 turns of judge (50%) could not be read:")
