"""The command ``dissensus audit``."""

from __future__ import annotations

import argparse
from pathlib import Path

from dissensus.errors import SettingError


def add_audit_options(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("file", type=Path, help="a CSV with a row a vote")
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="FIELD=NAME",
        help="what the file calls a field, such as judge=grader; docs/audit.md lists them",
    )
    parser.add_argument("--confidence", type=float, default=0.95, help="of all limits")
    parser.add_argument("--to", type=Path, help="a .csv or .json of the numbers, or a .md")


def audit(chosen: argparse.Namespace) -> int:
    """Audit a file of votes, and print the report."""
    from dissensus.audit.report import as_text, audit_votes, check_ending, write_audit
    from dissensus.audit.votes import read_votes

    if not 0.0 < chosen.confidence < 1.0:
        raise SettingError(f"--confidence {chosen.confidence:g}: it is a share, such as 0.95.")
    if chosen.to:
        check_ending(chosen.to)
    found = audit_votes(read_votes(chosen.file, chosen.column), chosen.confidence)
    print(as_text(found), end="")
    if chosen.to:
        write_audit(found, chosen.to)
    return 0
