"""The command ``dissensus``; what a study runs is Snakemake's, what stands beside it is here."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
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
    chosen = parser.parse_args(arguments)
    try:
        return serve(chosen)
    except DissensusError as error:
        complain(error)
        return 1
