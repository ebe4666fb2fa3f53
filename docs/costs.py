"""What each study costs with real models: the table in README.md, and costs.yaml of each study.

Usage: python docs/costs.py, which runs `snakemake cost` for some five minutes. It needs neither
keys nor a network.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "README.md"
#: Configuration with real models that have prices -> the study.
FILES = {
    "paper": "language",
    "deliberation-models": "deliberation",
    "union-models": "union",
    "consensus-models": "consensus",
}
#: What the front page of a run reads of a study.
STORED = """\
# Dollars, as `snakemake cost` prints them of this configuration; docs/costs.py writes the file.
settings: config/{name}.yaml
low: {low:.0f}
expected: {expected:.0f}
high: {high:.0f}
"""
#: The same of a study that asks servers of one's own, whose price nobody knows here.
OWN = """\
# docs/costs.py writes the file: these settings ask servers of your own.
settings: config/{name}.yaml
"""
OWN_FILES = {"identity-paper": "identity"}
BEGIN, END = "<!-- costs -->", "<!-- end -->"
_TOTAL = re.compile(r"^all stages and models\n((?: {2}\w+ .*\$[\d,.]+\n)+)", re.MULTILINE)
_DOLLARS = re.compile(r"^ {2}(low|expected|high) .*\$([\d,.]+)$", re.MULTILINE)


def printed(name: str) -> str:
    """What the estimate of a configuration says."""
    command = ["snakemake", "--cores", "1", "cost", "--configfile", f"config/{name}.yaml"]
    made = subprocess.run(
        [str(Path(sys.executable).parent / command[0]), *command[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return made.stdout + made.stderr


def dollars(said: str) -> dict[str, float]:
    """Low, expected and high of all stages together.

    Raises
    ------
    ValueError : the estimate has no total.
    """
    total = _TOTAL.search(said)
    if not total:
        raise ValueError("the estimate has no total of all stages and models")
    return {way: float(usd.replace(",", "")) for way, usd in _DOLLARS.findall(total[1])}


def table(costs: dict[str, dict[str, float]]) -> str:
    """In Markdown: a row a study."""
    rows = [
        f"| {FILES[name]} | `config/{name}.yaml` | "
        + " | ".join(f"${cost[way]:,.0f}" for way in ("low", "expected", "high"))
        + " |"
        for name, cost in costs.items()
    ]
    own = [
        f"| {study} | `config/{name}.yaml` | servers of your own | | |"
        for name, study in OWN_FILES.items()
    ]
    head = "| study | settings | low | expected | high |\n|---|---|---|---|---|"
    return "\n".join([head, *rows, *own])


def written(page: str, block: str) -> str:
    """A page with the table between its marks."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{block}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    found = {name: dollars(printed(name)) for name in FILES}
    for name, cost in found.items():
        place = ROOT / f"src/dissensus_studies/{FILES[name]}/costs.yaml"
        place.write_text(STORED.format(name=name, **cost), encoding="utf-8")
    for name, study in OWN_FILES.items():
        place = ROOT / f"src/dissensus_studies/{study}/costs.yaml"
        place.write_text(OWN.format(name=name), encoding="utf-8")
    block = table(found)
    PAGE.write_text(written(PAGE.read_text("utf-8"), block), encoding="utf-8")
    print(block)
