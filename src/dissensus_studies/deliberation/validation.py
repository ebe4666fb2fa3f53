"""The controller of the source of this study, step by step beside ours.

Its repository states no licence, so that none of its code is here. Kept are what its controller
was given, drawn at random, and what it answered.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from dissensus.errors import ResourceError
from dissensus.report.claims.published import Claimed, Line, Published, Section
from dissensus.validation.sources import Data, Figures

from .controls.pid import Gains, State, advance, sycophancy

NAME, STEPS = "controller", "controller_steps.csv"
#: Drawn: so many debates of so many rounds.
_DEBATES, _ROUNDS, _SEED = 120, 20, 64
_GAINS = Gains(kp=0.15, ki=0.01, kd=0.03, target=0.8, leak=0.9)
_START = 0.5
#: Of the source: how far beta rises where a debate is stuck.
_RISE = 0.1
#: Where its sum of errors stops.
_BOUND = 10.0
#: Run in the source's folder, so that its packages are found.
_ASK = """
import json, sys
from eval.PID import PIDConfig, PIDController, PIDGains
given = json.load(sys.stdin)
answers = []
for rows in given["debates"]:
    loop = PIDController(PIDConfig(gains=PIDGains(*given["gains"])), given["start"])
    answers += [loop.step(*row) for row in rows]
json.dump([[a.e_t, a.u_t, a.s_t, a.beta_new, a.quadrant] for a in answers], sys.stdout)
"""


def figures(folder: Path) -> dict[str, pd.DataFrame]:
    """What the source's controller answers to debates that are drawn at random.

    Raises
    ------
    ResourceError : its code does not run.
    """
    rng = np.random.default_rng(_SEED)
    low, high = (0.3, 0.0, 0.0), (1.0, 0.3, 1.0)
    drawn = rng.uniform(low, high, (_DEBATES, _ROUNDS, 3)).round(4)
    given = {
        **{"debates": drawn.tolist(), "start": _START},
        "gains": [_GAINS.kp, _GAINS.ki, _GAINS.kd],
    }
    asked = subprocess.run(
        [sys.executable, "-B", "-c", _ASK],
        input=json.dumps(given),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode:
        why = asked.stderr.strip().splitlines()[-1:]
        raise ResourceError(f"{folder}: its controller does not run here ({''.join(why)}).")
    places = [(n, m) for n in range(1, _DEBATES + 1) for m in range(1, _ROUNDS + 1)]
    frame = pd.DataFrame(places, columns=["debate", "round"])
    frame[["quality", "divergence", "overlap"]] = drawn.reshape(-1, 3)
    answers = pd.DataFrame(
        json.loads(asked.stdout), columns=["error", "control", "flag", "beta", "quadrant"]
    )
    return {STEPS: frame.join(answers.round(12))}


FIGURES: dict[str, Figures] = {NAME: figures}


def ours(steps: pd.DataFrame) -> pd.DataFrame:
    """Error, control, flag, beta and sum of errors of our controller at the same steps.

    ``before`` is the source's beta before the step.
    """
    rows, state, before = [], State(_START), _START
    seen: tuple[float | None, float | None] = (None, None)
    for row in steps.to_dict("records"):
        if row["round"] == 1:
            state, seen, before = State(_START), (None, None), _START
        flag = sycophancy(seen[0], row["divergence"], seen[1], row["overlap"])
        move = advance(state, _GAINS, row["quality"], flag)
        sums = (move.state.integral, before)
        rows.append((move.error, move.control, flag, move.state.beta, *sums))
        state, seen, before = move.state, (row["divergence"], row["overlap"]), row["beta"]
    columns = ["error", "control", "flag", "beta", "integral", "before"]
    return pd.DataFrame(rows, columns=columns)


def sections(data: Data) -> Iterator[Section]:
    """What is equal and what differs."""
    steps = data.figures(STEPS)
    numbers = [name for name in steps if name != "quadrant"]
    steps = steps.astype(dict.fromkeys(numbers, float))
    here = ours(steps)
    n = len(steps)
    same = {
        name: np.isclose(here[name], steps[name], rtol=0, atol=1e-9) for name in here.columns[:4]
    }
    wound = here["integral"].abs() > _BOUND
    why = (
        f"the source's sum of errors stops at {_BOUND:g}, and ours has no bound: "
        f"{int((wound & ~same['control']).sum())} of {int((~same['control']).sum())} are steps "
        "where it is beyond"
    )
    lines: list[Line] = [
        _alike("Error", "e = (target - rho) + mu s", same["error"], ""),
        _alike(
            "Flag of sycophancy", "1 where JS falls by over .05 and overlap falls", same["flag"], ""
        ),
        _alike("Control", "u = Kp e + Ki sum(e) + Kd (e - e before)", same["control"], why),
        _alike("Beta", "clip(leak beta + u, 0, 1)", same["beta"], _ROUTED),
    ]
    routed = _routed(steps, here["before"])
    lines.append(
        Claimed(
            "Its beta by its own routing",
            "stuck: + 0.1; chaotic: + u; else falls to a share of itself",
            f"{int(routed.sum()):,} of {n:,} steps",
            bool(routed.all()),
            "from its beta before, and its control: the whole difference",
        )
    )
    lines += [
        Published(
            f"Steps in the quadrant {name}",
            *(None, int((steps["quadrant"] == name).sum())),
            "by the source's thresholds, a divergence of .05 and a quality of .8; ours are a tenth "
            "of log2 min(N, K), and .5",
        )
        for name in ("stuck", "chaotic", "converged", "healthy")
    ]
    yield Section(NAME, "The controller of the deliberation study's source", lines, _WORDS)


def _alike(quantity: str, law: str, same: npt.NDArray[np.bool_], why: str) -> Line:
    here = f"{int(same.sum()):,} of {len(same):,} steps equal"
    return Claimed(quantity, law, here, bool(same.all()), why)


def _routed(steps: pd.DataFrame, before: pd.Series) -> pd.Series:
    """Steps whose beta is what the source's routing makes of beta before, and of the control."""
    stuck, chaotic = (steps["quadrant"] == name for name in ("stuck", "chaotic"))
    made = (
        (before * _GAINS.leak).mask(stuck, before + _RISE).mask(chaotic, before + steps["control"])
    )
    return pd.Series(np.isclose(made.clip(0.0, 1.0), steps["beta"], rtol=0, atol=1e-9))


_ROUTED = (
    "the source routes beta by quadrant; here one law holds in all states, so that what is "
    "compared with a fixed beta is the loop alone"
)
_WORDS = (
    "RAudit's PID controller (arXiv 2601.23133) as the source has it, and ours, given the same "
    f"{_DEBATES} debates of {_ROUNDS} rounds: quality, divergence and overlap of evidence, drawn "
    "at random, with the same gains."
)


def printed(data: Data) -> Iterator[tuple[str, ...]]:
    """The source is a protocol: it prints no result."""
    yield ("deliberation", "Results", "none: the source is a protocol", "", "nothing to compare")
