"""Simulated debaters say what their settings plant, and keep the rules unless told not to."""

from __future__ import annotations

import csv
import re
from itertools import pairwise, product

import numpy as np
import pytest

from debate_reading import Speech, cut_quotes
from dissensus.errors import ResourceError, SettingError
from dissensus.llm.call import Message
from dissensus.llm.providers.behaviours import check_speech
from dissensus.study.configuration import load_file
from dissensus.text.divergences import grouped_measures
from dissensus.text.tokens import tokenizer
from marking import thorough_but
from scripted import ROOT
from simulation import decisions, hold, motions, settings

from .. import simulated
from ..study import Language

LANGUAGES = ("en", "zh")
MOTIONS = ROOT / "resources" / "motions"


def topic(motion_id: str, language: str) -> str:
    return motions()[motion_id][f"motion_{language}"]


SOME = [name for index, name in enumerate(motions()) if index % 3 == 0]


@pytest.mark.parametrize("language", thorough_but(LANGUAGES, "zh"))
def test_every_speech_on_every_motion_keeps_the_rules(language: str):
    broken = []
    for motion_id, seed in product(motions(), (1, 2)):
        session = hold(settings(), topic(motion_id, language), language, seed)
        assert len(session.turns) == 8
        broken += [(turn.text, turn.violations) for turn in session.turns if turn.violations]
        for turn in session.turns:
            assert not re.search(r"\b(judges|vote)\b", turn.text, re.IGNORECASE)
            assert not re.search(r"[{}]", turn.text)
    assert broken == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_quotations_are_of_the_previous_speech_and_short(language: str):
    speeches, quoted = [], 0
    for motion_id in SOME:
        turns = hold(settings(), topic(motion_id, language), language).turns
        for before, turn in pairwise(turns):
            quotes = quotations(turn.text)
            quoted += len(quotes)
            for words in quotes:
                assert words.lower() in before.text.replace("'", "’").lower()
                assert len(words.split()) <= 10
                assert len(words) <= 14 or language == "en"
        # As a reader counts them: a quotation with its marks, in a text without other ones.
        speeches += [
            Speech(motion_id, turn.number, turn.speaker, marked(turn.text)) for turn in turns
        ]
    assert quoted > 2 * len(SOME)
    assert not cut_quotes(speeches)


def quotations(text: str) -> list[str]:
    found = re.findall(r"(?:^|\s)'(.+?)'(?=\W)|‘(.+?)’", text)
    return ["".join(pair) for pair in found]


def marked(text: str) -> str:
    """A speech in which double marks stand around a quotation, and its case is nobody's."""
    for words in quotations(text):
        text = text.replace(f"'{words}'", f'"{words}"').replace(f"‘{words}’", f'"{words}"')
    return text.replace("'", "’").lower()


@pytest.mark.parametrize("language", LANGUAGES)
def test_cross_examinations_ask_and_every_question_is_answered(language: str):
    """A question names a point of the space, and the next speech answers by that name."""
    asked = crossed = 0
    for motion_id in SOME:
        own = labels(motion_id, language)
        for before, turn in pairwise(hold(settings(), topic(motion_id, language), language).turns):
            if "Cross-examination" in before.round_label:
                assert before.text.endswith(("?", "？"))
                other = {"P": "con", "O": "pro"}[before.speaker[0]]
                crossed += any(label in last_of(before.text) for label in own[other])
            if before.text.endswith(("?", "？")):
                asked += 1
                named = [
                    name for side in own.values() for name in side if name in last_of(before.text)
                ]
                answer = sentences_of(turn.text)[2]
                assert max(named, key=len) in answer
    assert asked > 3 * len(SOME) and crossed == 2 * len(SOME)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_later_speech_answers_the_one_before_it(language: str):
    """It has the question's point, a quotation, or a point that the other side has made."""
    for motion_id in SOME:
        own = labels(motion_id, language)
        for before, turn in pairwise(hold(settings(), topic(motion_id, language), language).turns):
            answer = sentences_of(turn.text)[2]
            named = [name for side in own.values() for name in side if name in answer]
            assert named or quotations(answer), (before.text, turn.text)


