"""The command-line options of ``dissensus serve``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dissensus_serve.faults import KINDS, RECOVERABLE, OutageTimes

EMBEDDING = "text-embedding-3-large"


def _number(
    least: float, most: float = float("inf"), above: bool = False
) -> Callable[[str], float]:
    """A reader of numbers in a range."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"it holds {text!r}; it must be a number") from None
        if not least <= value <= most or (above and value == least):
            end = f" and at most {most:g}" if most < float("inf") else ""
            word = "above" if above else "at least"
            may = f"it must be {word} {least:g}{end}"
            raise argparse.ArgumentTypeError(f"it holds {text}; {may}")
        return value

    return read


def _whole(least: int, most: int = 2**63) -> Callable[[str], int]:
    """A reader of whole numbers in a range."""

    def read(text: str) -> int:
        if not text.lstrip("-").isdecimal():
            raise argparse.ArgumentTypeError(f"it holds {text!r}; it must be a whole number")
        return int(_number(least, most)(text))

    return read


def _fault(text: str) -> tuple[str, float]:
    kind, _, rate = text.partition("=")
    if kind not in KINDS or not rate:
        may = f"it must be KIND=RATE, with a kind among {', '.join(KINDS)}"
        raise argparse.ArgumentTypeError(f"it holds {text!r}; {may}")
    return kind, _number(0, 1)(rate)


def _outage(text: str) -> OutageTimes:
    tries, _, seconds = text.partition(":")
    if not tries or not seconds:
        raise argparse.ArgumentTypeError(f"it holds {text!r}; it must be TRIES:SECONDS")
    return OutageTimes(_whole(0)(tries), _number(0)(seconds))


def _model(text: str) -> tuple[str, str]:
    name, _, simulated = text.partition("=")
    if not name:
        raise argparse.ArgumentTypeError(f"it holds {text!r}; it must be NAME or NAME=SIMULATED")
    return name, simulated or name


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``dissensus serve``."""
    where = parser.add_argument_group("where and which")
    where.add_argument(
        "--config",
        type=Path,
        default=Path("config.yaml"),
        metavar="FILE",
        help="the configuration whose simulated models answer (config.yaml)",
    )
    where.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    where.add_argument(
        "--port",
        type=_whole(0, 65535),
        default=8321,
        help="port to listen on; 0 takes any that is free (8321)",
    )
    where.add_argument(
        "--model",
        type=_model,
        action="append",
        default=[],
        dest="models",
        metavar="NAME=SIMULATED",
        help="answer to NAME with that simulated model of the "
        "configuration; repeat for more (every simulated model under its own name)",
    )
    where.add_argument(
        "--embedding",
        action="append",
        default=[],
        dest="embeddings",
        metavar="NAME",
        help=f"answer to NAME with embeddings; repeat for more ({EMBEDDING})",
    )
    where.add_argument(
        "--dimensions", type=_whole(1, 4096), default=256, help="length of an embedding (256)"
    )
    where.add_argument("--seed", type=_whole(0), default=0, help="which tries fail (0)")
    where.add_argument("--quiet", action="store_true", help="print the bare address only")
    _add_answers(parser.add_argument_group("requests and replies"))
    _add_faults(parser.add_argument_group("what goes wrong, and how slowly"))


def _add_answers(group: Any) -> None:
    group.add_argument(
        "--words",
        choices=("speeches", "fixed"),
        default="speeches",
        help="fixed answers everything with one constant English text, for benchmarks",
    )
    group.add_argument(
        "--caches",
        action="store_true",
        help="keep what prompts begin with, and bill it for less, as OpenAI and Anthropic "
        "document it (no)",
    )
    group.add_argument(
        "--key-from",
        metavar="VARIABLE",
        help="environment variable with the only key that is accepted (any key)",
    )
    group.add_argument(
        "--report-model", metavar="NAME", help="the model name to report instead of the one asked"
    )
    group.add_argument(
        "--refuse-parameter",
        action="append",
        default=[],
        dest="refused",
        metavar="NAME",
        help="a parameter that the models do not take; repeat for more",
    )


def _add_faults(group: Any) -> None:
    add = group.add_argument
    add(
        "--latency",
        type=_number(0),
        default=0.0,
        metavar="SECONDS",
        help="how long an answer takes (0)",
    )
    add(
        "--latency-spread",
        type=_number(1),
        default=1.0,
        metavar="FACTOR",
        help="latencies are log-normal: two thirds lie within this factor of --latency (1)",
    )
    add(
        "--faults",
        type=_number(0, 1),
        default=0.0,
        metavar="RATE",
        help=f"share of tries that fail, an even mix of {', '.join(RECOVERABLE)} (0)",
    )
    add(
        "--fault",
        type=_fault,
        action="append",
        default=[],
        dest="own_faults",
        metavar="KIND=RATE",
        help="share of tries that fail in one way, also of "
        f"{', '.join(kind for kind in KINDS if kind not in RECOVERABLE)}; repeat for more",
    )
    add(
        "--outage",
        type=_outage,
        metavar="TRIES:SECONDS",
        help="after so many tries, answer no call with anything but an overload for so long",
    )
    add(
        "--hang",
        type=_number(0),
        default=600.0,
        metavar="SECONDS",
        help="how long a timeout keeps silent (600)",
    )
    add(
        "--retry-after",
        type=_number(0),
        metavar="SECONDS",
        help="what a rate_limit or overload sends as Retry-After (nothing)",
    )
    _add_limits(group)


def _add_limits(group: Any) -> None:
    add = group.add_argument
    add("--requests-per-minute", type=_whole(1), metavar="N", help="over any 60 s; 429 beyond")
    add("--tokens-per-minute", type=_whole(1), metavar="N", help="over any 60 s; 429 beyond")
    add("--concurrency", type=_whole(1), metavar="N", help="requests at once; 429 beyond")
    add(
        "--batch-seconds",
        type=_number(0),
        default=1.0,
        metavar="S",
        help="how long a batch takes (1)",
    )
