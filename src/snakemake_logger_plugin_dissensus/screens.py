"""The screens: a log, line by line, or a terminal with one line that is redrawn."""

from __future__ import annotations

import os
import time
from threading import RLock
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.live import Live

#: Seconds between two lines of progress in a log.
_LOG_EVERY_S = 30.0


class Log:
    """The stream of a logging handler, to which all lines are appended.

    The progress of the run is one of these lines, every half minute.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._lock = RLock()
        self._buffer: list[str] = []
        self._shown = time.monotonic()

    def isatty(self) -> bool:
        return self.stream.isatty()

    def write(self, text: str) -> int:
        """Buffer a text until it is flushed: a message comes in pieces."""
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
    """A log with the progress of the run below it, redrawn in place.

    The progress is one line, cut to the width: a script that writes by itself would break several.
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
        # A run that is killed could not show the cursor again.
        console.show_cursor(True)
        return live

    def _put(self, text: str) -> None:
        if self._live is None:
            super()._put(text)
            return
        from rich.text import Text

        # Long lines are not wrapped, so that a path can be copied.
        self._live.console.print(Text.from_ansi(text.removesuffix("\n")), soft_wrap=True)


def screen_of(stream: TextIO, nocolor: bool) -> Log:
    """The screen for a stream."""
    if stream.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown"):
        return Terminal(stream, nocolor)
    return Log(stream)


def clock() -> str:
    """The time of day with which lines begin."""
    return time.strftime("[%H:%M:%S]")
