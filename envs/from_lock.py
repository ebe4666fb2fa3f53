"""Write the pins of requirements.lock as the environment that `snakemake --sdm conda` uses."""

from __future__ import annotations

import re
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent


def environment(lock: str) -> str:
    """The environment file that holds a lock's pins, those that Linux and Python 3.11 need."""
    pins = [Requirement(line) for line in re.findall(r"^([a-z0-9][^\\\n]+)", lock, re.MULTILINE)]
    here = {"sys_platform": "linux", "platform_system": "Linux", "python_full_version": "3.11.0"}
    wanted = [pin for pin in pins if pin.marker is None or pin.marker.evaluate(here)]
    lines = [f"      - {pin.name}{pin.specifier}" for pin in wanted]
    return "\n".join(
        [
            "# The pins of requirements.lock, written by envs/from_lock.py; do not edit.",
            "channels: [conda-forge]",
            "dependencies:",
            "  - python=3.11",
            "  - pip",
            "  - pip:",
            *lines,
            "",
        ]
    )


if __name__ == "__main__":
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    (ROOT / "envs/dissensus.yaml").write_text(environment(lock), encoding="utf-8")
