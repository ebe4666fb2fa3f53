"""What is planted in simulated speakers and annotators is found again in the measures.

They write texts; prompts, parsing, measures and estimates follow as in every run. Bounds are four
standard errors of a binomial share unless said otherwise, and all seeds are fixed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import special

from marking import thorough_but

from ..inference.wins import estimate_wins
from ..tables import LAYERS, SIDES
from .union_planted import ALL_LAYERS, INFERENCE, Ensemble, run, settings
from .union_sessions import OPPOSITION, PROPOSITION
from .union_texts import Answered, Claimed, Said, fates_of, said_in

pytestmark = pytest.mark.slow

#: Kinds of claim, with the factors by which a speaker's strength weighs them.
KINDS = {"evidence_backed": 1.0, "principled": 0.3, "assertion": -1.0}
STRENGTHS = {PROPOSITION[0]: 0.9, OPPOSITION[0]: -0.7, OPPOSITION[2]: 0.5}
HARDNESS = {"evidence_backed": 1.1, "principled": -0.4}
BONUS, SHARPNESS, RUNS = 1.2, 0.17, 40


@cache
def ensemble(stronger: str = "") -> Ensemble:
    """Debates whose annotator makes no error, of speakers who differ or of sides that do."""
    planted = {"sides": {stronger: BONUS}} if stronger else {"strengths": STRENGTHS}
    speaker = {**planted, "hardness": HARDNESS, "claims": 4.0, "answers": 4.0, "recency": 1.4}
    return run(settings(runs=RUNS), seed=11, speaker=speaker, judge={"sharpness": SHARPNESS})


def within(count: float, n: int, share: float) -> bool:
    """Whether a count of n is what a share gives."""
    return abs(count / n - share) <= 4 * math.sqrt(share * (1 - share) / n)


def strength(speaker: str, side: str, stronger: str) -> float:
    return BONUS * (side == stronger) if stronger else STRENGTHS.get(speaker, 0.0)


def texts(made: Ensemble) -> Iterator[tuple[str, list[Said]]]:
    """session_id, and what each of its speeches says."""
    for name, own in made.frames["speeches"].groupby("session_id"):
        yield str(name), [said_in(row) for row in own.sort_values("speech").to_dict("records")]


def share_of_votes(made: Ensemble, side: str) -> float:
    verdicts = made.frames["verdicts"]
    own, both = (
        sum(float(verdicts[f"votes_{one}"].sum()) for one in names) for names in ((side,), SIDES)
    )
    return own / both


def leads(made: Ensemble) -> list[float]:
    """Of each debate, the points by which the proposition is ahead in what judges read.

    They give the claims of the last speech their whole worth, as they do not know that it is last.
    """
    found = []
    for _, said in texts(made):
        claims = [one for speech in said for one in speech.claims]
        answers = [one for speech in said for one in speech.answers]
        texts_of = [one.text for one in claims]
        fallen = {one.target(texts_of) for one in answers if one.logic and one.undermines}
        worth = {"evidence_backed": 3, "principled": 2, "assertion": 1}
        points = [(one.side, one.points) for one in answers]
        for one in claims:
            share = 0.5 if one.text in fallen else 1.0
            points.append((one.side, share * (worth[one.kind] + one.specific)))
        found.append(sum(more if side == SIDES[0] else -more for side, more in points))
    return found


# Who is stronger, and who answers whom.


@pytest.mark.thorough
@pytest.mark.parametrize("stronger", SIDES)
def test_the_stronger_side_wins_more(stronger: str) -> None:
    made, weaker = ensemble(stronger), SIDES[1 - SIDES.index(stronger)]
    assert share_of_votes(made, stronger) > share_of_votes(ensemble(weaker), stronger) + 0.3
    frames = made.frames
    won = frames["verdicts"]["winner"].value_counts()
    rows = estimate_wins(frames["verdicts"], frames["speeches"], made.drawn, INFERENCE, 3)
    row = next(one for one in rows if (one["by"], one["side"]) == ("side", stronger))
    assert (row["won"], row["contested"]) == (won[stronger] / RUNS, won.get("contested", 0) / RUNS)
    assert row["lift"] > 0.15 and row["p_adjusted"] < 0.05


@pytest.mark.parametrize("stronger", thorough_but(["", *SIDES], SIDES[0]))
def test_sides_get_the_votes_that_their_words_are_worth(stronger: str) -> None:
    made = ensemble(stronger)
    chance = special.expit(SHARPNESS * np.array(leads(made)))
    # Three judges vote twice; none of them has a bias.
    spread = math.sqrt(6 * float((chance * (1 - chance)).sum()))
    votes = float(made.frames["verdicts"]["votes_proposition"].sum())
    assert abs(votes - 6 * float(chance.sum())) <= 4 * spread


@pytest.mark.parametrize("stronger", ["", *SIDES])
def test_claims_rest_on_what_the_strength_of_their_speaker_makes_of_them(stronger: str) -> None:
    for (name, side), own in ensemble(stronger).frames["claims"].groupby(["speaker", "side"]):
        weights = {
            kind: math.exp(factor * strength(name, side, stronger))
            for kind, factor in KINDS.items()
        }
        for kind, weight in weights.items():
            share = weight / sum(weights.values())
            assert within((own["kind"] == kind).sum(), len(own), share), (name, kind)


@pytest.mark.parametrize("stronger", ["", *SIDES])
def test_answers_succeed_as_strengths_and_the_hardness_of_claims_say(stronger: str) -> None:
    frames = ensemble(stronger).frames
    claims = frames["claims"].set_index(["session_id", "claim_id"])
    found = frames["rebuttals"].join(
        claims[["kind", "speaker"]], ["session_id", "claim_id"], rsuffix="_of"
    )
    assert found["counted"].all()
    for bit, less in (("logic", 0.0), ("new", 0.0), ("undermines", 0.7)):
        edges = np.array(
            [
                strength(row.speaker, row.side, stronger)
                - (0.0 if stronger else STRENGTHS.get(row.speaker_of, 0.0))
                - HARDNESS.get(row.kind, 0.0)
                - less
                for row in found.itertuples()
            ]
        )
        chance = special.expit(edges)
        for low, high in ((-9.0, -0.6), (-0.6, 0.6), (0.6, 9.0)):
            own = (edges >= low) & (edges < high)
            spread = math.sqrt(float((chance * (1 - chance))[own].sum()))
            assert own.sum() > 20 or not own.any()
            assert abs(found[bit][own].sum() - chance[own].sum()) <= 4 * spread, (bit, low)


@pytest.mark.thorough
def test_newer_claims_are_answered_as_much_more_as_is_planted() -> None:
    """Of speeches with one answer: its claim is drawn with weight exp(-1.4) for a speech older."""
    expected, newest, variance, n = 0.0, 0, 0.0, 0
    for said in [said for stronger in ("", "opposition") for _, said in texts(ensemble(stronger))]:
        for number, speech in enumerate(said, start=1):
            before = [said[k - 1] for k in range(number - 1, 0, -2)]
            if len(speech.answers) != 1 or len(before) < 2 or not before[0].claims:
                continue
            weights = [len(one.claims) * math.exp(-1.4 * 2 * age) for age, one in enumerate(before)]
            share = weights[0] / sum(weights)
            newest += bool(speech.answers[0].target(one.text for one in before[0].claims))
            expected, variance, n = expected + share, variance + share * (1 - share), n + 1
    assert n > 5
    assert abs(newest - expected) <= 4 * math.sqrt(variance)
    # Without the weights it would be about half of them.
    assert expected > 0.8 * n


# Claims and rebuttals.


@pytest.mark.parametrize("stronger", thorough_but(["", *SIDES], SIDES[0]))
def test_the_claims_that_fall_are_those_that_the_texts_bring_down(stronger: str) -> None:
    made = ensemble(stronger)
    claims, rebuttals = made.frames["claims"], made.frames["rebuttals"]
    fell = 0
    for name, said in texts(made):
        own = claims[claims["session_id"] == name]
        fates = fates_of(said)
        assert dict(zip(own["text"], own["fate"], strict=True)) == fates
        fell += list(fates.values()).count("demolished")
        found = rebuttals[rebuttals["session_id"] == name]
        answers = [one for speech in said for one in speech.answers]
        assert sorted(found["points"]) == sorted(one.points for one in answers)
    assert fell > 40


@cache
def erring() -> Ensemble:
    annotator = {"missed": 0.22, "wrong_kind": 0.31, "wrong_answer": 0.13}
    return run(settings(runs=RUNS), seed=5, speaker={"answers": 5.0}, annotator=annotator)


def listed(made: Ensemble) -> Iterator[tuple[Claimed, dict[str, object] | None]]:
    """Every claim of the texts, with its row where the annotator found it."""
    claims = made.frames["claims"]
    for name, said in texts(made):
        rows = {row["text"]: row for row in claims[claims["session_id"] == name].to_dict("records")}
        known = [one for speech in said for one in speech.claims]
        assert set(rows) <= {one.text for one in known}
        yield from ((one, rows.get(one.text)) for one in known)


@pytest.mark.thorough
def test_an_annotator_misses_and_mistakes_as_many_claims_as_is_planted() -> None:
    found = list(listed(erring()))
    rows = [(one, row) for one, row in found if row]
    assert within(len(found) - len(rows), len(found), 0.22)
    wrong = sum(row["kind"] != one.kind for one, row in rows)
    assert within(wrong, len(rows), 0.31)
    assert all(row["specific"] == one.specific for one, row in rows)
    # Either wrong kind is as likely.
    mistaken = [row["kind"] for one, row in rows if one.kind == "principled" != row["kind"]]
    assert within(mistaken.count("assertion"), len(mistaken), 0.5)


def test_an_annotator_misses_and_mistakes_as_many_rebuttals_as_is_planted() -> None:
    made = erring()
    rebuttals, claims = made.frames["rebuttals"], made.frames["claims"]
    known, pairs = 0, []
    for name, said in texts(made):
        own = claims[claims["session_id"] == name]
        ids = dict(zip(own["text"], own["claim_id"], strict=True))
        answers: dict[tuple[str, int], Answered] = {
            (ids[one.target(ids)], one.speech): one
            for speech in said
            for one in speech.answers
            if one.target(ids)
        }
        known += len(answers)
        found = rebuttals[rebuttals["session_id"] == name].to_dict("records")
        pairs += [(answers[row["claim_id"], row["speech"]], row) for row in found]
    assert within(known - len(pairs), known, 0.22)
    bits = ("logic", "new", "undermines")
    wrong = sum(getattr(one, bit) != row[bit] for one, row in pairs for bit in bits)
    assert within(wrong, 3 * len(pairs), 0.13)


@pytest.mark.thorough
def test_rebuttals_found_one_way_are_asked_for_again_and_cured_as_planted() -> None:
    annotator = {"one_direction": 1.0, "cured": 0.4}
    made = run(settings(runs=30), seed=8, speaker={"answers": 8.0}, annotator=annotator)
    asked, cured = 0, 0
    flagged = made.frames["verdicts"].set_index("session_id")["one_sided"]
    every = made.frames["rebuttals"]
    for name, session in made.debates.items():
        steps = [turn.number for turn in session.turns if turn.role == "rebuttals"]
        again = len(steps) == 4
        own = every[every["session_id"] == name]
        # What is found the second time counts, and takes the flag away.
        assert flagged[name] == (SIDES[1] not in set(own["side"]) and len(own) >= 8)
        assert again or len(own) < 10
        asked, cured = asked + again, cured + (again and not flagged[name])
    assert asked > 10
    assert within(cured, asked, 0.4)


# Verdicts.


@pytest.mark.thorough
def test_each_layer_taken_out_leaves_the_verdict_to_the_next() -> None:
    """A third of the votes cannot be read, so that every layer has its turn."""
    made = run(settings(runs=RUNS, repairs=0), seed=21, judge={"unreadable_rate": 0.35})
    said = made.frames["verdicts"].set_index("session_id")
    votes = made.frames["votes"]
    blind = votes[votes["panel"] == "blind"]
    assert within((blind["slot"] == "").sum(), len(blind), 0.35)
    assert (said["panel"] == "none").sum() >= 3 and said["panel"].eq("contested").any()
    decided = set()
    for size in range(1, len(LAYERS) + 1):
        for layers in combinations(ALL_LAYERS, size):
            found = pd.DataFrame(made.tables(layers).verdicts).set_index("session_id")
            for name, row in said.iterrows():
                expected = ("contested", "none")
                for layer in reversed(layers):
                    if row[layer] in SIDES or (layer == "panel" and row[layer] == "contested"):
                        expected = (row[layer], layer)
                assert tuple(found.loc[name, ["winner", "decided_by"]]) == expected
                decided.add((layers, expected[1]))
    assert {layer for layers, layer in decided if layers == tuple(ALL_LAYERS)} >= {
        "panel",
        "annotation",
    }
    assert {layer for _, layer in decided} >= {*LAYERS}


@pytest.mark.thorough
def test_points_of_information_are_taken_at_the_planted_rates() -> None:
    made = run(
        settings(runs=RUNS, accepted=0.7, accepted_late=0.15),
        seed=2,
        assistant={"rises": 0.9},
        speaker={"claims": 5.0},
    )
    points = made.frames["points"]
    late = points["speech"] > 4
    for own, share in ((points[~late], 0.7), (points[late], 0.15)):
        assert within(own["accepted"].sum(), len(own), share)
        assert (own["accepted"] == (own["answer"] != "")).all()
