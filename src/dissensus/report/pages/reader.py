"""The page of the reader: the application alone, which loads the debates from beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.digests import digest, file_digest
from dissensus.report.captions import SIMULATED
from dissensus.report.escaping import html
from dissensus.report.pages.shell import page
from dissensus.text.seen import UNSEEN_JS

_ASSETS = Path(__file__).parents[1] / "assets"
_STYLES = (_ASSETS / "common.css", _ASSETS / "reader.css")
_SCRIPTS = tuple(
    _ASSETS / f"reader_{name}.js" for name in ("data", "dom", "tools", "list", "debate", "main")
)


def reader_assets() -> str:
    """What the page depends on besides its code in Python."""
    return digest([file_digest(path) for path in (*_STYLES, *_SCRIPTS)])


@dataclass(frozen=True)
class Estimated:
    """What came of a study's sessions, as the reader shows it beside them.

    Attributes
    ----------
    findings : sentences, which a lost session is shown with.
    figures : name, title and targets of each: the sessions and draws that it has marks of.
    """

    findings: Sequence[str] = ()
    figures: Sequence[Mapping[str, Any]] = ()


def reader_page(run: str, studies: Mapping[str, Estimated], simulated: bool) -> str:
    """The page, in HTML.

    Parameters
    ----------
    run : its name.
    studies : whose data lie in folders of these names beside the page.
    simulated : whether the run's models are simulated.
    """
    body = [
        f'<aside class="banner" aria-label="Simulated">{html(SIMULATED)}</aside>'
        if simulated
        else "",
        '<a class="skip" href="#main">To the content</a>',
        '<header><form role="search" id="search"><label>Search names, motions, questions and texts '
        '<input name="q" type="search"></label> <button type="submit">Search</button></form>'
        f'<p class="files"><a href="../index.html">Results of run {html(run)}</a> '
        '<a href="#/">All sessions</a></p></header>',
        '<main id="main" tabindex="-1"><h1>Debates</h1><p>Loading. This page needs scripts; '
        f"without them, <code>dissensus read &lt;id&gt; --run {html(run)}</code> prints a debate "
        'in a terminal.</p></main><p id="said" class="unseen" role="status"></p>',
    ]
    style = "\n".join(path.read_text(encoding="utf-8") for path in _STYLES)
    told = json.dumps([run, {name: vars(study) for name, study in studies.items()}])
    told = told.replace("<", "\\u003c")
    code = "\n".join(path.read_text(encoding="utf-8") for path in _SCRIPTS)
    code = code.replace("%UNSEEN%", UNSEEN_JS)
    script = f'"use strict";\n{code}\nReader.start(...{told});\n'
    return page(f"Debates of run {run}", style, "\n".join(body), [script], beside="scripts")
