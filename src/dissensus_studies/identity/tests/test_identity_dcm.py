"""The hierarchical fit, its intervals and tests, and the tables that they make."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.tools.numdiff import approx_hess

from dissensus.tables.artefact import read, write

from ..inference.dcm import DCM, DCM_TESTS, Inference, estimate_dcm
from ..inference.fitting import Fit, equal_weights_test, fit
from ..inference.likelihood import QUANTITIES, Likelihood, Parameters
from ..inference.panel import Panel
from .identity_panels import FULL, RING, drawn, panel_from

PLANTED = Parameters(0.5, 2.0, 4.0, 1.0)


@pytest.fixture(scope="module")
def panel() -> Panel:
    return drawn(PLANTED, 11, 300)


@pytest.fixture(scope="module")
def fitted(panel: Panel) -> Fit:
    return fit(panel)


def total(panel: Panel, logs: np.ndarray, rounds: int = 1) -> float:
    found = Likelihood.of(panel, rounds)
    return float(found.value(np.exp(logs))[0][found.kind].sum())


def test_recovers_what_was_planted(fitted: Fit) -> None:
    truth = {
        **dict(zip(QUANTITIES[:4], PLANTED.vector(), strict=True)),
        "pi_belief": 1 / 3.5,
        "pi_self": 0.5 / 3.5,
        "pi_peer": 2 / 3.5,
        "ibc": 1.5 / 3.5,
        "total_weight": 2.5,
    }
    assert fitted.converged
    for name, value in truth.items():
        estimate = fitted.estimates[name]
        assert abs(estimate.estimate - value) < 4 * estimate.se, name
        assert estimate.ci_low < estimate.estimate < estimate.ci_high


@pytest.mark.parametrize(
    ("planted", "peers", "rounds", "true"),
    [
        (Parameters(1.0, 1.0, 4.0, 1.0), RING, 1, 0.0),
        (Parameters(2.0, 0.5, 4.0, 1.0), RING, 1, -3 / 7),
        (Parameters(0.5, 0.6, 4.0, 1.0), FULL, 1, 19 / 39),
        (PLANTED, RING, 2, 3 / 7),
    ],
)
def test_recovers_the_bias_of_other_worlds(
    planted: Parameters, peers: tuple[tuple[int, ...], ...], rounds: int, true: float
) -> None:
    found = [
        fit(drawn(planted, seed, 272, rounds, peers), rounds).estimates["ibc"] for seed in (1, 2, 3)
    ]
    errors = [one.estimate - true for one in found]
    assert abs(np.mean(errors)) < 4 * found[0].se / np.sqrt(3)
    # The spreads of 40 replicates of this design: .033, .038, .027, .042; less with two rounds.
    assert all(0.02 < one.se < 0.05 for one in found)


def test_ends_where_the_likelihood_is_highest(panel: Panel, fitted: Fit) -> None:
    logs = np.log(fitted.parameters.vector())
    assert total(panel, logs) == pytest.approx(fitted.loglik, abs=1e-8)
    for move in np.vstack([np.eye(4), -np.eye(4)]):
        assert total(panel, logs + 0.02 * move) < fitted.loglik


def test_standard_errors_are_those_of_the_observed_information(panel: Panel, fitted: Fit) -> None:
    logs = np.log(fitted.parameters.vector())
    covariance = np.linalg.inv(-approx_hess(logs, lambda at: total(panel, at)))
    for index, name in enumerate(QUANTITIES[:4]):
        estimate = fitted.estimates[name]
        se = estimate.estimate * np.sqrt(covariance[index, index])
        assert estimate.se == pytest.approx(se, rel=2e-3)
        # Weights on the scale of log(1 + w), concentrations on that of their logs.
        offset = 1.0 if index < 2 else 0.0
        scale = offset + estimate.estimate
        assert estimate.ci_high == pytest.approx(
            scale * np.exp(stats.norm.ppf(0.975) * se / scale) - offset, rel=2e-3
        )
    own, peer = fitted.parameters.w_self, fitted.parameters.w_peer
    scale = (1 + own + peer) ** 2
    slope = np.array([-own * (1 + 2 * peer), peer * (1 + 2 * own), 0, 0]) / scale
    assert fitted.estimates["ibc"].se == pytest.approx(
        float(np.sqrt(slope @ covariance @ slope)), rel=2e-3
    )


def test_implied_shares_are_the_observed_ones_on_average(panel: Panel, fitted: Fit) -> None:
    opening, new = panel.answers[:, 0], panel.answers[:, 1]
    heard = np.roll(opening, -1, axis=1)
    apart = opening != heard
    names = {"conformity": (new == heard)[apart], "obstinacy": (new == opening)[apart]}
    for name, flags in names.items():
        estimate = fitted.estimates[name]
        assert abs(estimate.estimate - flags.mean()) < 4 * estimate.se
    delta = fitted.estimates["delta"].estimate
    implied = fitted.estimates["conformity"].estimate - fitted.estimates["obstinacy"].estimate
    assert delta == pytest.approx(implied)


def test_implied_shares_by_hand() -> None:
    # Two agents who disagree, and two who agree: only the first pair counts.
    panel = panel_from([[[0, 1], [1, 1]], [[0, 0], [0, 0]]] * 3, ((1,), (0,)), options=2)
    found = fit(panel)
    own, peer, correct, other = found.parameters.vector()
    belief = np.array([correct + 1, other + 1]) / (correct + other + 2)
    # Agent 1 hears option 1, agent 2 option 0.
    conformity = (belief.sum() + 2 * peer) / (1 + own + peer) / 2
    assert found.estimates["conformity"].estimate == pytest.approx(conformity)


def test_influences_sum_to_nothing_and_square_to_the_variance(fitted: Fit) -> None:
    ibc = fitted.influence[:, QUANTITIES.index("ibc")]
    assert ibc.sum() == pytest.approx(0.0, abs=1e-4)
    assert np.sqrt((ibc**2).sum()) == pytest.approx(fitted.estimates["ibc"].se, rel=0.25)


def test_shares_without_belief_or_self_stay_within_their_bounds() -> None:
    # Everybody copies the peer, always.
    answers = drawn(PLANTED, 2, 60).answers
    answers[:, 1] = np.roll(answers[:, 0], -1, axis=1)
    n = np.arange(60)
    found = fit(Panel(answers, n % 4, np.full(60, 4), RING))
    assert found.estimates["pi_peer"].estimate > 0.98
    assert found.estimates["pi_self"].ci_low >= 0.0
    assert found.estimates["ibc"].ci_high <= 1.0


def test_a_weight_of_nothing_has_an_interval_that_begins_there() -> None:
    nothing = Parameters(0.0, 2.0, 4.0, 1.0)
    found = [fit(drawn(nothing, seed, 100)).estimates for seed in range(4)]
    for estimates in found:
        assert estimates["w_self"].ci_low == 0.0
        assert estimates["w_self"].ci_high < 1.0
        assert estimates["w_peer"].ci_low < 2.0 < estimates["w_peer"].ci_high
    # Somewhere the search ends at its bound, where a log scale had no upper end.
    assert min(estimates["w_self"].estimate for estimates in found) < 0.002


def test_unanimous_answers_tell_no_weights() -> None:
    found = fit(panel_from([[[0] * 5, [0] * 5]] * 20, RING))
    assert not found.converged
    assert all(np.isnan(one.estimate) for one in found.estimates.values())


def test_what_cannot_be_fitted_is_refused(panel: Panel) -> None:
    with pytest.raises(ValueError, match="rounds is 2"):
        fit(panel, 2)
    silent = panel.answers.copy()
    silent[:, 1] = -1
    with pytest.raises(ValueError, match="nothing to fit"):
        fit(Panel(silent, panel.correct, panel.options, panel.peers))


def test_equal_weights_are_rejected_where_they_differ(panel: Panel, fitted: Fit) -> None:
    test = equal_weights_test(panel, 1, fitted)
    tied = fit(panel, equal_weights=True)
    assert tied.parameters.w_self == pytest.approx(tied.parameters.w_peer)
    assert tied.estimates["ibc"].estimate == pytest.approx(0.0, abs=1e-9)
    assert test.statistic == pytest.approx(2 * (fitted.loglik - tied.loglik))
    assert test.p_value == pytest.approx(stats.chi2.sf(test.statistic, 1))
    assert test.p_value < 1e-6
    assert test.n == 300 * 5


@pytest.mark.thorough
def test_likelihood_ratio_is_a_chi_square_where_weights_are_equal() -> None:
    equal = Parameters(1.0, 1.0, 4.0, 1.0)
    found = [equal_weights_test(drawn(equal, seed, 60)).statistic for seed in range(24)]
    # Of 24 draws of a chi-square on 1 degree of freedom: mean 1 with standard error .29.
    assert 0.3 < np.mean(found) < 2.0
    assert stats.kstest(found, "chi2", args=(1,)).pvalue > 0.001


def frames(
    panels: dict[str, Panel], graph: str, seats: tuple[str, ...] = ()
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The tables answers, questions and manifest that would give these panels."""
    answers, questions = [], {}
    for condition, panel in panels.items():
        for m in range(panel.n_questions):
            question = f"bank-{m:03d}"
            questions[question] = {
                "question_id": question,
                "kind": "choice",
                "options": ["an option"] * int(panel.options[m]),
                "answer": "ABCD"[panel.correct[m]],
            }
            for t, given in enumerate(panel.answers[m]):
                for agent, code in enumerate(given):
                    answers.append(
                        {
                            "team": "team",
                            "bank": "bank",
                            "question_id": question,
                            "condition": condition,
                            "round": t,
                            "agent": agent + 1,
                            "answer": "ABCD"[code] if code >= 0 else "",
                        }
                    )
    sessions = [
        {"team": "team", "question_id": question, "condition": condition, "graph": shown}
        for condition, shown in {"opening": "", **dict.fromkeys(panels, graph)}.items()
        for question in questions
    ]
    manifest = pd.DataFrame(sessions).assign(seats=[list(seats) for _ in sessions])
    return pd.DataFrame(answers), pd.DataFrame(questions.values()), manifest


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[pd.DataFrame, pd.DataFrame]:
    panels = {
        "vanilla": drawn(PLANTED, 1, 50, rounds=2),
        "anonymized": drawn(Parameters(1.0, 1.0, 4.0, 1.0), 1, 50, rounds=2),
    }
    how = Inference(confidence=0.95, resamples=200, goodness_resamples=19, seed=1)
    dcm, tests = estimate_dcm(*frames(panels, "2|3|4|5|1"), how)
    folder: Path = tmp_path_factory.mktemp("dcm")
    write(folder / "dcm.parquet", DCM, dcm, {})
    write(folder / "tests.parquet", DCM_TESTS, tests, {})
    made = read(folder / "dcm.parquet", DCM), read(folder / "tests.parquet", DCM_TESTS)
    return made[0].to_pandas(), made[1].to_pandas()