def labels(motion_id: str, language: str) -> dict[str, list[str]]:
    path = ROOT / "resources" / "arguments" / f"{motion_id}.tsv"
    with (path if path.exists() else path.with_name("generic.tsv")).open(encoding="utf-8") as file:
        found = [row for row in csv.DictReader(file, delimiter="\t") if row["part"] == "label"]
    return {
        side: [row[language] for row in found if row["side"] == side] for side in ("pro", "con")
    }


def sentences_of(text: str) -> list[str]:
    return re.findall(r"[^.。?？]+[.。?？]", text)


def last_of(text: str) -> str:
    return sentences_of(text)[-1]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("planted", thorough_but([0.15, 0.65], 0.65))
def test_the_planted_probability_is_recovered_from_transcripts(language: str, planted: float):
    other = {"en": "zh", "zh": "en"}[language]
    model = settings(**{language: planted, other: 0.5})
    found = [
        decision
        for motion_id, seed in product(SOME, (1, 2, 3))
        for decision in decisions(
            hold(model, topic(motion_id, language), language, seed), motion_id, language
        )
    ]
    spread = np.sqrt(planted * (1 - planted) / len(found))
    assert len(found) > 1000
    assert abs(np.mean(found) - planted) < 3.5 * spread


def test_offsets_move_the_probability_on_the_logit_scale():
    """A half, moved by log 3, is three quarters: for a model, and for a domain."""
    shift = float(np.log(3))
    codes = [str(MOTIONS / "coding_a.csv"), str(MOTIONS / "adjudication.csv")]
    by_model = settings(0.5, offset=shift)
    motion_id = "wudc-2023-round-3"
    by_domain = settings(0.5, codes=codes, domain_offset={"4": shift, "1": -shift})
    for model in (by_model, by_domain):
        found = [
            decision
            for seed in range(40)
            for decision in decisions(
                hold(model, topic(motion_id, "en"), "en", seed), motion_id, "en"
            )
        ]
        assert abs(np.mean(found) - 0.75) < 3.5 * np.sqrt(0.75 * 0.25 / len(found))


@pytest.mark.parametrize("language", LANGUAGES)
def test_more_recycling_is_more_similarity(language: str):
    def mean(planted: float) -> float:
        model = settings(planted, planted)
        values = []
        for motion_id in SOME:
            encode = tokenizer("words")
            turns = hold(model, topic(motion_id, language), language).turns
            units = [np.array(encode(turn.text)) for turn in turns]
            rng, turns_apart = np.random.default_rng(0), [range(len(units))]
            found = grouped_measures(units, turns_apart, depths=[1], repetitions=1, rng=rng)
            values.append(found[0].plain)
        return float(np.mean(values))

    low, middle, high = mean(0.05), mean(0.5), mean(0.95)
    assert low < middle < high


def test_a_debater_depends_on_its_request_alone():
    model = settings(session_sd=1.0, topic_sd=1.0, violation_rate=0.3)
    motion = topic(SOME[0], "zh")
    first = hold(model, motion, "zh", 5, repairs=2)
    again = hold(model, motion, "zh", 5, repairs=2)
    assert [a.reply for a in first.attempts] == [a.reply for a in again.attempts]
    other = hold(model, motion, "zh", 6, repairs=2)
    assert [t.text for t in other.turns] != [t.text for t in first.turns]


