"""Part `identity`: what fits of the debate model to 272 questions of five agents take and find."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from bench import Bench, seconds
from table import Row, Target
from timing import Took, took

from project import ROOT


def fit_rounds(questions: int, rounds: int) -> float:
    """Seconds of a fit with intervals, agents in a ring."""
    from dissensus_studies.identity.inference.diagnosis import Scenario, empty
    from dissensus_studies.identity.inference.fitting import fit

    panel = _drawn(empty(Scenario(0.5, 2.0, 1, rounds), questions))
    started = time.perf_counter()
    fit(panel, rounds)
    return time.perf_counter() - started


def one_round(questions: int) -> float:
    """Seconds of a fit of the first transition."""
    return fit_rounds(questions, 1)


def two_rounds(questions: int) -> float:
    """Seconds of a fit of two transitions."""
    return fit_rounds(questions, 2)


def goodness(questions: int) -> float:
    """Seconds of a test of fit by 99 resamples, each fitted again."""
    from dissensus_studies.identity.inference.diagnosis import Scenario, empty
    from dissensus_studies.identity.inference.fitting import fit
    from dissensus_studies.identity.inference.goodness import goodness_of_fit

    panel = _drawn(empty(Scenario(0.5, 2.0, 1, 1), questions))
    fitted = fit(panel)
    started = time.perf_counter()
    goodness_of_fit(panel, fitted, 99, 1)
    return time.perf_counter() - started


def moments(questions: int) -> float:
    """Seconds of the closed form with 2,000 resamples of the questions."""
    from dissensus_studies.identity.inference.diagnosis import Scenario, empty
    from dissensus_studies.identity.inference.moments import moment_estimate

    panel = _drawn(empty(Scenario(0.5, 2.0, 1, 1), questions))
    started = time.perf_counter()
    moment_estimate(panel)
    return time.perf_counter() - started


def _drawn(panel):  # type: ignore[no-untyped-def]
    import numpy as np

    from dissensus_studies.identity.inference.likelihood import Parameters
    from dissensus_studies.identity.inference.simulate import simulate

    return simulate(panel, Parameters(0.5, 2.0, 4.0, 1.0), np.random.default_rng(1))


#: Name -> what it measures; questions, in a quick run too; its words; its target.
MEASURES: dict[str, tuple[Callable[[int], float], tuple[int, int], str, Target | None]] = {
    "one_round": (one_round, (272, 40), "fit of {:,} questions, one round", Target(2)),
    "two_rounds": (two_rounds, (272, 40), "fit of {:,} questions, two rounds", Target(20)),
    "goodness": (goodness, (272, 40), "test of fit of {:,} questions, 99 resamples", None),
    "moments": (moments, (272, 40), "moments of {:,} questions, 2,000 resamples", None),
}


#: Simulated studies a world, in a quick run too, and the most that their mean may be off by.
_REPLICATES, _BIAS = (200, 4), 0.01


def recovery(replicates: int, questions: int) -> list[dict[str, Any]]:
    """Mean and coverage of the estimators in every world of the design diagnosis."""
    from dissensus_studies.identity.inference.diagnosis import diagnose

    diagnosis = {"replicates": replicates, "questions": questions}
    return diagnose({}, {"diagnosis": diagnosis, "inference.confidence": 0.95}, 1, cores=2)


def measure(bench: Bench) -> None:
    """Time each function, and let the estimators find what was planted."""
    _speed(bench)
    replicates, questions = _REPLICATES[bench.quick], (272, 40)[bench.quick]
    what = f"identity bias found in {replicates} studies of {questions} questions"
    with bench.attempt(what):
        run = took([sys.executable, __file__, "recovery", str(replicates), str(questions)], ROOT)
        _found(bench, what, json.loads(run.stdout.splitlines()[-1]))


def _found(bench: Bench, what: str, rows: list[dict[str, Any]]) -> None:
    """Bias and spread beside the plug-in's, and coverage, by world."""
    plug_in = {row["world"]: row for row in rows if row["estimator"] == "plug-in"}
    targets = {"bias": Target(_BIAS), "sd": None, "coverage": Target(0.9, least=True)}
    for row in (row for row in rows if row["estimator"] == "hierarchical"):
        world = f"{what}, {row['world']} ({row['true']:+.3f})"
        for quantity, target in targets.items():
            other = plug_in.get(row["world"], {}).get(quantity)
            beside = () if other is None else (abs(other),)
            named = "plug-in" if beside else ""
            values = [abs(row[quantity])]
            bench.add(Row(f"{world}: {quantity}", "", values, named, beside, target))


def _speed(bench: Bench) -> None:
    for name, (_, sizes, words, target) in MEASURES.items():
        what = words.format(sizes[bench.quick])
        with bench.attempt(what):
            runs = [_measured(name, sizes[bench.quick]) for _ in range(bench.runs)]
            bench.add(Row(what, "s", seconds(runs), target=target))


def _measured(name: str, size: int) -> Took:
    run = took([sys.executable, __file__, name, str(size)], ROOT)
    inside = json.loads(run.stdout.splitlines()[-1])
    return Took(inside, inside, run.largest_mb, run.together_mb)


if __name__ == "__main__":
    name, *sizes = sys.argv[1:]
    asked = recovery if name == "recovery" else MEASURES[name][0]
    print(json.dumps(asked(*map(int, sizes))))
