"""Labels by people: from planted texts to estimates, and tables that cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dissensus.design.contrasts import Options
from dissensus.design.weights import BOTH, JUDGE, PEOPLE
from dissensus.errors import DissensusError, ResourceError, SettingError
from dissensus.report.facts import Facts, unmarked
from dissensus.report.findings import labelled
from dissensus.report.view import Artefacts, View
from dissensus.settings import validate
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import CONTRASTS, compare
from dissensus.study.experiment.diagnosis import played
from dissensus.study.experiment.labels import shown
from dissensus.study.experiment.labels.compared import (
    AGREEMENT,
    ESTIMATES,
    compare_with_people,
)
from dissensus.study.experiment.labels.people import Place, judged_places, read_labels
from dissensus.study.experiment.measures import measure_sessions, turns_by_session
from dissensus.study.experiment.settings import LabelSettings
from judged_study import Judged, is_sound
from made_frames import frame_of

OPTIONS = Options(0.95, 200, 1)
#: Labels that people gave of 300 sessions: draws 1 to 60 in both arms.
LABELLED = 120


def models(**speech: float) -> dict[str, Any]:
    given = {"alone": 0.5, "debate": 0.5, "fooled": 0.0, **speech}
    return {"m": {"provider": "simulated", "behaviour": "judged_study", "speech": given}}


def judged(**labels: Any) -> Judged:
    given = {"judge": "J", "scale": ["yes", "no"], "file": "people.csv", **labels}
    values = {"speaker": "m", "judge": "m", "labels": given}
    return Judged(validate(Judged.Settings, values, ""))


def people_of(turns: list[dict[str, Any]], study: Judged, count: int) -> str:
    """The table of people who read each argument, and say in the judge's place what is so."""
    texts = {turn["session_id"]: turn["text"] for turn in turns if turn["speaker"] == "S"}
    places = judged_places(turns, study.label_settings)[:count]
    by_session = not study.label_settings.judge
    rows = []
    for place in places:
        sound = is_sound(texts[place.session_id])
        label = str(int(sound)) if by_session else "yes" if sound else "no"
        rows.append(f"{place.id(study.name)},{label},a text that nobody reads")
    return "\n".join(["id,label,text", *rows, ""])


