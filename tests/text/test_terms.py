"""Terms that set groups of texts apart."""

from __future__ import annotations

from dissensus.text.terms import commonest_terms


def test_terms_set_a_cluster_apart_and_are_three_to_six() -> None:
    names = commonest_terms(
        [
            ["Juries decide by lot.", "A jury by lot is drawn.", "By lot, juries are drawn."],
            ["Elections hold power to account.", "Power answers in elections.", "An election."],
        ]
    )
    first, second = (name.split(", ") for name in names)
    assert {"lot", "juries", "drawn"} <= {*first} and {"elections", "power"} <= {*second}
    assert not {*first} & {*second}
    assert all(3 <= len(name.split(", ")) <= 6 for name in names)


def test_terms_of_words_that_say_nothing_are_a_number() -> None:
    assert commonest_terms([["It is so.", "And is it?"]]) == ["cluster 1"]
    assert commonest_terms([["Is it?"], ["A memory.", "Memories, two memories."]]) == [
        "cluster 1",
        "memories, memory",
    ]
    assert commonest_terms([]) == []
