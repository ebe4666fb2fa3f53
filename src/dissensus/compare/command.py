"""The command `dissensus compare`."""

from __future__ import annotations

import argparse
from os.path import relpath
from pathlib import Path
from urllib.parse import quote


def add_comparing_options(parser: argparse.ArgumentParser) -> None:
    """What `dissensus compare` is given."""
    parser.add_argument("runs", nargs="+", metavar="run", help="names of runs, as under results/")
    parser.add_argument("--study", help="where the first run has several")
    parser.add_argument(
        "--over", default="run", help="a column of the estimate's key, such as team: within one run"
    )
    parser.add_argument(
        "--to", metavar="FOLDER", help="results/compared/<study>-<runs> unless it is given"
    )


def compare(chosen: argparse.Namespace) -> int:
    """Compare runs, and say what they come to and where the page is."""
    from dissensus.compare.comparison import compare as compared
    from dissensus.compare.page import finding, objection, ties, write_comparison
    from dissensus.compare.units import study_folders

    folders = study_folders(chosen.runs, chosen.study)
    comparison = compared(folders, chosen.over)
    name = f"{comparison.study}-{'+'.join(chosen.runs)}"
    into = Path(chosen.to or Path("results/compared") / name)
    back = [
        (quote(relpath(folder / "index.html", into)), f"Run {folder.parent.name}, {folder.name}")
        for folder in folders
    ]
    path = write_comparison(comparison, into, back)
    if comparison.simulated:
        print("Simulated models: the numbers say nothing about any real one.")
    first = comparison.compared[0]
    told = (finding, objection, ties)
    print(*(words(first, comparison) for words in told), sep="\n")
    print(f"Open {path} for the rest.")
    return 0
