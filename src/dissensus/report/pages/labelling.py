"""The page on which a person labels texts: one file, which needs no network and sends nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from dissensus.digests import digest
from dissensus.report.captions import SIMULATED
from dissensus.report.escaping import html
from dissensus.report.pages.shell import page
from dissensus.text.seen import UNSEEN_JS

_ASSETS = Path(__file__).parents[1] / "assets"
_STYLES = (_ASSETS / "common.css", _ASSETS / "labelling.css")
_SCRIPTS = (_ASSETS / "reader_dom.js", _ASSETS / "labelling.js")


def labelling_page(
    question: str, scale: Sequence[str], texts: Sequence[tuple[str, str]], simulated: bool
) -> str:
    """The page, in HTML.

    Parameters
    ----------
    question : that each label answers.
    scale : the labels.
    texts : id and text of each, in the order in which they are read.
    simulated : whether models are that were simulated.
    """
    body = [
        f'<aside class="banner" aria-label="Simulated">{html(SIMULATED)}</aside>'
        if simulated
        else "",
        '<main id="main"><h1>Labels</h1><p>This page needs scripts; the table beside it has the '
        "same texts.</p></main>",
        '<p id="said" role="status"></p>',
        '<p class="note">Labels are kept by this browser alone. Save the table when you have '
        "labelled all texts, or all up to one; in between none may be left out.</p>",
    ]
    name = f"dissensus-labels-{digest([id_ for id_, _ in texts])[:16]}"
    told = json.dumps([name, question, list(scale), list(texts)]).replace("<", "\\u003c")
    code = "\n".join(path.read_text(encoding="utf-8") for path in _SCRIPTS)
    code = code.replace("%UNSEEN%", UNSEEN_JS)
    style = "\n".join(path.read_text(encoding="utf-8") for path in _STYLES)
    script = f'"use strict";\n{code}\nLabelling.start(...{told});\n'
    return page("Labels", style, "\n".join(body), [script])
