"""What a model, a provider or a file might say to attack whoever reads a run's results."""

from __future__ import annotations

from itertools import cycle, islice

#: Each by what it attacks; all are distinct, and none is empty.
HOSTILE = (
    # HTML and SVG.
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script><!--",
    '"><img src=x onerror=alert(3)>',
    "' onmouseover='alert(4)",
    "</td></tr></table><iframe src=javascript:alert(5)>",
    "&lt;b&gt; &amp; &#60;script&#62;",
    "]]><![CDATA[<svg/onload=alert(6)>",
    # Markdown.
    "[a link](javascript:alert(7))",
    "![an image](http://example.org/x.png)",
    "[a]: http://example.org 'a definition'",
    "<javascript:alert(8)> http://example.org www.example.org a@example.org",
    "a | cell | more\n|---|---|",
    "```\nfenced\n```",
    "`code` *em* **strong** __under__ ~~struck~~ $x$",
    "# heading\n\n- item\n\n> quote\n\n1. first\n\n---",
    "rule\n===",
    "    indented",
    "ends in a backslash \\",
    # reStructuredText, and the templates of Jinja that Snakemake fills in first.
    "A title\n\n.. raw:: html\n\n   <script>alert(9)</script>\n\nand on",
    "A title\n\n.. include:: /etc/hostname\n",
    ".. |x| replace:: y",
    "A title\u2028\u2028.. image:: x.png\x85\x85.. _x: http://example.org",
    ":raw-html:`<b>` |x| `a <javascript:alert(10)>`_ x_ __ `y`__ [1]_ Workflow_ trajectories.svg_",
    "literal::",
    "====",
    "-a  an option",
    ">>> doctest()",
    "(iv) listed",
    "1. numbered",
    "A. lettered",
    "{{ ''.__class__.__mro__ }}",
    "{% include '/etc/hostname' %}{# gone #}",
    "{wildcards.session} {input} {0} {",
    "%(name)s ${HOME} $(id) `id`",
    # Spreadsheets.
    "=1+1",
    '=HYPERLINK("http://example.org","x")',
    "=cmd|' /C calc'!A0",
    "+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+9)*cmd|' /C calc'!A0",
    "\t=1+2",
    "\r=1+3",
    " \n=1+4",
    "＝1+5",
    "\u200b=1+6",
    'a;=1+7\t=1+8\n=1+9,"=1+10"',
    # TeX, and what matplotlib takes for it.
    "$\\frac{",
    "$x^2$ and $y$",
    "\\$100",
    "\\input{/etc/passwd} \\write18{id} %",
    # Terminals.
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J",
    "over\rwritten\b\b\b",
    # Texts that are hard to hold.
    "nul\x00byte \x01\x02\x7f",
    "\u202eright to left\u202c \u2066isolated\u2069",
    "zero\u200bwidth\u200d\ufeff",
    "\ufffe\uffff astral 😀",
    "long" * 2500,
    "many words " * 900,
    "é̷͍ ︎中文 नमस्ते",
    # YAML and JSON.
    "- !!python/object/apply:os.system ['id']",
    '{"key": ["value", null]}\n---\n...',
)


def hostile(count: int, first: int = 0) -> tuple[str, ...]:
    """So many of them, distinct, from the one at a place on; after the last comes the first."""
    start = first % len(HOSTILE)
    return tuple(islice(cycle(HOSTILE), start, start + count))
