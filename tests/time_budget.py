"""The option ``--minutes``: a test that has not begun by then is left out, and its file is named.

So `.ci/run` runs as many of the thorough tests that a change touches as there is time for, and says
which it did not run.
"""

from __future__ import annotations

import time
from collections import Counter

import pytest

_BEGAN = time.monotonic()
_WHY = "left out: its time was over"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Have the option."""
    parser.addoption(
        "--minutes", type=float, default=None, help="leave out tests that have not begun by then"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose time is over."""
    minutes = item.config.getoption("minutes")
    if minutes is not None and time.monotonic() - _BEGAN >= 60 * minutes:
        pytest.skip(_WHY)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the files of what was left out, and how many tests of each."""
    left = Counter(
        report.nodeid.split("::")[0]
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple) and _WHY in report.longrepr[2]
    )
    if left:
        terminalreporter.section(f"{left.total()} tests left out, since the time was over")
        for file, number in sorted(left.items()):
            terminalreporter.write_line(f"{number:5d}  {file}")
