"""The command ``dissensus``; what a study runs is Snakemake's, what stands beside it is here."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from dissensus.errors import DissensusError
from dissensus.report.escaping import complain
from dissensus.serve.main import serve
from dissensus.serve.options import add_options


class _Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one sentence, without the usage."""

    def error(self, message: str) -> NoReturn:
        sentence = message[0].upper() + message[1:].rstrip(".")
        self.exit(2, f"{sentence}; `{self.prog} --help` lists what there is.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; the exit code."""
    parser = _Parser(prog="dissensus", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    about = "put the simulated models behind real HTTP"
    add_options(commands.add_parser("serve", help=about, description=about, allow_abbrev=False))
    about = "print any session of a run, and what its models were sent"
    _add_reading(commands.add_parser("read", help=about, description=about, allow_abbrev=False))
    about = "say how many replies of a run could be read, were repaired or are lost"
    counting = commands.add_parser("replies", help=about, description=about, allow_abbrev=False)
    counting.add_argument("run", help="its name, as under results/")
    about = "say something else in one turn of a session, and ask only what comes after"
    _add_forking(commands.add_parser("fork", help=about, description=about, allow_abbrev=False))
    chosen = parser.parse_args(arguments)
    does = {"serve": serve, "read": read, "replies": replies, "fork": fork}
    try:
        return does[chosen.command](chosen)
    except DissensusError as error:
        complain(error)
        return 1


def _add_session(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", help="id of the session, such as d007-zh")
    parser.add_argument("--study", help="where several studies have such a session")
    parser.add_argument("--run", help="where several runs have it")


def _add_forking(parser: argparse.ArgumentParser) -> None:
    _add_session(parser)
    parser.add_argument("--turn", type=int, required=True, help="its number in the transcript")
    parser.add_argument("--speaker", default="", help="where several speak in that turn")
    parser.add_argument("--say", required=True, metavar="FILE", help="has the text that is said")


def _add_reading(parser: argparse.ArgumentParser) -> None:
    _add_session(parser)
    parser.add_argument("--format", choices=("text", "md", "json"), default="text")
    parser.add_argument(
        "--prompts", action="store_true", help="what was sent, message by message, and each reply"
    )
    parser.add_argument(
        "--configfile",
        nargs="+",
        metavar="FILE",
        default=[],
        help="over config.yaml, instead of the configuration that the run keeps; for --prompts",
    )


def replies(chosen: argparse.Namespace) -> int:
    """Print what became of a run's turns."""
    from dissensus.keep.reply_counts import reply_page

    print(reply_page(Path("results") / chosen.run), end="")
    return 0


def fork(chosen: argparse.Namespace) -> int:
    """Fork a session, and print the fork."""
    from dissensus.keep.forking import fork_session
    from dissensus.keep.reading import configured_of, find_session
    from dissensus.keep.reading_pages import page
    from dissensus.user_files import read_text

    folder = find_session(chosen.session, chosen.study, chosen.run)
    text = read_text(chosen.say)
    forked, place = fork_session(
        folder, configured_of(folder), chosen.session, chosen.turn, chosen.speaker, text
    )
    _print(page(forked, None, "text"))
    complain(f"{len(forked.calls)} calls were made, or found in {place}/journal.jsonl.")
    return 0


def read(chosen: argparse.Namespace) -> int:
    """Print a session."""
    from dissensus.keep.reading import (
        CONFIGURATION,
        configured_of,
        find_session,
        read_session,
        sent,
    )
    from dissensus.keep.reading_pages import page

    folder = find_session(chosen.session, chosen.study, chosen.run)
    messages = None
    if chosen.prompts:
        files = [*CONFIGURATION, *chosen.configfile] if chosen.configfile else []
        settings = configured_of(folder, files)
        messages = sent(folder, chosen.session, settings)
    _print(page(read_session(folder, chosen.session), messages, chosen.format))
    return 0


def _print(text: str) -> None:
    """Write a text to standard output, which may be closed before its end."""
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has read enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
