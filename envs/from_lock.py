"""Write the pins of requirements.lock as the environment that `snakemake --sdm conda` uses."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def environment(lock: str) -> str:
    """The environment file that holds a lock's pins; markers for other systems are left to pip."""
    pins = re.findall(r"^([A-Za-z0-9._-]+==[^ \\\n]+)((?: ;[^\\\n]+)?)", lock, re.MULTILINE)
    lines = [f"      - '{pin}{marker.rstrip()}'" for pin, marker in pins]
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
