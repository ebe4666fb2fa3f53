"""What one accepted turn passes on its way over HTTP, counted in a process of its own.

``python tests/session/turn_path.py`` prints how many files, functions (comprehensions among them)
and moves from file to file of ``llm`` and ``session``, in all threads. The first turn of a model is
left out: it checks the provider.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

TESTS = Path(__file__).parents[1]
HOUSE = TESTS.parent / "src" / "dissensus"
ROOMS = tuple(f"{HOUSE / room}{os.sep}" for room in ("llm", "session"))


class Passed:
    """The functions that are called while it is on."""

    def __init__(self) -> None:
        self.is_on = False
        self.called: list[tuple[str, str, int]] = []

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if self.is_on and event == "call" and code.co_filename.startswith(ROOMS):
            self.called.append((code.co_filename, code.co_name, code.co_firstlineno))

    def counts(self) -> dict[str, int]:
        files = [file for file, _, _ in self.called]
        moves = sum(one != other for one, other in pairwise(files))
        return {"files": len(set(files)), "functions": len(set(self.called)), "moves": moves}


def main() -> None:
    path = Passed()
    # Before any thread begins, among them the one that talks to providers.
    threading.setprofile(path)
    sys.setprofile(path)
    sys.path.insert(0, str(TESTS))
    from dissensus.llm.journal import Journal
    from dissensus.session.protocol import Steps
    from dissensus.session.runner import run_session
    from hostile import KEY, Said, chat, hostile, make_registry, provider
    from scripted import LIMITS, toy_debate

    os.environ["LOOPBACK_KEY"] = KEY

    def second_alone(steps: Steps) -> Iterator[Any]:
        step: Sequence[Any] | None = next(steps)
        number = 0
        while step is not None:
            number += 1
            path.is_on = number == 2
            turns = yield step
            path.is_on = False
            try:
                step = steps.send(turns)
            except StopIteration:
                step = None

    with TemporaryDirectory() as folder, hostile(Said(chat("It is so."))) as server:
        model = make_registry(Path(folder), {"p": provider(server)}).model("m")
        start = toy_debate("A", "B", "A")
        with Journal(Path(folder) / "journal.jsonl") as journal:
            left = run_session(1, lambda: second_alone(start()), {"m": model}, journal, LIMITS)
    sys.setprofile(None)
    assert [turn.text for turn in left.turns] == ["It is so."] * 3, left.failure
    print(json.dumps(path.counts()))


if __name__ == "__main__":
    main()
