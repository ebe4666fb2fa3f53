"""The command ``dissensus validate``."""

from __future__ import annotations

import argparse
from pathlib import Path

from dissensus.errors import ResourceError


def add_validation_options(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "--fetched",
        action="append",
        default=[],
        metavar="NAME=FOLDER",
        help="a source's repository that you fetched; docs/validation.md has their addresses",
    )
    parser.add_argument("--to", type=Path, help="write the page to this file")


def validate(chosen: argparse.Namespace) -> int:
    """Print or write what others published beside what it is here."""
    from dissensus.tables.artefact import write_text
    from dissensus.validation.page import makers, page
    from dissensus.validation.sources import at_hand

    text = page(at_hand(chosen.fetched, makers()))
    if not chosen.to:
        print(text, end="")
        return 0
    try:
        write_text(chosen.to, text)
    except OSError as error:
        raise ResourceError(f"{chosen.to} cannot be written ({error.strerror}).") from None
    return 0
