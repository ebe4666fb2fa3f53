"""The exchange that the front page quotes: who took over the answer of a peer."""

from __future__ import annotations

from typing import Any

from dissensus_studies.identity.reader import exchange

TURNS = [
    {"round_label": f"round {number}", "speaker": f"A{agent}", "text": f"A{agent} in {number}."}
    for number in (1, 2)
    for agent in (1, 2, 3)
]


def answers(*of_rounds: str) -> list[dict[str, Any]]:
    """A letter an agent, of every round from the opening on; "?" could not be read."""
    return [
        {"round": number, "agent": agent, "answer": letter, "parsed": letter != "?"}
        for number, letters in enumerate(of_rounds)
        for agent, letter in enumerate(letters, start=1)
    ]


def quoted(*of_rounds: str, condition: str = "vanilla") -> list[tuple[str, str]]:
    # In a ring of three, A1 sees A2, A2 sees A3 and A3 sees A1.
    manifest = [{"condition": condition, "graph": "2|3|1"}]
    return [*exchange(TURNS, {"manifest": manifest, "answers": answers(*of_rounds)})]


def test_a_peers_answer_stands_above_that_of_the_agent_who_took_it_over() -> None:
    assert quoted("BBC", "BCC", "CCC") == [
        ("A2", "A2 in 1."),
        ("A1, who has read that", "A1 in 2."),
    ]


def test_nobody_is_quoted_who_kept_to_an_answer_or_came_to_one_that_no_peer_had() -> None:
    # What was taken over in round 1 was said in the opening, a session of its own.
    assert quoted("BCC", "CCC", "CCC") == []
    # A1 goes over to what A3 answered, whom it does not see; A3 could not be read before.
    assert quoted("BBC", "BBC", "CBC") == []
    assert quoted("BB?", "BB?", "BBB") == []


def test_without_labels_nobody_is_quoted() -> None:
    assert quoted("BBC", "BCC", "CCC", condition="anonymized") == []
