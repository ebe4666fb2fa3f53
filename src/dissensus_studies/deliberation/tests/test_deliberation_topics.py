"""The topics that ship with the project."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, combinations, permutations
from typing import Any

import pytest
from cydifflib import SequenceMatcher

from dissensus.user_files import read_yaml
from scripted import ROOT

from ..measures.consistency import conclusion

Topic = dict[str, Any]

TOPICS: list[Topic] = read_yaml(ROOT / "resources" / "topics" / "topics.yaml")
IDS = [topic["id"] for topic in TOPICS]
SETTLED = [topic for topic in TOPICS if topic["truth"] is not None]
OF_VALUE = [topic for topic in TOPICS if topic["truth"] is None]
every_topic = pytest.mark.parametrize("topic", TOPICS, ids=IDS)


def support(topic: Topic) -> Counter[str]:
    return Counter(item["supports"] for item in topic["evidence"])


def says(text: str, label: str) -> bool:
    return re.search(rf"\b{re.escape(label)}\b", text, re.IGNORECASE) is not None


def test_there_are_fourteen_cases_and_ten_questions_of_value():
    assert [f"topic-{number:02d}" for number in range(1, 25)] == IDS
    assert TOPICS[:14] == SETTLED
    assert TOPICS[14:] == OF_VALUE
    assert sum(topic["ordered"] for topic in SETTLED) == 2
    assert sum(topic["ordered"] for topic in OF_VALUE) == 4


@every_topic
def test_a_topic_is_whole(topic: Topic):
    fields = ["id", "title", "question", "options", "ordered", "truth", "evidence"]
    assert list(topic) == fields
    assert isinstance(topic["ordered"], bool)
    assert re.fullmatch(r"The [A-Za-z -]+[a-z]", topic["title"])
    assert topic["question"].endswith("?")
    assert topic["truth"] in (None, *topic["options"])


@every_topic
def test_options_can_be_told_apart(topic: Topic):
    options = topic["options"]
    assert 3 <= len(options) <= 5
    for option in options:
        assert isinstance(option, str)
        assert re.fullmatch(r"[a-z]+( [a-z]+){0,2}", option)
    assert [pair for pair in permutations(options, 2) if pair[0] in pair[1]] == []


@every_topic
def test_evidence_is_whole(topic: Topic):
    evidence = topic["evidence"]
    assert 6 <= len(evidence) <= 9
    assert [item["id"] for item in evidence] == [f"e{n}" for n in range(1, len(evidence) + 1)]
    for item in evidence:
        assert set(item) == {"id", "supports", "text"}
        # One sentence, and nothing that a prompt or a reply uses to set text off.
        assert re.fullmatch(r"[A-Z][^.!?{}\n\"]*(\.\d[^.!?{}\n\"]*)?\.", item["text"])
    assert set(support(topic)) == set(topic["options"])


@every_topic
def test_evidence_names_no_option_but_its_own(topic: Topic):
    """A label found in the words of a debater must not have come with the evidence it quotes."""
    for option in topic["options"]:
        assert not says(topic["question"], option)
        for item in topic["evidence"]:
            assert item["supports"] == option or not says(item["text"], option), item["text"]


@every_topic
def test_quoted_evidence_is_not_taken_for_a_conclusion(topic: Topic):
    for item in topic["evidence"]:
        assert conclusion(item["text"], "", topic["options"]) == ""


@pytest.mark.parametrize("topic", SETTLED, ids=lambda topic: topic["id"])
def test_evidence_settles_a_case(topic: Topic):
    assert support(topic)[topic["truth"]] > len(topic["evidence"]) / 2


@pytest.mark.parametrize("topic", OF_VALUE, ids=lambda topic: topic["id"])
def test_evidence_is_even_on_a_question_of_value(topic: Topic):
    assert len(set(support(topic).values())) == 1


def test_truths_stand_in_all_places_and_not_always_first_in_the_evidence():
    places = Counter(topic["options"].index(topic["truth"]) for topic in SETTLED)
    assert set(places) >= {0, 1, 2, 3}
    assert max(places.values()) <= 5
    opened = [topic["evidence"][0]["supports"] == topic["truth"] for topic in SETTLED]
    assert 2 <= sum(opened) <= 7


def test_nothing_is_said_twice():
    for name in ("title", "question"):
        assert len({topic[name] for topic in TOPICS}) == len(TOPICS)
    questions = [topic["question"] for topic in TOPICS]
    assert [pair for pair in permutations(questions, 2) if pair[0] in pair[1]] == []
    texts = [item["text"] for item in chain.from_iterable(t["evidence"] for t in TOPICS)]
    near = []
    for first, second in combinations(texts, 2):
        matcher = SequenceMatcher(None, first, second, autojunk=False)
        if matcher.quick_ratio() > 0.8 and matcher.ratio() > 0.8:
            near.append((first, second))
    # The doses of one trial are told alike on purpose.
    assert all("horses" in text for text in chain.from_iterable(near))
