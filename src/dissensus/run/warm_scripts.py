"""Stages run in processes that are forked from one which has imported what they all need.

A stage's script is a process of its own, so that a crash, a kill, its memory and its threads are
its own too. To start Python and to import pyarrow and pandas takes half a second of a processor,
longer than most stages work. Here a server imports them once, has one thread, and forks for each
script. What a script and the functions of its stage import, as matplotlib, it imports before it
forks for the first that needs it.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from importlib import import_module
from itertools import count
from pathlib import Path
from threading import Lock, Thread
from typing import Any, NoReturn

from dissensus.digests import PACKAGES, imported_modules
from dissensus.text.embeddings import OWN
from dissensus.text.tokens import TEKKEN

#: What every script imports, and what it does first (``module:function``). The rest is imported
#: before the first script that needs it: a run of sessions alone needs neither pandas nor SciPy.
IMPORTED = (
    *("snakemake.logging", "snakemake.iocontainers", "snakemake.io", "dissensus.run.stage"),
    "dissensus.tables.provenance:package_versions",
)
#: The same for sessions whose models are asked over HTTP: each shard would do it again.
OVER_HTTP = ("dissensus.llm.http_client", "dissensus.llm.marks:read_marks")
#: Name in a stage's settings -> what loads it once for all: the project's own embedder takes a
#: second of a processor, the vocabulary that it counts tokens by half of one.
LOADED = {OWN: "dissensus.text.embeddings:load_own", TEKKEN: "dissensus.text.tokens:load_tekken"}
#: Of Linux: a process asks for a signal at the end of the one that forked it.
_PR_SET_PDEATHSIG = 1
#: The settings that may name them.
_NAMED_BY = ("embedder", "embedders", "corpus", "tokenizer", "tokenizers")


class ScriptServer:
    """Runs Python scripts, each in a process that is forked from one server's.

    Parameters
    ----------
    program : as Python is told what the server runs; it ends in :func:`serve`.
    """

    def __init__(self, *program: str) -> None:
        self._program = program or ("-m", __name__)
        self._lock = Lock()
        self._numbers = count()
        self._socket: socket.socket | None = None
        self._running: dict[int, Future[int]] = {}

    def run(self, path: str, modules: Sequence[str] = ()) -> int:
        """How a script ends: its exit status, below 0 for the signal that ended it.

        Parameters
        ----------
        modules : what the server imports first, for this script and those after it.
        """
        future: Future[int] = Future()
        with self._lock:
            number = next(self._numbers)
            self._running[number] = future
            try:
                self._started().sendall(f"{json.dumps([number, path, *modules])}\n".encode())
            except OSError:
                # The server has just been killed; the next script has another.
                del self._running[number]
                return -signal.SIGKILL
        return future.result()

    def _started(self) -> socket.socket:
        if self._socket is None:
            self._socket, theirs = socket.socketpair()
            with theirs:
                subprocess.Popen(
                    [sys.executable, *self._program, str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                )
            Thread(target=self._listen, args=(self._socket,), daemon=True).start()
        return self._socket

    def _listen(self, ours: socket.socket) -> None:
        # A server that ends with a request unread resets the connection.
        with ours, ours.makefile("r", encoding="utf-8") as lines, suppress(ConnectionError):
            for line in lines:
                number, status = json.loads(line)
                self._running.pop(number).set_result(status)
        # The server has ended, by a signal: so have its scripts, as far as anybody can tell.
        with self._lock:
            self._socket = None
            lost, self._running = self._running, {}
        for future in lost.values():
            future.set_result(-signal.SIGKILL)


def fork_scripts(needed: Sequence[str] = ()) -> None:
    """Have this process's Snakemake run Python scripts in forked processes, on Linux.

    Elsewhere libraries of the system do not survive a fork. Scripts that need an environment of
    their own (conda, a container, modules) run as ever. The server starts with the first script:
    where sessions come before, they need the processor.

    Parameters
    ----------
    needed : modules, and ``module:function``, that the scripts of this run need besides.
    """
    if sys.platform != "linux":
        return
    from snakemake.script import PythonScript  # type: ignore[import-untyped]

    server, in_a_new_process = ScriptServer(), PythonScript.execute_script

    def execute_script(script: Any, fname: str, edit: bool = False) -> None:
        of_its_own = (script.conda_env, script.container_img, script.env_modules, script.shadow_dir)
        if edit or any(of_its_own):
            in_a_new_process(script, fname, edit)
        elif status := server.run(fname, [*needed, *_needed(script.source, script.params)]):
            # As Snakemake's own way of running a script ends.
            raise subprocess.CalledProcessError(status, [sys.executable, fname])

    PythonScript.execute_script = execute_script


def _needed(source: str, params: Mapping[str, Any]) -> list[str]:
    """What the server has ready for a stage: the modules of the project and of its studies that are
    loaded here, as those of the simulated models that the settings name, those that its script
    imports or that its functions are in (``module:name``), and the embedder and the tokeniser that
    its settings name.
    """
    functions, settings = params.get("functions", []), params.get("settings", {})
    modules = [*imported_modules(source), *(each.split(":")[0] for each in functions)]
    modules = [name for name in (*sys.modules, *modules) if name.partition(".")[0] in PACKAGES]
    named = json.dumps([settings.get(name) for name in _NAMED_BY], default=str)
    return [*modules, *(load for name, load in LOADED.items() if f'"{name}"' in named)]


def _import(modules: Iterable[str]) -> None:
    """Import modules, and call ``module:function``; what cannot be had, the script that needs it
    will say.
    """
    for name in modules:
        module, _, function = name.partition(":")
        if function or module not in sys.modules:
            with suppress(Exception):
                imported = import_module(module)
                if function:
                    getattr(imported, function)()
    # What is there already is nobody's to collect, so that its pages stay shared.
    gc.freeze()


def _serve(ours: socket.socket) -> str:
    """Fork for each script; ends in the forked process, with the script's path, or with "" here."""
    # Of Python 3.12 on: threads of libraries that compute are idle here, and none takes a lock.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    woken, wake = socket.socketpair()
    wake.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    scripts: dict[int, int] = {}
    asked, here = b"", os.getpid()
    with ours, woken, wake, selectors.DefaultSelector() as ready:
        ready.register(ours, selectors.EVENT_READ)
        ready.register(woken, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fileobj is woken:
                    woken.recv(4096)
                    for number, status in _ended(scripts):
                        ours.sendall(f"{json.dumps([number, status])}\n".encode())
                    continue
                received = ours.recv(65536)
                if not received:
                    return ""
                *lines, asked = (asked + received).split(b"\n")
                for line in lines:
                    number, path, *modules = json.loads(line)
                    _import(modules)
                    process = os.fork()
                    if not process:
                        _end_with(here)
                        signal.set_wakeup_fd(-1)
                        for name in (signal.SIGCHLD, signal.SIGINT):
                            signal.signal(name, signal.SIG_DFL)
                        return str(path)
                    scripts[process] = number


def _end_with(server: int) -> None:
    """Have this process ended with the server, so that none writes files of a run that is over."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != server:
        os.kill(os.getpid(), signal.SIGTERM)


def _ended(scripts: dict[int, int]) -> list[tuple[int, int]]:
    """Number and exit status of scripts that have ended, which are taken out."""
    ended = []
    for process in list(scripts):
        child, status = os.waitpid(process, os.WNOHANG)
        if child:
            ended.append((scripts.pop(process), os.waitstatus_to_exitcode(status)))
    return ended


def serve(imported: Iterable[str]) -> None:
    """Be the server, and then, in a forked process, the script.

    Parameters
    ----------
    imported : names of the modules that scripts need not import again, and ``module:function`` of
        what they need not do again.
    """
    _import(imported)
    path = _serve(socket.socket(fileno=int(sys.argv[1])))
    if path:
        if not Path(path).exists():
            # A run that ends takes away the scripts of jobs that have not begun.
            _leave(1)
        sys.argv, sys.path[0] = [path], str(Path(path).parent)
        try:
            runpy.run_path(path, run_name="__main__")
        except SystemExit as end:
            if not isinstance(end.code, int | None):
                raise
            _leave(end.code or 0)
        _leave(0)


def _leave(status: int) -> NoReturn:
    """End as Python does, but let go of nothing that is held: to free what the server imported
    copies all of its memory first, which takes as long as many a script.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    serve(IMPORTED)