def with_people(
    folder: Path,
    seed: int = 3,
    count: int = LABELLED,
    labels: dict[str, Any] | None = None,
    **speech: float,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Labels, agreement and estimates of a study that is played from texts to its last estimate."""
    study = judged(**(labels or {}))
    block = study.settings.model_dump()
    (_, pool) = Judged.collect(block, 1)["pool"]
    items = {row["item_id"]: row for row in pool}
    turns, ended = played(seed, study, items, models(**speech))
    metrics, _ = measure_sessions(study, turns_by_session(turns, study.levels()), ended, items)
    measured = pd.DataFrame(metrics)
    contrasts = frame_of(CONTRASTS, compare(measured, Compared.of(Judged), OPTIONS))
    path = folder / "people.csv"
    path.write_text(people_of(turns, study, count), "utf-8")
    found = compare_with_people(
        turns, ended, pool, measured, contrasts, path, "judged_study:Judged", block, seed
    )
    return tuple(map(pd.DataFrame, found))  # type: ignore[return-value]


def row(estimates: pd.DataFrame, method: str, arm: str = "debate", reference: str = "alone") -> Any:
    of = estimates[(estimates["arm"] == arm) & (estimates["reference"] == reference)]
    return of.set_index("method").loc[method]


def holds(estimate: Any, truth: float) -> bool:
    return bool(estimate["ci_low"] <= truth <= estimate["ci_high"])


@pytest.mark.parametrize("effect", [0.0, 0.3])
def test_a_judge_who_is_fooled_misses_what_is_planted_and_people_put_it_right(
    tmp_path: Path, effect: float
) -> None:
    _, agreement, estimates = with_people(tmp_path, debate=0.5 + effect, fooled=0.7)
    alone, people, both = (row(estimates, method) for method in (JUDGE, PEOPLE, BOTH))
    # Of loud arguments that are not sound, seven in ten pass for sound.
    assert alone["estimate"] == pytest.approx(effect + 0.7 * (0.5 - effect), abs=0.12)
    assert not holds(alone, effect)
    assert holds(both, effect) and holds(people, effect)
    assert (both["n"], both["labelled"], people["n"], both["n_clusters"]) == (300, 120, 120, 60)
    assert 0 < both["power"] < 1 and people["power"] == 0.0
    assert both["se"] <= people["se"]
    means = row(estimates, BOTH, "debate", "")
    assert holds(means, 0.5 + effect) and 0 <= means["ci_low"] < means["ci_high"] <= 1
    shares = agreement.set_index("statistic")["estimate"]
    wrong = 0.5 * 0.7 * (0.5 - effect)
    assert shares["percent_agreement"] == pytest.approx(1 - wrong, abs=0.1)
    assert shares["cohen_kappa"] < shares["percent_agreement"]


def test_a_judge_who_is_always_right_says_more_than_people_alone(tmp_path: Path) -> None:
    found, agreement, estimates = with_people(tmp_path)
    alone, people, both = (row(estimates, method) for method in (JUDGE, PEOPLE, BOTH))
    assert both["power"] == pytest.approx(1.0)
    assert both["estimate"] == pytest.approx(alone["estimate"])
    # As if people had labelled all 300 sessions.
    assert both["se"] == pytest.approx(people["se"] * (LABELLED / 300) ** 0.5, rel=0.1)
    assert (found["judge"] == found["people"]).all()
    assert list(agreement["estimate"]) == [1.0, 1.0, 1.0] and set(agreement["n"]) == {LABELLED}


def test_labels_of_whole_sessions_are_the_outcome_itself(tmp_path: Path) -> None:
    labels = {"judge": "", "scale": [0, 1]}
    found, _, estimates = with_people(tmp_path, fooled=0.7, labels=labels)
    by_turn = with_people(tmp_path, fooled=0.7)[2]
    pd.testing.assert_frame_equal(estimates, by_turn)
    assert set(found["judge_turn"]) == {0} and set(found["judge_speaker"]) == {""}


def test_what_is_found_is_said_with_numbers_that_know_where_they_are_from(tmp_path: Path) -> None:
    _, agreement, estimates = with_people(tmp_path, fooled=0.7)
    facts = (
        Facts(schema.name, frame_of(schema, rows), schema.key)
        for schema, rows in ((ESTIMATES, estimates), (AGREEMENT, agreement))
    )
    (said,) = labelled(*facts)
    both, alone = (row(estimates, method) for method in (BOTH, JUDGE))
    share = agreement["estimate"].iloc[0]
    assert unmarked(said).replace("−", "-") == (
        f"Of 120 labels by people the judge agrees with {100 * share:.0f}% (kappa "
        f"{agreement['estimate'].iloc[1]:.2f}); with their labels debate - alone is "
        f"{both['estimate']:+.3f} [{both['ci_low']:.3f}, {both['ci_high']:.3f}] "
        f"(prediction-powered), and {alone['estimate']:+.3f} [{alone['ci_low']:.3f}, "
        f"{alone['ci_high']:.3f}] by the judge alone."
    )


def test_tables_have_each_estimate_by_judge_people_and_both(tmp_path: Path) -> None:
    _, agreement, rows = with_people(tmp_path, fooled=0.7)
    loaded = {
        "labelled_contrasts": frame_of(ESTIMATES, rows),
        "judge_agreement": frame_of(AGREEMENT, agreement),
    }
    view = View("judged", {**judged().shown(), "confidence": 0.95}, simulated=True)
    table = shown.estimates(Artefacts({}, loaded), view)
    assert [row[:2] for row in table.rows[:4]] == [
        ("debate − alone", "judge alone"),
        ("debate − alone", "people alone"),
        ("debate − alone", "people and judge (prediction-powered)"),
        ("alone", "judge alone"),
    ]
    assert table.rows[2][2] == f"{row(rows, BOTH)['estimate']:+.3f}".replace("-", "−")
    assert len(table.rows) == 9 and "sound. The judge alone" in table.note
    beside = shown.agreement(Artefacts({}, loaded), view)
    assert [row[0] for row in beside.rows] == [
        *("share that agrees", "Cohen's kappa", "Krippendorff's alpha")
    ]


def test_few_labels_have_agreement_and_no_interval(tmp_path: Path) -> None:
    _, agreement, estimates = with_people(tmp_path, count=2, fooled=0.7)
    both = row(estimates, BOTH)
    assert both["n_clusters"] == 1 and pd.isna(both["se"])
    assert set(agreement["n"]) == {2} and agreement["ci_low"].isna().all()


def test_a_judge_who_says_what_people_cannot_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(
        ResourceError, match=r"judged\.labels\.scale lacks 'yes', which the judge J"
    ):
        with_people(tmp_path, labels={"scale": ["no", "unsure"]}, alone=0, debate=0, fooled=0.5)


def table(folder: Path, *rows: str, **settings: Any) -> dict[Place, str | float]:
    """The labels of a table of two sessions; ``{a}`` and ``{b}`` are their ids."""
    places = [Place("d001-a", 2, "J"), Place("d001-b", 2, "J")]
    ids = dict(zip("ab", (place.id("x") for place in places), strict=True))
    text = "\n".join(each.format(**ids) for each in rows)
    path = folder / "people.csv"
    path.write_text(text, "utf-8")
    given = {"judge": "J", "scale": ["A", "B"], **settings}
    return read_labels(path, validate(LabelSettings, given, ""), "x", places)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (["id,label", "{a},A", "zzz,B"], "row 3: the id 'zzz' is none of the study x; keep the"),
        (["id,label", "{a},A", "{b},B", "{a},B"], "row 4: the id .* has a label in row 2 already"),
        (["id,label", "{a},C"], "row 2: the label 'C' is not on the scale of x.labels.scale; it"),
        (["id,label", "{a},A", "{b},"], "row 3: the id .* has no label; give it one of A and B"),
        (["id,label"], "people.csv has no labels; it needs a row for each below its header"),
        (["id;label", "{a};A"], "row 1: the column 'id' is missing; it needs id, label"),
    ],
)
def test_a_broken_table_is_a_sentence(tmp_path: Path, rows: list[str], words: str) -> None:
    with pytest.raises(ResourceError, match=words):
        table(tmp_path, *rows)


def test_what_a_spreadsheet_makes_of_a_table_is_read(tmp_path: Path) -> None:
    marked = table(tmp_path, "\ufefftext,id,label,", '"x, ""y""",{a}, A ,', "z,{b},'B,")
    assert list(marked.values()) == ["A", "B"]
    numbers = table(tmp_path, "id,label", "{a},1.0", "{b},-2", scale=[1, -2])
    assert list(numbers.values()) == [1.0, -2.0]


def test_ids_say_nothing_and_no_spreadsheet_reads_them_as_a_number() -> None:
    ids = {Place(f"d{n:03d}-debate", 2, "J").id("x") for n in range(500)}
    assert len(ids) == 500 and all(len(name) == 12 and name.isalpha() for name in ids)
    assert not any(vowel in name for name in ids for vowel in "aeiou")


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ({"scale": ["A"]}, "labels.scale holds .*; it needs at least 2 entries"),
        ({"scale": ["A", "A"]}, "it names 'A' twice"),
        ({"scale": ["A", 1]}, "labels.scale has texts and numbers; it must have the one or"),
        ({"judge": ""}, "labels.scale has texts, and no judge is named"),
        ({"scael": ["A", "B"]}, "labels.scael is no setting; 'scale' is"),
    ],
)
def test_wrong_settings_of_labels_are_sentences(labels: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingError, match=words):
        judged(**labels)


def test_an_outcome_that_there_is_not_is_a_sentence() -> None:
    with pytest.raises(SettingError, match=r"judged\.labels\.outcome holds 'loud'; it must be"):
        judged(outcome="loud").check_settings()
    judged().check_settings()
    nobody = Judged(validate(Judged.Settings, {"speaker": "m", "judge": "m"}, ""))
    with pytest.raises(DissensusError, match=r"judged\.labels is not set; say what people label"):
        _ = nobody.label_settings


def test_no_session_and_no_diagnosis_depends_on_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("id,label\n", "utf-8")
    with_labels, without = judged(), judged(file=None)
    assert with_labels.session_settings == without.session_settings
    assert with_labels.kinds[0]._files == {}  # type: ignore[attr-defined]
    assert with_labels.settings.files() == {"labels.file": "people.csv"}
    assert Judged.diagnosis is not None and "labels" not in Judged.diagnosis.settings
    assert [t.name for t in with_labels.tables] == [
        *(t.name for t in without.tables),
        *("table_labels", "table_agreement"),
    ]
