"""The files of a provider's batches, so that none is sent, or booked, a second time.

A batch has two files: its plan, written before it is sent and again once the provider's id is
known, and its answers, moved into place once their cost is in the ledger. The members of the files
are the fields of the classes here, so renaming a field breaks the runs of before.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.llm.batches.interface import Line
from dissensus.llm.call import Reply, Usage
from dissensus.llm.codec import NoAnswer
from dissensus.llm.prices import Price

_PLAN = ".plan.json"
_ANSWERS = ".answers.json"
#: What parsing a malformed answer may raise.
_MALFORMED = (ValueError, TypeError, KeyError, AttributeError, IndexError)
_NOTHING = Usage()


@dataclass(frozen=True)
class Planned:
    """One call of a batch.

    Attributes
    ----------
    key : digest of its request.
    model : the model's name in the configuration.
    input_tokens, output_tokens : the most that it may use.
    usd : the most that it may cost; None where the model has no price.
    """

    key: str
    model: str
    input_tokens: int
    output_tokens: int
    usd: float | None

    @property
    def most(self) -> Usage:
        return Usage(self.input_tokens, 0, self.output_tokens)


@dataclass
class Plan:
    """A batch as it is sent.

    Attributes
    ----------
    own : our name for it, sent along with it.
    made : when it was about to be sent (seconds since 1970).
    id : the provider's id; "" until that is known.
    calls : the call of each custom id.
    prices : model -> its price when the batch was sent.
    """

    own: str
    made: float
    id: str = ""
    calls: dict[str, Planned] = field(default_factory=dict)
    prices: dict[str, Price | None] = field(default_factory=dict)

    def usd(self) -> float:
        """The most that it may cost."""
        return sum(call.usd or 0.0 for call in self.calls.values())


@dataclass(frozen=True)
class Try:
    """The result of one call of a batch.

    Attributes
    ----------
    outcome : "" for an answer that can be used, else a key of RULES.
    said : the provider's own words about that.
    body : of the answer; None where there is none.
    usd : its cost; None where there is no price.
    usage : the tokens booked for it; ``sure`` where the provider counted them.
    """

    outcome: str = ""
    said: str = ""
    body: Any = None
    usd: float | None = None
    usage: Usage = _NOTHING
    sure: bool = True


@dataclass(frozen=True)
class Answers:
    """The tries of a batch by request key, and when they were read (seconds since 1970)."""

    read: float
    tries: Mapping[str, Try]


def tried(
    line: Line, call: Planned, price: Price | None, parse: Callable[[Any, str], Reply]
) -> Try:
    """The try that a line of a batch's results is, with what is booked for it."""
    if line.outcome and not line.billed:
        return Try(line.outcome, line.message)
    try:
        if line.outcome:
            raise ValueError(line.message)
        reply = parse(line.body, call.model)
    except _MALFORMED as error:
        message = line.message or "its answer holds no answer"
        used = error.usage if isinstance(error, NoAnswer) else Usage()
        if used == Usage():
            # The cost of an answer that cannot be read is unknown: book the most.
            return Try(line.outcome or "malformed", message, None, call.usd, call.most, sure=False)
        reply = Reply("", "malformed", **vars(used))
        line = Line(None, message=message)
    used = reply.usage
    usd = None if price is None else price.cost_of(used, batch=True)
    return Try(reply.error, line.message, line.body, usd, used)


