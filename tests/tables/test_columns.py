"""Plain values make the column that Arrow makes of them, and pandas is not loaded for it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.tables.columns import column

enough = settings(max_examples=150)

integers = st.integers(-(2**63), 2**63 - 1)
kinds = st.sampled_from(
    [
        st.text(max_size=6),
        st.booleans(),
        integers,
        st.floats(allow_nan=False),
        integers | st.floats(allow_nan=False),
        st.none(),
        st.lists(st.text(max_size=3) | st.none(), max_size=4),
        st.lists(st.booleans(), max_size=4),
        st.lists(st.lists(st.floats(allow_nan=False), max_size=2), max_size=3),
    ]
)
#: More than eight, so that what is missing takes more than a byte to say.
columns = kinds.flatmap(lambda kind: st.lists(kind | st.none(), max_size=20))


def outcome(make: Any, values: list[Any]) -> Any:
    try:
        return make(values)
    except (pa.ArrowException, OverflowError) as error:
        return type(error)


@enough
@given(values=columns)
def test_a_column_is_the_one_that_arrow_makes(values: list[Any]):
    expected = outcome(pa.array, values)
    made = outcome(column, values)
    assert made == expected
    if isinstance(made, pa.Array):
        made.validate(full=True)
        assert made.type == expected.type
        assert made.null_count == expected.null_count
        assert made.to_pylist() == expected.to_pylist()


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ([1, "a"], pa.ArrowInvalid),
        ([["a"], "a"], pa.ArrowInvalid),
        ([["a"], [1]], pa.ArrowTypeError),
        ([True, 1], pa.ArrowInvalid),
        ([2**70, 1], OverflowError),
        ([object()], pa.ArrowInvalid),
    ],
)
def test_what_makes_no_column_is_refused(values: list[Any], error: type[Exception]):
    with pytest.raises(error):
        column(values)


def test_numbers_of_numpy_are_taken_too():
    assert column([np.int64(3), None]).to_pylist() == [3, None]
    assert column([np.arange(2.0), np.arange(0.0)]).to_pylist() == [[0.0, 1.0], []]


WRITING = """
import sys
from pathlib import Path
from dissensus.session.record import CALLS, transcript
from dissensus.tables.artefact import read, write
from dissensus.tables.common import common

examples = {"string": "a", "int": 1, "float": 0.5, "bool": True, "strings": []}
examples |= {f"{kind}?": None for kind in examples}
for schema in (CALLS, transcript(common("session_id"))):
    row = {name: examples[column.kind] for name, column in schema.columns.items()}
    write(Path(sys.argv[1]), schema, [row], {})
    assert read(Path(sys.argv[1]), schema).to_pylist() == [row]
print("pandas" in sys.modules)
"""


def test_a_session_is_written_and_read_without_pandas(tmp_path):
    command = [sys.executable, "-c", WRITING, str(tmp_path / "a.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
