"""The study finds what is planted in its simulated agents, and nothing where nothing is planted.

python -m unittest discover tests
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import pandas as pd

PROJECT = Path(__file__).parents[1]


def contrast(pull):
    """The row of shown minus alone, of a run whose agents go that share of the way."""
    with tempfile.TemporaryDirectory(dir=PROJECT, prefix=".test-") as folder:
        for name in ("echo", "config.yaml"):
            (Path(folder) / name).symlink_to(PROJECT / name)
        settings = Path(folder) / "planted.yaml"
        settings.write_text(
            f"run: planted\nmodels: {{guesser: {{speech: {{pull: {pull}}}}}}}\n", encoding="utf-8"
        )
        made = "results/planted/echo/contrasts.parquet"
        command = [sys.executable, "-m", "dissensus", "run", made, "--configfile", "planted.yaml"]
        subprocess.run(command, cwd=folder, check=True)
        rows = pd.read_parquet(Path(folder) / made)
    is_effect = (rows["contrast"] == "shown-alone") & (rows["method"] == "cluster_robust")
    return rows[is_effect].iloc[0]


class Planted(unittest.TestCase):
    def test_what_is_planted_is_found(self):
        self.assertLess(contrast(0.5)["ci_high"], 0)

    def test_where_nothing_is_planted_zero_is_within_the_interval(self):
        row = contrast(0.0)
        self.assertLessEqual(row["ci_low"], 0)
        self.assertGreaterEqual(row["ci_high"], 0)


if __name__ == "__main__":
    unittest.main()
