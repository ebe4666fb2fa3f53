"""The one thread that talks to providers; sessions are threads that wait for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Do some work on the loop and wait for what it comes to; for threads other than the loop's."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


_starting = threading.Lock()
_started: list[asyncio.AbstractEventLoop] = []


def _loop() -> asyncio.AbstractEventLoop:
    with _starting:
        if not _started:
            _started.append(asyncio.new_event_loop())
            threading.Thread(target=_started[0].run_forever, name="providers", daemon=True).start()
        return _started[0]
