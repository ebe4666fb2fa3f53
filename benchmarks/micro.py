"""Part `micro`: single functions that much of a run's time goes to, a process each."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench import Bench, seconds
from table import Row, Target
from timing import Took, took

from project import ROOT


def sign_flip(flips: int) -> float:
    """Seconds of a sign-flip test of 1,000 differences."""
    import numpy as np

    from dissensus.stats.signflip import sign_flip_test

    differences = np.random.default_rng(0).normal(0.1, 1, 1_000)
    started = time.perf_counter()
    sign_flip_test(differences, flips=flips)
    return time.perf_counter() - started


def lexical(sessions: int) -> float:
    """Seconds of the lexical measures of sessions of eight turns of 120 tokens."""
    import numpy as np

    from dissensus.text.divergences import grouped_measures

    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, 401)
    weights /= weights.sum()
    tokens = rng.choice(400, size=(sessions, 8, 120), p=weights)
    started = time.perf_counter()
    for units in tokens:
        grouped_measures(list(units), [range(8)], depths=[100], repetitions=20, rng=rng)
    return time.perf_counter() - started


def session(sessions: int) -> float:
    """Seconds a session takes beyond its own calls: everything but the simulated models' `ask`."""
    from dissensus.llm.providers import identity
    from dissensus.llm.providers.simulated import SimulatedModel
    from dissensus.study.configuration import load_file
    from dissensus.study.sessions import Sessions
    from dissensus_studies.language.design.manifest import Drawing, draw_manifest
    from dissensus_studies.language.design.pool import build_pool
    from dissensus_studies.language.study import Language

    settings = load_file(Path("config.yaml"))
    study = settings.language
    pool, _ = build_pool(study.pool, study.languages)
    drawing = Drawing(1, sessions // 2, 25, list(study.languages), study.panel)
    motions = {row["motion_id"]: row for row in pool}
    identities = {name: identity(name, settings.models[name].model_dump()) for name in study.panel}
    inside = 0.0
    ask = SimulatedModel.ask

    def timed(self: SimulatedModel, request: object, patience_s: float | None = None) -> object:
        nonlocal inside
        started = time.perf_counter()
        reply = ask(self, request, patience_s)  # type: ignore[arg-type]
        inside += time.perf_counter() - started
        return reply

    SimulatedModel.ask = timed  # type: ignore[method-assign, assignment]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models = settings.registry(folder, "run_session")
        started = time.perf_counter()
        rows = {row["session_id"]: row for row in draw_manifest(pool, drawing)}
        debates = Sessions(Language(study), folder, rows, motions, identities)
        for row in rows.values():
            debates.run(row, models)
        whole = time.perf_counter() - started
    return (whole - inside) / sessions


#: Name -> what it measures; what it takes, in a quick run too; its words; its target.
MEASURES: dict[str, tuple[Callable[[int], float], tuple[int, int], str, Target]] = {
    "sign_flip": (sign_flip, (1_000_000, 10_000), "sign-flip test, {:,} flips", Target(5)),
    "lexical": (lexical, (10_000, 100), "lexical measures of {:,} sessions", Target(60)),
    "session": (session, (200, 4), "a session beyond its calls, mean of {:,}", Target(0.025)),
}


def measure(bench: Bench) -> None:
    """Time each function."""
    for name, (_, sizes, words, target) in MEASURES.items():
        size = sizes[bench.quick]
        with bench.attempt(words.format(size)):
            runs = [_measured(name, size) for _ in range(bench.runs)]
            bench.add(Row(words.format(size), "s", seconds(runs), target=target))


def _measured(name: str, size: int) -> Took:
    run = took([sys.executable, __file__, name, str(size)], ROOT)
    inside = json.loads(run.stdout.splitlines()[-1])
    return Took(inside, inside, run.largest_mb, run.together_mb)


if __name__ == "__main__":
    print(json.dumps(MEASURES[sys.argv[1]][0](int(sys.argv[2]))))
