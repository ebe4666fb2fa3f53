"""Part `identity`: the fits of the debate model to 272 questions of five agents, a process each."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

from bench import Bench, seconds
from project import ROOT
from table import Row, Target
from timing import Took, took


def fit_rounds(questions: int, rounds: int) -> float:
    """Seconds of a fit with intervals, agents in a ring."""
    from dissensus.identity.inference.diagnosis import Scenario, empty
    from dissensus.identity.inference.fitting import fit

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
    from dissensus.identity.inference.diagnosis import Scenario, empty
    from dissensus.identity.inference.fitting import fit
    from dissensus.identity.inference.goodness import goodness_of_fit

    panel = _drawn(empty(Scenario(0.5, 2.0, 1, 1), questions))
    fitted = fit(panel)
    started = time.perf_counter()
    goodness_of_fit(panel, fitted, 99, 1)
    return time.perf_counter() - started


def moments(questions: int) -> float:
    """Seconds of the closed form with 2,000 resamples of the questions."""
    from dissensus.identity.inference.diagnosis import Scenario, empty
    from dissensus.identity.inference.moments import moment_estimate

    panel = _drawn(empty(Scenario(0.5, 2.0, 1, 1), questions))
    started = time.perf_counter()
    moment_estimate(panel)
    return time.perf_counter() - started


def _drawn(panel):  # type: ignore[no-untyped-def]
    import numpy as np

    from dissensus.identity.inference.likelihood import Parameters
    from dissensus.identity.inference.simulate import simulate

    return simulate(panel, Parameters(0.5, 2.0, 4.0, 1.0), np.random.default_rng(1))


#: Name -> what it measures; questions, in a quick run too; its words; its target.
MEASURES: dict[str, tuple[Callable[[int], float], tuple[int, int], str, Target | None]] = {
    "one_round": (one_round, (272, 40), "fit of {:,} questions, one round", Target(2)),
    "two_rounds": (two_rounds, (272, 40), "fit of {:,} questions, two rounds", Target(20)),
    "goodness": (goodness, (272, 40), "test of fit of {:,} questions, 99 resamples", None),
    "moments": (moments, (272, 40), "moments of {:,} questions, 2,000 resamples", None),
}


def measure(bench: Bench) -> None:
    """Time each function."""
    for name, (_, sizes, words, target) in MEASURES.items():
        what = words.format(sizes[bench.quick])
        with bench.attempt(what):
            runs = [_measured(name, sizes[bench.quick]) for _ in range(bench.runs)]
            bench.add(Row(what, "s", seconds(runs), target=target))


def _measured(name: str, size: int) -> Took:
    run = took([sys.executable, __file__, name, str(size)], ROOT)
    inside = json.loads(run.said.splitlines()[-1])
    return Took(inside, inside, run.largest_mb, run.together_mb)


if __name__ == "__main__":
    print(json.dumps(MEASURES[sys.argv[1]][0](int(sys.argv[2]))))
