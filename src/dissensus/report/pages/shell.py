"""What all pages have alike: policy, style, the way back, and the mark of simulated models."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from dissensus.report.captions import SIMULATED
from dissensus.report.escaping import html

ASSETS = Path(__file__).parents[1] / "assets"
#: Nothing from elsewhere, whatever a page holds, and no scripts but those that it is made with.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
#: What would end a script before its end, or keep its end from being one.
_SCRIPT_END = re.compile("</script|<!--", re.IGNORECASE)


@cache
def common_style() -> str:
    """The style that all pages share: light, dark, print, and 390 px."""
    return (ASSETS / "common.css").read_text(encoding="utf-8")


def header(back: Sequence[tuple[str, str]], simulated: bool) -> str:
    """What every page begins with: whether models are simulated, and the way back.

    Parameters
    ----------
    back : address of a page, HTML already, and what it is called.
    """
    banner = f'<aside class="banner" aria-label="Simulated">{html(SIMULATED)}</aside>'
    links = " · ".join(f'<a href="{address}">{html(words)}</a>' for address, words in back)
    way = f'<nav class="files" aria-label="Way back">{links}</nav>' if back else ""
    skip = '<a class="skip" href="#content">To the content</a>'
    return "\n".join([*[banner] * simulated, skip, way])


def page(
    title: str, style: str, body: str, scripts: Sequence[str] = (), *, beside: str = ""
) -> str:
    """A self-contained HTML page in UTF-8.

    Parameters
    ----------
    title : text.
    style : CSS.
    body : HTML already.
    scripts : the project's own code, to run in this order at the page's end. The page's policy
        names each by its digest, so that a browser runs no other.
    beside : what the page loads of files that lie beside it: "images", "scripts", or nothing.

    Raises
    ------
    ValueError : a script has what HTML takes for its end.
    """
    if any(_SCRIPT_END.search(script) for script in scripts):
        raise ValueError("a script of a page has </script or <!-- in it")
    code = "".join(f"<script>{script}</script>\n" for script in scripts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(scripts, beside)}">\n'
        f"<title>{html(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"{body}\n{code}</body>\n</html>\n"
    )


def _policy(scripts: Sequence[str], beside: str) -> str:
    policy = f"{_POLICY}; img-src 'self' file: data:" if beside == "images" else _POLICY
    digests = (b64encode(sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = [f"'sha256-{digest}'" for digest in digests]
    allowed += ["'self'", "file:"] if beside == "scripts" else []
    return f"{policy}; script-src {' '.join(allowed)}" if allowed else policy
