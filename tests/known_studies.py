"""The studies that are known, as they were before a test made some of its own known."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from dissensus.digests import PACKAGES
from dissensus.study.registry import STUDIES


@contextmanager
def studies_as_before() -> Iterator[None]:
    """Forget the studies that are made known inside, their modules, and where they are from."""
    studies, packages, path = dict(STUDIES), set(PACKAGES), [*sys.path]
    folders = os.environ.get("PYTHONPATH")
    yield
    for name in [name for name in sys.modules if name.split(".")[0] in PACKAGES - packages]:
        del sys.modules[name]
    STUDIES.clear()
    STUDIES.update(studies)
    PACKAGES.intersection_update(packages)
    sys.path[:] = path
    os.environ.pop("PYTHONPATH", None)
    if folders is not None:
        os.environ["PYTHONPATH"] = folders
