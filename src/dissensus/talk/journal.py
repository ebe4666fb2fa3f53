"""An append-only record of every reply, on disk before anyone uses it.

One JSON line a reply, keyed by the digest of its request. A process that was killed leaves at
most one torn line, the last; it is dropped, and that one call is made again.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from threading import Lock

from dissensus.errors import ResourceError
from dissensus.talk.call import Provider, Reply, Request


class Journal:
    """The replies of one session.

    Parameters
    ----------
    path : the journal's file; made with its folder when the first reply arrives.

    Raises
    ------
    ResourceError : a line other than the last is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._replies: dict[str, Reply] = {}
        self._intact = 0
        # The calls of one step are made at the same time and written down one after the other.
        self._writing = Lock()
        if path.exists():
            for key, reply, end in _records(path):
                self._replies[key] = reply
                self._intact = end

    def __len__(self) -> int:
        return len(self._replies)

    def ask(self, provider: Provider, request: Request) -> Reply:
        """Answer from the journal where it can; otherwise call, write down, then answer."""
        known = self._replies.get(request.sha256)
        if known is not None:
            return known
        reply = provider.ask(request)
        self._append(request.sha256, reply)
        self._replies[request.sha256] = reply
        return reply

    def _append(self, key: str, reply: Reply) -> None:
        line = json.dumps({"request_sha256": key, **asdict(reply)}, ensure_ascii=False)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._writing, self.path.open("r+b" if self.path.exists() else "wb") as file:
            # Writing at the end of what was intact also cuts a torn line off.
            file.truncate(self._intact)
            file.seek(self._intact)
            file.write(line.encode() + b"\n")
            file.flush()
            with contextlib.suppress(OSError):
                os.fdatasync(file.fileno())
            self._intact = file.tell()


def _records(path: Path) -> Iterator[tuple[str, Reply, int]]:
    """Each intact line's key and reply with the offset of its end; stops at a torn last line."""
    end = 0
    lines = path.read_bytes().split(b"\n")
    for number, raw in enumerate(lines[:-1], start=1):
        end += len(raw) + 1
        try:
            record = json.loads(raw.decode())
            key, reply = record.pop("request_sha256"), Reply(**record)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if number == len(lines) - 1:
                return
            raise ResourceError(
                f"{path}: line {number} of the journal is damaged ({error}); "
                "delete that line and its call will be made again."
            ) from None
        yield key, reply, end