def test_tables_hold_every_fit(tables: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    dcm, tests = tables
    assert set(dcm["bank"]) == {"bank", "all"}
    one = dcm[dcm["bank"] == "bank"]
    main = one[(one["condition"] == "vanilla") & (one["method"] == "hierarchical")]
    assert main.groupby("rounds")["parameter"].apply(list).to_dict() == {
        "1": list(QUANTITIES),
        "1-2": list(QUANTITIES),
    }
    assert one[one["method"] == "moment"]["rounds"].unique().tolist() == ["1"]
    assert (one["n_questions"] == 50).all()
    # Equal weights for the first round and for both, two tests of fit for the first; and the one
    # bank is all.
    assert len(tests) == 2 * 2 * (2 + 2)
    apart = tests[tests["test"] == "goodness_by_agent"].iloc[0]
    assert [cell.split()[0] for cell in apart["cells"]] == [
        f"A{seat}" for seat in range(1, 6) for _ in range(5)
    ]
    good = tests[tests["test"] == "goodness_of_fit"].iloc[0]
    assert [cell.rsplit(" ", 1)[0] for cell in good["cells"]] == [
        "agree-stay",
        "agree-leave",
        "disagree-self",
        "disagree-peer",
        "disagree-third",
    ]
    assert np.isnan(good["df"])
    assert (tests[tests["test"] == "equal_weights"]["df"] == 1).all()


def test_differences_are_vanilla_less_anonymised(
    tables: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    dcm, _ = tables
    chosen = dcm[(dcm["bank"] == "bank") & (dcm["rounds"] == "1")]
    by = chosen[chosen["method"] == "hierarchical"].set_index(["condition", "parameter"])
    for name, of in (("ibc_difference", "delta"), ("total_weight", "total_weight")):
        row = by.loc[("difference", name)]
        parts = [by.loc[(condition, of)] for condition in ("vanilla", "anonymized")]
        assert row["estimate"] == pytest.approx(parts[0]["estimate"] - parts[1]["estimate"])
        apart = np.hypot(parts[0]["se"], parts[1]["se"])
        assert 0.5 * apart < row["se"] < 1.5 * apart
        assert row["ci_low"] == pytest.approx(row["estimate"] - stats.norm.ppf(0.975) * row["se"])


def test_the_same_answers_in_both_conditions_differ_by_nothing_for_certain() -> None:
    """What a question adds to both estimates is no uncertainty of their difference."""
    panel = drawn(PLANTED, 3, 40)
    how = Inference(confidence=0.95, resamples=20, goodness_resamples=19, seed=1)
    dcm, _ = estimate_dcm(*frames({"vanilla": panel, "anonymized": panel}, "2|3|4|5|1"), how)
    rows = [row for row in dcm if row["condition"] == "difference"]
    assert rows
    for row in rows:
        assert (row["estimate"], row["se"]) == (0.0, pytest.approx(0.0, abs=1e-9))


def test_the_error_of_a_difference_loses_one_question_to_the_mean() -> None:
    """With every question twice, each has half the influence: squares of 2 n halves."""
    how = Inference(confidence=0.95, resamples=20, goodness_resamples=19, seed=1)
    panels = {name: drawn(PLANTED, seed, 12) for seed, name in ((3, "vanilla"), (4, "anonymized"))}
    once = frames(panels, "2|3|4|5|1")
    again = [part.assign(question_id="again-" + part["question_id"]) for part in once]
    twice = [pd.concat(pair, ignore_index=True) for pair in zip(once, again, strict=True)]
    errors = []
    for part in (once, twice):
        rows = [row for row in estimate_dcm(*part, how)[0] if row["parameter"] == "ibc_difference"]
        errors.append(next(row["se"] for row in rows if row["rounds"] == "1"))
    n = 12
    expected = 2 * n / (n - 1) * (2 * n - 1) / (2 * n)
    assert errors[0] ** 2 / errors[1] ** 2 == pytest.approx(expected, rel=1e-3)


def test_fit_by_agent_is_by_persona_where_there_are_some() -> None:
    how = Inference(confidence=0.95, resamples=20, goodness_resamples=19, seed=1)
    panels = {"vanilla": drawn(PLANTED, 3, 10)}
    seats = ("Doctor", "Programmer", "Assistant", "Mathematician", "Psychologist")
    _, tests = estimate_dcm(*frames(panels, "2|3|4|5|1", seats), how)
    apart = next(row for row in tests if row["test"] == "goodness_by_agent")
    assert list(dict.fromkeys(cell.split()[0] for cell in apart["cells"])) == sorted(seats)


def test_of_several_banks_there_is_a_row_over_all() -> None:
    how = Inference(confidence=0.95, resamples=20, goodness_resamples=19, seed=1)
    parts = [frames({"vanilla": drawn(PLANTED, seed, 10)}, "2|3|4|5|1") for seed in (3, 4)]
    for number, part in enumerate(parts):
        for frame in part:
            frame["question_id"] = f"b{number}-" + frame["question_id"]
        parts[number][0]["bank"] = f"b{number}"
    dcm, tests = estimate_dcm(*map(pd.concat, zip(*parts, strict=True)), how)
    sizes = {(row["bank"], row["n_questions"]) for row in dcm}
    assert sizes == {("b0", 10), ("b1", 10), ("all", 20)}
    assert {row["bank"] for row in tests} == {"b0", "b1", "all"}


def test_what_cannot_be_fitted_has_rows_without_numbers() -> None:
    panel = drawn(PLANTED, 1, 5)
    panel.answers[:, 1] = -1
    how = Inference(confidence=0.95, resamples=20, goodness_resamples=19, seed=1)
    dcm, tests = estimate_dcm(*frames({"vanilla": panel}, "2|3|4|5|1"), how)
    assert {row["estimate"] for row in dcm} == {None}
    assert not any(row["converged"] for row in dcm)
    assert {row["p_value"] for row in tests} == {None}
