"""What is counted in simulated debates is found where it is, and nowhere else."""

from __future__ import annotations

import pytest

from debate_reading import (
    Speech,
    cut_quotes,
    false_sums,
    first_lines,
    first_sentence,
    readable,
    share,
    taking_up,
)


def speech(turn: int, text: str, speaker: str = "A", session: str = "s") -> Speech:
    return Speech(session, turn, speaker, text)


EARLIER = speech(1, "The drains are old, and nobody pays for them. We know that rain comes in May.")


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        ("“The drains are old”: so you say.", False),
        ("“nobody pays for them”, you say.", True),
        ("You say “and nobody pays for them”.", False),
        ("You say “rain comes in May”.", False),
        ("You say “We know that rain”.", True),
        ("You say “know that rain comes in May”.", True),
        ("You say “the sun is out”.", False),
        ('You say "The drains are old, and nobody".', True),
        ("A “drains are old” is a name.", False),
    ],
)
def test_a_quotation_is_whole_between_the_ends_of_clauses(text: str, is_cut: bool) -> None:
    assert bool(cut_quotes([EARLIER, speech(2, text, "B")])) == is_cut
    # Nobody quotes what is said at the same time, or in another session.
    assert not cut_quotes([EARLIER, speech(1, text, "B")])
    assert not cut_quotes([EARLIER, speech(2, text, "B", "other")])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("It is 2 + 3 = 5, and 7 × 8 is 56.", 0),
        ("It is 2 + 3 = 6.", 1),
        ("10 - 4 gives 6 and 9 / 3 makes 4.", 1),
        ("In 2024 there were 5.", 0),
    ],
)
def test_sums_are_worked_out(text: str, wrong: int) -> None:
    assert len(false_sums([speech(1, text)])) == wrong


def test_first_lines_are_compared_by_their_first_sentence() -> None:
    texts = ["Yes. And so on.", "Yes. But then.\nMore.", "No, not at all. Never."]
    counted = first_lines([speech(n, text) for n, text in enumerate(texts)])
    assert counted["distinct first lines"] == pytest.approx(2 / 3)
    assert counted["twelve commonest first lines"] == 1.0
    assert first_sentence("\nOne line\nand another.") == "One line"
    many = first_lines([speech(n, f"Line {n}.") for n in range(48)])
    assert many["twelve commonest first lines"] == 12 / 48


def test_words_are_taken_up_from_somebody_else_who_spoke_before() -> None:
    said = speech(1, "One two three four five six.")
    own, other = speech(2, "So: two three four five six."), speech(2, "Seven eight nine.", "B")
    assert taking_up([said, own]) == 0.0
    assert taking_up([said, speech(2, own.text, "B")]) == 1.0
    assert taking_up([said, other, speech(3, own.text, "B")]) == 1 / 2
    assert taking_up([said, speech(1, own.text, "B")]) == 0.0
    assert taking_up([speech(1, "河水上涨很快"), speech(2, "你说河水上涨很", "B")]) == 1.0


def test_what_is_read_of_a_turn_is_its_prose() -> None:
    assert readable('I say so.\n\n{"stance": "a"}') == "I say so."
    assert readable('I say so.\n\n```json\n{"stance": "a"}\n```') == "I say so."
    assert readable("I say so.\nVote: Agree") == "I say so."
    assert share([True, False]) == 0.5 and share([]) == 0.0