class BatchFiles:
    """The batches of one provider.

    Parameters
    ----------
    folder : made when the first plan is written.

    Raises
    ------
    ResourceError : a file cannot be written, or not be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = -1
        self._most: dict[Path, float] = {}

    def plans(self) -> list[Plan]:
        """Every plan, oldest first."""
        plans = [_plan(path) for path in self.folder.glob(f"*{_PLAN}")]
        return sorted(plans, key=lambda plan: (plan.made, plan.own))

    def pledged(self) -> float:
        """The most that the batches under way may cost, with those of the other providers."""
        return sum(
            self._most_of(path)
            for path in self.folder.parent.glob(f"*/*{_PLAN}")
            if not path.with_name(path.name.removesuffix(_PLAN) + _ANSWERS).exists()
        )

    @contextmanager
    def pledging(self) -> Iterator[None]:
        """Let nobody else write a plan between a look at what is pledged and the next plan."""
        with self._writing():
            lock = os.open(
                self.folder.parent / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
            )
            try:
                fcntl.lockf(lock, fcntl.LOCK_EX)
                yield
            finally:
                os.close(lock)

    def _most_of(self, path: Path) -> float:
        if path not in self._most and path.exists():
            self._most[path] = _plan(path).usd()
        return self._most.get(path, 0.0)

    def write(self, plan: Plan) -> None:
        """Write a plan, in place of its former version."""
        with self._writing():
            path = self._path(plan.own, _PLAN)
            _write(path, asdict(plan)).replace(path)
            _sync_folder(self.folder)

    def forget(self, plan: Plan) -> None:
        """Delete a plan that was not sent."""
        with self._writing():
            self._path(plan.own, _PLAN).unlink(missing_ok=True)

    def is_answered(self, plan: Plan) -> bool:
        """Whether its answers are on disk, and booked."""
        return self._path(plan.own, _ANSWERS).exists()

    def answers(self, plan: Plan) -> Answers:
        """The answers of a batch that has them."""
        path = self._path(plan.own, _ANSWERS)
        with _reading(path):
            members = json.loads(path.read_bytes())
            tries = {
                key: Try(**{**entry, "usage": Usage(**entry["usage"])})
                for key, entry in members["tries"].items()
            }
            return Answers(float(members["read"]), tries)

    def keep(self, plan: Plan, answers: Answers, book: Callable[[], None]) -> Answers:
        """Write answers and book them, unless another process has; the answers on disk.

        A kill after the booking and before the file is in place books them again at the next
        start: the ledger may then say too much, never too little.
        """
        with self._writing(), self._locked():
            if self.is_answered(plan):
                return self.answers(plan)
            path = self._path(plan.own, _ANSWERS)
            written = _write(path, {"read": answers.read, "tries": _members(answers.tries)})
            book()
            written.replace(path)
            _sync_folder(self.folder)
        return answers

    def _path(self, job: str, kind: str) -> Path:
        return self.folder / f"{job}{kind}"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes out; in this one only the loop's thread gets here."""
        if self._lock < 0:
            self._lock = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        fcntl.lockf(self._lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            yield
        except OSError as error:
            raise ResourceError(
                f"{self.folder} cannot be written ({error.strerror}), and without it a batch would "
                "be paid for twice; mend that and start again: the run goes on where it stopped."
            ) from None


def _members(tries: Mapping[str, Try]) -> dict[str, Any]:
    return {key: asdict(attempt) for key, attempt in tries.items()}


def _plan(path: Path) -> Plan:
    with _reading(path):
        members = json.loads(path.read_bytes())
        members["calls"] = {name: Planned(**call) for name, call in members["calls"].items()}
        members["prices"] = {
            model: price and Price.of(price) for model, price in members["prices"].items()
        }
        return Plan(**members)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ResourceError(f"{path} cannot be read ({error.strerror}); mend that.") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ResourceError(
            f"{path} is damaged ({type(error).__name__}: {error}); delete it, and the calls of its "
            "batch that are in no journal will be made again."
        ) from None


def _write(path: Path, members: Mapping[str, Any]) -> Path:
    """A new file beside a path, to be moved there: a kill leaves the path as it was."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open("wb") as file:
        file.write(json.dumps(members, ensure_ascii=False).encode(errors="replace"))
        file.flush()
        os.fsync(file.fileno())
    return beside


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError:
        # Some file systems cannot; the file's content is on disk all the same.
        pass
    finally:
        os.close(descriptor)
