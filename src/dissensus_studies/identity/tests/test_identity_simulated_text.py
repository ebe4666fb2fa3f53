"""What simulated agents write is read again as it was meant."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ..simulated_text import Asked, Weighed, compose, weighed_in

COUNTS = st.dictionaries(
    st.sampled_from(["A", "B", "3.5", "-7", "1/3", "1200"]),
    st.integers(1, 40).map(lambda n: n / 8),
    max_size=4,
)
HEARD = st.lists(st.sampled_from(["", "A", "B", "C"]), max_size=4)


@given(COUNTS, COUNTS, st.integers(0, 10**6), st.booleans(), HEARD, st.sampled_from(["", "It is."]))
def test_a_response_says_what_was_weighed_and_names_no_other_final_answer(
    own, others, luck, known, heard, why
):
    weighed = Weighed(own if known else {}, others)
    asked = Asked("choice", ("one", "two", "three"), why.rstrip("."))
    previous = "A" if known else None
    text = compose(asked, "B", weighed, previous, heard, np.random.default_rng(luck))
    assert weighed_in(f"{text} {{final answer: (B)}}") == weighed
    assert weighed_in(f"{text} I leave it there.") == weighed
    assert not re.search(r"[{}\n]|final", text)
    assert 3 <= len(re.findall(r"\.(?= |$)", text)) <= 5
