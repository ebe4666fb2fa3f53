"""Part `map`: what the projections of the map of arguments weigh, of which UMAP is an extra."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from bench import Bench, seconds
from table import Row
from timing import in_turn, took

#: What UMAP needs beyond what the project installs.
_PACKAGES = ("umap-learn", "pynndescent", "numba", "llvmlite", "tqdm")
_POINTS, _DIMENSIONS = 3000, 64
_FIT = """
import numpy as np
from dissensus_studies.union.map.projection import project
vectors = np.random.default_rng(1).normal(size=({points}, {dimensions}))
vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
project(vectors, dict(projection={projection!r}, neighbors=15, min_dist=0.1), 1)
"""


def measure(bench: Bench) -> None:
    """Megabytes of UMAP's packages; seconds of a process that projects, by either projection."""
    points = 300 if bench.quick else _POINTS
    what = f"a process that projects {points:,} vectors of {_DIMENSIONS}"
    commands = {"pca": _command("pca", points)}
    missing = [name for name in _PACKAGES if _files(name) is None]
    if missing:
        sentence = f"not installed: {', '.join(missing)}; pip install 'dissensus[map]'"
        bench.add(Row("UMAP and what it needs", failure=sentence))
    else:
        size = sum(sum(_files(name) or ()) for name in _PACKAGES) / 1e6
        bench.add(Row("UMAP and what it needs, on disk", "MB", [size]))
        commands["umap"] = _command("umap", points)
    runs = {name: partial(took, command, bench.folder) for name, command in commands.items()}
    found = in_turn(bench.runs, **runs)
    pca = seconds(found["pca"])
    bench.add(Row(f"{what} by principal components", "s", pca))
    if "umap" in found:
        beside = "principal components"
        bench.add(
            Row(f"{what} by UMAP, imports included", "s", seconds(found["umap"]), beside, pca)
        )


def _command(projection: str, points: int) -> list[str]:
    code = _FIT.format(points=points, dimensions=_DIMENSIONS, projection=projection)
    return [sys.executable, "-W", "ignore", "-c", code]


def _files(name: str) -> Iterable[int] | None:
    """The sizes of a package's files in bytes; None where it is not installed."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return None
    places = [Path(str(file.locate())) for file in files]
    return [path.stat().st_size for path in places if path.is_file()]