@pytest.mark.parametrize("language", LANGUAGES)
def test_violations_come_at_their_rate_and_half_as_often_in_repairs(language: str):
    rate = 0.4
    firsts, repairs = [], []
    for motion_id in SOME:
        session = hold(
            settings(violation_rate=rate), topic(motion_id, language), language, repairs=1
        )
        for attempt in session.attempts:
            (firsts if attempt.attempt == 1 else repairs).append(bool(attempt.violations))
    for found, expected in ((firsts, rate), (repairs, rate / 2)):
        spread = np.sqrt(expected * (1 - expected) / len(found))
        assert abs(np.mean(found) - expected) < 3.5 * spread


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_planted_violation_is_seen_and_all_kinds_occur(language: str):
    kinds = set()
    for motion_id in SOME[:8]:
        session = hold(settings(violation_rate=1.0), topic(motion_id, language), language)
        assert not any(turn.compliant for turn in session.turns)
        kinds |= {re.sub(r"\d+", "n", v) for turn in session.turns for v in turn.violations}
    assert {
        "banned symbols: *",
        "a bulleted or numbered list",
        "a greeting or an announcement of the role or round",
        "n sentences instead of exactly n",
        "not in the language asked for",
    } <= kinds


@pytest.mark.parametrize(
    ("language", "motion"), [("en", "This House would paint it blue"), ("zh", "本院将把它涂成蓝色")]
)
def test_an_unknown_motion_is_argued_from_the_generic_space(language: str, motion: str):
    session = hold(settings(), motion, language)
    assert all(turn.compliant for turn in session.turns)
    assert sum(1 for _ in decisions(session, "generic", language)) > 5


def test_a_debater_reads_what_was_used_from_its_prompt_alone():
    """With recycling all but certain, the second speaker repeats the first as far as it can."""
    session = hold(settings(0.999), topic(SOME[1], "en"), "en")
    assert np.mean(list(decisions(session, SOME[1], "en"))) > 0.95


def test_a_prompt_of_another_kind_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ResourceError, match="cannot read this debate prompt"):
        simulated.speak([Message("user", "Hello")], settings(), rng)


def test_settings_are_checked():
    check_speech(simulated.__name__, settings()["speech"])
    with pytest.raises(SettingError, match=r"^speech\.recycle\.en holds 0;"):
        check_speech(simulated.__name__, settings(0)["speech"])


def test_an_identity_changes_with_what_debaters_read(tmp_path):
    """And not with what merely lies in the folder."""
    folder = tmp_path / "arguments"
    folder.mkdir()
    for name in ("generic.tsv", "frames.yaml"):
        content = (ROOT / "resources" / "arguments" / name).read_bytes()
        (folder / name).write_bytes(content)

    def identity() -> str:
        simulated._resources_digest.cache_clear()
        return simulated.identity(settings(arguments=str(folder)))

    before = identity()
    (folder / ".DS_Store").write_bytes(b"x")
    (folder / ".ipynb_checkpoints").mkdir()
    assert identity() == before
    # Nor with the motions: the one debated is in the request, so that an edit of one runs it alone.
    moved = tmp_path / "motions.csv"
    moved.write_text("motion_id,motion_en,motion_zh\nm,This House,本院\n", encoding="utf-8")
    assert simulated.identity(settings(arguments=str(folder), motions=str(moved))) == before
    (folder / "generic.tsv").write_bytes((folder / "generic.tsv").read_bytes() + b"\n")
    assert identity() != before
    simulated._resources_digest.cache_clear()


def test_a_language_that_they_do_not_speak_is_refused_before_anything_runs(tmp_path):
    french = (ROOT / "studies/language/prompts/en.yaml").read_text(encoding="utf-8")
    french = french.replace("You must write in English only", "You must write in French only")
    (tmp_path / "fr.yaml").write_text(french, encoding="utf-8")
    config = load_file(ROOT / "config.yaml")
    known = config.language.languages
    added = known["en"].model_copy(update={"prompts": str(tmp_path / "fr.yaml")})
    models = {name: model.model_dump() for name, model in config.models.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        Language(config.language).check_models(models)
        more = config.language.model_copy(update={"languages": {**known, "fr": added}})
        with pytest.raises(ResourceError, match=r"languages\.fr .* speak English and Simplified"):
            Language(more).check_models(models)
        real = {name: {"provider": "here"} for name in models}
        Language(more).check_models(real)
