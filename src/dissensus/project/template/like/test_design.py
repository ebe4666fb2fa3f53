"""The study finds what is planted in its simulated agents, which planted.csv lists.

python -m unittest discover tests
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import pandas as pd

TESTS = Path(__file__).parent
PROJECT = TESTS.parent
#: What names an estimate.
KEY = ["outcome", "arm", "reference", "factor", "level"]


def estimates():
    """The estimates of a run of its own, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(dir=PROJECT, prefix=".test-") as folder:
        for name in ("design", "config.yaml"):
            (Path(folder) / name).symlink_to(PROJECT / name)
        (Path(folder) / "planted.yaml").write_text("run: planted\n", encoding="utf-8")
        made = "results/planted/design/contrasts.parquet"
        command = [sys.executable, "-m", "dissensus", "run", made, "--configfile", "planted.yaml"]
        subprocess.run(command, cwd=folder, check=True)
        rows = pd.read_parquet(Path(folder) / made)
    return rows[rows["method"] == "cluster_robust"]


class Planted(unittest.TestCase):
    def test_each_estimate_lies_where_it_is_planted(self):
        planted = pd.read_csv(TESTS / "planted.csv", keep_default_na=False)
        found = planted.merge(estimates(), on=KEY, how="left", validate="one_to_one")
        self.assertFalse(found["estimate"].isna().any(), "an estimate has another name now")
        for _, row in found.iterrows():
            with self.subTest(**{name: row[name] for name in KEY}):
                if row["planted"] == "above zero":
                    self.assertGreater(row["ci_low"], 0)
                elif row["planted"] == "below zero":
                    self.assertLess(row["ci_high"], 0)
                else:
                    self.assertLessEqual(row["ci_low"], 0)
                    self.assertGreaterEqual(row["ci_high"], 0)


if __name__ == "__main__":
    unittest.main()
