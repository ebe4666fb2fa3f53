"""Runs ``dissensus serve``."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aiohttp import web

from dissensus.errors import SettingError
from dissensus.llm.model_files import SETTING, ModelFiles
from dissensus.llm.providers.behaviours import check_speech
from dissensus.study.registry import STUDIES, package_of, register, with_study_models
from dissensus.user_files import read_settings
from dissensus_serve.app import build
from dissensus_serve.faults import KINDS, LASTING, RECOVERABLE
from dissensus_serve.options import EMBEDDING
from dissensus_serve.service import Options, Service

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def options_from(chosen: argparse.Namespace, environment: Mapping[str, str]) -> Options:
    """The server's options.

    Raises
    ------
    SettingError : a model, a fault rate or the key's variable is not valid.
    """
    key = None
    if chosen.key_from is not None:
        key = environment.get(chosen.key_from)
        if not key:
            raise SettingError(
                f"--key-from: the environment variable {chosen.key_from} is not set; "
                "export the key to accept there."
            )
    return Options(
        models=_models(chosen),
        embeddings=tuple(chosen.embeddings) or (EMBEDDING,),
        dimensions=chosen.dimensions,
        faults=_rates(chosen.faults, dict(chosen.own_faults)),
        outage=chosen.outage,
        latency_s=chosen.latency,
        latency_spread=chosen.latency_spread,
        hang_s=chosen.hang,
        retry_after_s=chosen.retry_after,
        requests_per_minute=chosen.requests_per_minute,
        tokens_per_minute=chosen.tokens_per_minute,
        concurrency=chosen.concurrency,
        key=key,
        report_model=chosen.report_model,
        refused=frozenset(chosen.refused),
        batch_s=chosen.batch_seconds,
        fixed_words=chosen.words == "fixed",
        caches=chosen.caches,
        seed=chosen.seed,
    )


def _rates(mixed: float, own_rates: Mapping[str, float]) -> dict[str, float]:
    """The rate of each fault: its own where it is set, else its share of the mix."""
    rates = {kind: mixed / len(RECOVERABLE) for kind in RECOVERABLE} | dict(own_rates)
    for kinds, what in ((set(KINDS) - set(LASTING), "tries"), (set(LASTING), "requests")):
        total = sum(rate for kind, rate in rates.items() if kind in kinds)
        if total > 1 + 1e-9:
            raise SettingError(
                f"--faults and --fault add up to {total:g} of all {what}; at most 1 can fail."
            )
    return {kind: rate for kind, rate in rates.items() if rate > 0}


def _models(chosen: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """The names that clients may ask for -> settings of the simulated models behind them."""
    if chosen.words == "fixed" and chosen.models:
        return {name: {} for name, _ in chosen.models}
    simulated = _simulated_models(chosen.config)
    for name, behind in chosen.models:
        if behind not in simulated:
            models = ", ".join(simulated)
            raise SettingError(
                f"--model {name}={behind}: {chosen.config} has no simulated model {behind!r}; "
                f"it has {models}."
            )
    if chosen.models:
        return {name: simulated[behind] for name, behind in chosen.models}
    return simulated


def _simulated_models(path: Path) -> dict[str, dict[str, Any]]:
    given = read_settings(path)
    folders = given.get("study_folders")
    own = dict(folders) if isinstance(folders, dict) else {}
    beside = path.resolve().parent
    if (beside / "study.py").is_file():
        # A study's own file of simulated models, whose behaviours are beside it.
        if beside.name not in {*STUDIES, *own}:
            own[beside.name] = beside
        if {*given} == {"models"}:
            given = {SETTING: {beside.name: str(path)}}
    register({name: str(place) for name, place in own.items()})
    values = ModelFiles.of(with_study_models(given), str(path), package_of).merged
    entries = values.get("models")
    simulated = {
        name: entry
        for name, entry in (entries.items() if isinstance(entries, dict) else ())
        if isinstance(entry, dict) and entry.get("provider") == "simulated"
    }
    if not simulated:
        raise SettingError(
            f"--config {path} has no simulated model; name a configuration that has, such as the "
            "config.yaml that comes with dissensus."
        )
    for name, entry in simulated.items():
        _check(entry, f"{path}: models.{name}")
    return simulated


def _check(entry: Mapping[str, Any], where: str) -> None:
    """Raise a SettingError where a model's settings are not valid."""
    behaviour = entry.get("behaviour")
    try:
        check_speech(str(behaviour), entry.get("speech", {}))
    except SettingError as error:
        lines = str(error).split("\n")
        raise SettingError("\n".join(f"{where}.{line}" for line in lines)) from None


def serve(chosen: argparse.Namespace) -> int:
    """Serve until a signal ends the server; the exit code."""
    options = options_from(chosen, os.environ)
    try:
        asyncio.run(_serve(Service(options), chosen.host, chosen.port, chosen.quiet))
    except OSError as error:
        raise SettingError(
            f"Cannot listen on {chosen.host}:{chosen.port} ({error.strerror or error}); "
            "choose another with --port (0 takes any that is free) or --host."
        ) from None
    return 0


async def _serve(service: Service, host: str, port: int, is_quiet: bool) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    # A client that goes away ends its request: a simulated time-out would go on for minutes.
    runner = web.AppRunner(
        build(service), handler_cancellation=True, access_log=None, shutdown_timeout=0.2
    )
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port, backlog=1024)
        await site.start()
        _announce(host, runner.addresses[0][1], is_quiet)
        await stop.wait()
    finally:
        await runner.cleanup()


def _announce(host: str, port: int, is_quiet: bool) -> None:
    """Print where the server listens and how to use it."""
    if host not in _LOOPBACK:
        print(
            f"Warning: {host} lets other machines reach this server; "
            "use --host 127.0.0.1 to keep it to this one.",
            file=sys.stderr,
        )
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    message = (
        f'Listening on {address}; in a configuration: base_url: "{address}/v1" with '
        f'interface: openai, base_url: "{address}" with interface: anthropic, and '
        "simulated: true. Ctrl-C ends it."
    )
    print(address if is_quiet else message, flush=True)
