"""Reading starts no thread of Arrow's: a process that ends while one begins may be aborted."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Of Arrow, and of pandas by Arrow: all that starts its threads unless it is told not to.
THREADED = {"to_pandas", "group_by", "iter_batches", "read_table", "read_parquet", "read_pandas"}

CODE = """
import os, sys
import pandas as pd
import pyarrow as pa
from dissensus.tables.artefact import Column, Schema, read, read_frame, write

def threads():
    return len(os.listdir("/proc/self/task"))

schema = Schema("things", "thing", {n: Column("int", "A number.") for n in "abc"}, key=("a",))
frame = pd.DataFrame({"a": range(50_000), "b": 1, "c": 2})
write(sys.argv[1], schema, frame, {})
# Writing has a thread of its own, in Python, which ends before the process does.
before = threads()
assert read(sys.argv[1], schema).num_rows == len(read_frame(sys.argv[1])) == 50_000
print(threads() - before)
read(sys.argv[1], schema).to_pandas()
print(threads() - before)
"""


def test_reading_starts_no_thread(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CODE, str(tmp_path / "things.parquet")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    # What Arrow does by default would be seen.
    assert said[0] == "0" and int(said[1]) > 0


def test_no_call_of_the_project_has_arrow_start_its_threads() -> None:
    """Where scripts are processes of their own (a cluster, ``--sdm``), each ends as Python does."""
    threaded, calls = [], 0
    for path in [*ROOT.glob("src/**/*.py"), *ROOT.glob("workflow/**/*.py")]:
        # What a new project is given is run by its user.
        if {"tests", "template"} & {*path.parts[len(ROOT.parts) :]}:
            continue
        text = path.read_text("utf-8")
        if not any(name in text for name in THREADED):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in THREADED:
                calls += 1
                if not any(ast.unparse(word) == "use_threads=False" for word in node.keywords):
                    threaded.append(f"{path.relative_to(ROOT)}, line {node.lineno}")
    assert calls > 5
    assert threaded == []
