"""Numbers as readers see them."""

from __future__ import annotations

from dissensus.report import labels
from dissensus.report.labels import numeric


def test_numbers_are_printed_as_in_the_paper() -> None:
    assert labels.interval(0.442, 0.556) == "[0.442, 0.556]"
    assert labels.span(0.723, 0.902) == "0.723–0.902"
    assert labels.span(-0.1, 0.2) == "-0.100 to 0.200"
    assert [labels.p_value(p) for p in (0.0009, 0.001, 0.04321)] == ["<0.001", "0.001", "0.043"]
    assert labels.number(-0.0001) == "0.000"
    assert labels.number(float("nan")) == labels.span(float("nan"), 1.0) == "–"
    assert labels.signed(-0.5) == "−0.500"
    assert [labels.percent(x) for x in (0.075, 1.0, 0.0366)] == ["7.5%", "100%", "3.7%"]


def test_whole_numbers_have_their_thousands_apart() -> None:
    assert [labels.whole(n) for n in (7, 2500.0, 100 / 3, 1e5)] == [
        "7",
        "2,500",
        "33.33",
        "100,000",
    ]


def test_shares_and_estimates_stand_before_their_intervals() -> None:
    assert (
        labels.percents(0.123, 0.5) == "[12, 50]"
        and labels.percents(-0.2, 0.5, 1, "−") == "[−20.0, 50.0]"
    )
    assert labels.percents(None, 0.5) == labels.percents(float("nan"), 0.5) == "–"
    assert labels.share_interval(0.195, 0.12, 0.29) == "19.5% [12, 29]"
    assert labels.share_interval(0.195, 0.12, 0.29, 0) == "20% [12, 29]"
    assert labels.share_interval(None, 0.1, 0.2) == "–"
    assert labels.estimate(0.1239, 0.05, 0.197) == "0.124 [0.050, 0.197]"
    assert labels.estimate(0.5, float("nan"), 1.0, 1) == "0.5"


def test_arms_have_words() -> None:
    assert labels.arm_words("pid_fast") == "pid fast"
    assert len(labels.arm_words("a" * 99)) <= 24


def test_round_off_is_zero_where_programs_read_it_and_small_p_values_stay() -> None:
    cells = (
        labels.number(5.6e-15),
        labels.span(5.6e-15, 0.4),
        labels.interval(-2e-16, 1.0),
        labels.percent(1e-17),
    )
    rows = numeric(("a", "b", "c", "d", "p"), [(*cells, labels.p_value(1e-20))])
    assert rows[1] == ["0", "0", "0.4", "0", "1", "0", "1e-20"]
