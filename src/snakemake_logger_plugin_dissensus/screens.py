"""Where a run's words go: into a log line by line, or to a terminal with one line that moves."""

from __future__ import annotations

import os
import time
from threading import RLock
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.live import Live

#: Seconds between two lines that a log has about a run's state.
_LOG_EVERY_S = 30.0


class Log:
    """A stream that keeps all that is written on it; the stream of a logging handler.

    The state of the run is one line among the others, every half minute.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._lock = RLock()
        self._buffer: list[str] = []
        self._shown = time.monotonic()

    def isatty(self) -> bool:
        return self.stream.isatty()

    def write(self, text: str) -> int:
        """Keep a text until it is flushed: a message comes in pieces."""
        with self._lock:
            self._buffer.append(text)
        return len(text)

    def flush(self) -> None:
        with self._lock:
            if self._buffer:
                text = "".join(self._buffer)
                self._buffer.clear()
                self._put(text)

    def show(self, line: str) -> None:
        """See :class:`~snakemake_logger_plugin_dissensus.board.Screen`."""
        now = time.monotonic()
        if now - self._shown >= _LOG_EVERY_S:
            self._shown = now
            self.settle(line)

    def settle(self, line: str) -> None:
        """See :class:`~snakemake_logger_plugin_dissensus.board.Screen`."""
        with self._lock:
            self._put(f"{clock()} {line}\n")

    def _put(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


class Terminal(Log):
    """A log with the state of the run below it, drawn again in place.

    It has one line, cut to the width: of more, what a script writes by itself would take some away.
    """

    def __init__(self, stream: TextIO, nocolor: bool) -> None:
        super().__init__(stream)
        self._nocolor = nocolor
        self._live: Live | None = None

    def show(self, line: str) -> None:
        from rich.text import Text

        with self._lock:
            if self._live is None:
                self._live = self._begin()
            shown = Text(line, style="bold", no_wrap=True, overflow="ellipsis")
            self._live.update(shown, refresh=True)

    def settle(self, line: str) -> None:
        with self._lock:
            if self._live is not None:
                self._live.stop()
                self._live = None
            super().settle(line)

    def _begin(self) -> Live:
        from rich.console import Console
        from rich.live import Live

        console = Console(file=self.stream, force_terminal=True, no_color=self._nocolor)
        live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False)
        live.start()
        # A run that is killed could not bring the cursor back.
        console.show_cursor(True)
        return live

    def _put(self, text: str) -> None:
        if self._live is None:
            super()._put(text)
            return
        from rich.text import Text

        # Lines stay whole, so that a path can be copied.
        self._live.console.print(Text.from_ansi(text.removesuffix("\n")), soft_wrap=True)


def screen_of(stream: TextIO, nocolor: bool) -> Log:
    """The kind of screen that a stream is."""
    if stream.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown"):
        return Terminal(stream, nocolor)
    return Log(stream)


def clock() -> str:
    """The time of day, as lines begin with it."""
    return time.strftime("[%H:%M:%S]")
