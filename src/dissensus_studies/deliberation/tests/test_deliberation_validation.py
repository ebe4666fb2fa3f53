"""The source's controller beside ours: equal where it is ours, and its routing is found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dissensus.errors import ResourceError
from dissensus.report.claims.published import Claimed
from dissensus.validation.sources import Data, at_hand
from dissensus_studies.deliberation import validation

#: The laws of the source, in few lines, without its routing.
SAME = """
from dataclasses import dataclass

@dataclass
class PIDGains:
    Kp: float
    Ki: float
    Kd: float

@dataclass
class PIDConfig:
    gains: PIDGains

@dataclass
class Answer:
    e_t: float
    u_t: float
    s_t: int
    beta_new: float
    quadrant: str = "healthy"

class PIDController:
    def __init__(self, config, beta):
        self.g, self.beta, self.total, self.before, self.seen = config.gains, beta, 0.0, 0.0, None

    def step(self, rho, js, ov):
        s = int(self.seen is not None and self.seen[0] - js > 0.05 and ov < self.seen[1])
        e = 0.8 - rho + s
        self.total += e
        u = self.g.Kp * e + self.g.Ki * self.total + self.g.Kd * (e - self.before)
        self.beta = max(0.0, min(1.0, 0.9 * self.beta + u))
        self.before, self.seen = e, (js, ov)
        return Answer(e, u, s, self.beta)
"""


def source(folder: Path, code: str) -> Path:
    (folder / "eval/PID").mkdir(parents=True)
    (folder / "eval/__init__.py").touch()
    (folder / "eval/PID/__init__.py").write_text(code, "utf-8")
    return folder


def lines_of(data: Data) -> dict[str, Claimed]:
    (section,) = validation.sections(data)
    return {each.quantity: each for each in section.lines if isinstance(each, Claimed)}


def test_a_controller_of_the_same_laws_is_equal_in_all_steps(tmp_path: Path) -> None:
    made = validation.figures(source(tmp_path, SAME))
    found = lines_of(Data(tmp_path, {}, made))
    for name in ("Error", "Flag of sycophancy", "Control", "Beta"):
        assert found[name].holds and found[name].here == "2,400 of 2,400 steps equal"
    assert not found["Its beta by its own routing"].holds


def test_another_gain_is_seen(tmp_path: Path) -> None:
    made = validation.figures(source(tmp_path, SAME.replace("self.g.Kd *", "2 * self.g.Kd *")))
    found = lines_of(Data(tmp_path, {}, made))
    assert found["Error"].holds and not found["Control"].holds


def test_code_that_does_not_run_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"its controller does not run here \(.*boom"):
        validation.figures(source(tmp_path, "raise RuntimeError('boom')"))


def test_what_the_source_answered_is_equal_but_for_its_bound_and_routing() -> None:
    data = at_hand([], {})
    found = lines_of(data)
    assert found["Error"].holds and found["Flag of sycophancy"].holds
    assert found["Its beta by its own routing"].holds and not found["Beta"].holds
    steps = data.figures(validation.STEPS)
    sums = steps["error"].astype(float).groupby(steps["debate"], sort=False).cumsum()
    here = validation.ours(steps.astype({n: float for n in steps if n != "quadrant"}))
    differs = ~np.isclose(here["control"], steps["control"].astype(float), rtol=0, atol=1e-9)
    assert (sums.abs()[differs] > 10).all() and differs.sum() == (sums.abs() > 10).sum()
