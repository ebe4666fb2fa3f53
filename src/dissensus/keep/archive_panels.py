"""What compares the panels of a run, in one file beside the archives of the panels."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from dissensus.digests import file_digest, text_digest
from dissensus.keep.archive import published
from dissensus.keep.closing import CLOSING
from dissensus.keep.crate import DIGESTS, PUBLISHED, write_files
from dissensus.keep.verdict import VERDICT
from dissensus.llm.ledger import LEDGER
from dissensus.study.configuration import Configuration

#: The digests of the archives of all panels.
ARCHIVES = "archives.sha256"
_VERDICT = """# What the panels of run {run} come to together

`{published}/index.html` compares them. Each panel is a run with an archive of its own, which has
its replies and makes it again; `{archives}` has their digests:

{panels}

SHA-256 of `{digests}`, the list of what is in `{published}`: `{of_digests}`.

SHA-256 of `{published}/{closing}`, the list of what compares the panels, of the ledger that they
share, and of the lists that each panel was closed with: `{of_closing}`.

Its author can make all of these anew: what they should be, somebody else must have noted.
"""


def archive_panels(
    settings: Configuration, results: Path, archives: Sequence[Path], path: Path
) -> None:
    """Write the crate of what the panels of a finished run come to together.

    Parameters
    ----------
    settings : of the whole run.
    results : its folder, relative to the project's.
    archives : of the panels.
    path : zip file to write.

    Raises
    ------
    ResourceError : a link leads out of the run's folder.
    """
    with TemporaryDirectory(prefix=".archive-", dir=path.parent) as staged:
        folder = Path(staged) / settings.run
        digests = ""
        for source in published(results, path):
            _copy(source, folder / PUBLISHED / source.relative_to(results))
            digests += f"{file_digest(source)}  {source}\n"
        if (results / LEDGER).is_file():
            _copy(results / LEDGER, folder / results / LEDGER)
        listed = "".join(f"{file_digest(each)}  {each}\n" for each in archives)
        verdict = _VERDICT.format(
            run=settings.run,
            panels="\n".join(f"- `{each}`" for each in archives),
            of_digests=text_digest(digests),
            of_closing=file_digest(results / CLOSING),
            **{"archives": ARCHIVES, "closing": CLOSING},
            **{"digests": DIGESTS, "published": PUBLISHED},
        )
        for name, text in ((DIGESTS, digests), (ARCHIVES, listed), (VERDICT, verdict)):
            (folder / name).write_text(text, encoding="utf-8")
        write_files(folder, settings, path)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
