"""Makes the figures that are kept: `python -m dissensus.validation.keeping NAME=FOLDER ...`.

For who maintains them: it writes ``resources/validation/`` in the checkout that it is started in,
and the digests of ``sources.yaml`` there, from the repositories that were fetched.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from dissensus.digests import file_digest
from dissensus.report.escaping import complain
from dissensus.tables.artefact import write_text
from dissensus.validation.page import makers
from dissensus.validation.sources import FOLDER, digest_of, read_sources, written


def keep(given: Sequence[str], folder: Path = Path(FOLDER)) -> list[Path]:
    """Write figures and digests of what was fetched; the files that were written.

    Parameters
    ----------
    given : NAME=FOLDER, of each source.
    """
    sources, listed = read_sources(folder), folder / "sources.yaml"
    text, made = listed.read_text("utf-8"), []
    for each in given:
        name, _, path = each.partition("=")
        text = _noted(text, name, "fetched", digest_of(Path(path), sources[name].files))
        for file, frame in makers()[name](Path(path)).items():
            write_text(folder / file, written(frame))
            text = _noted(text, name, file, file_digest(folder / file))
            made.append(folder / file)
    write_text(listed, text)
    return made


def _noted(text: str, source: str, key: str, digest: str) -> str:
    """The list of sources with another digest behind a key of a source."""
    place = re.compile(rf"(^  {re.escape(source)}:\n(?:    .*\n)*? +{re.escape(key)}: )\S+", re.M)
    return place.sub(rf"\g<1>{digest}", text)


if __name__ == "__main__":
    complain(f"Written: {', '.join(map(str, keep(sys.argv[1:])))}.")
