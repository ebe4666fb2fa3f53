"""The most and the least recycled pair of speeches, side by side in every language (appendix E)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dissensus.report.captions import filled
from dissensus.report.escaping import html, markdown, plain
from dissensus.report.facts import Facts, unmarked
from dissensus.report.frames import keyed, records
from dissensus.report.labels import language_name, language_tag, number
from dissensus.report.pages.shell import common_style, header, page
from dissensus.report.tables import SIMULATED
from dissensus.report.view import Artefacts, View
from dissensus.study.makes import makes
from dissensus.tables.artefact import write_text

from .frames import debates_of, languages_of, read_draws
from .reuse import Extreme, describe, extremes

#: Shorter matches are chance: a few letters of English, one or two characters of Chinese.
SHORTEST = {"latin": 12, "han": 4}


@dataclass(frozen=True)
class Speech:
    """A speech cut where its passages begin and end: texts, each with its number or 0."""

    turn: int
    round_label: str
    model: str
    passages: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Comparison:
    """One speaker's two speeches in one language."""

    language: str
    characters: float
    tokens: float
    first: Speech
    second: Speech


@dataclass(frozen=True)
class Text:
    """A text that is neither figure nor table, in two forms, and its caption's facts."""

    markdown: str
    html: str
    facts: Mapping[str, str]


@makes(html=write_text, markdown=write_text, caption=write_text)
def compare_speeches(
    caption: Path, view: dict[str, Any], simulated: bool, **artefacts: Path
) -> tuple[str, str, str]:
    """The page in both forms, and its caption."""
    text = build(Artefacts(artefacts), View.of(view, simulated))
    return text.html, text.markdown, unmarked(filled(caption, text.facts, simulated))


def build(artefacts: Artefacts, view: View) -> Text:
    """The page, and the same as Markdown."""
    manifest, pool = artefacts.frames("manifest", "pool")
    reuse = artefacts.facts("reuse")
    # All speeches of a run may be too large to hold.
    draws = [pair.draw_id for pair in extremes(reuse) or ()]
    turns = debates_of(read_draws(artefacts.path("turns"), draws))
    motion_of = dict(zip(manifest["draw_id"], manifest["motion_id"], strict=True))
    parts = sections(reuse, turns, pool, motion_of, view)
    return Text(as_markdown(parts, view), as_html(parts, view), describe(reuse, view))


def shared_passages(first: str, second: str, shortest: int) -> list[tuple[int, int, int]]:
    """Matching blocks of at least so many letters: start in each text, and length.

    ``autojunk`` is off, as in the ratio: by default SequenceMatcher would leave out nearly every
    letter of a long English text.
    """
    import cydifflib

    matcher = cydifflib.SequenceMatcher(None, first, second, autojunk=False)
    return [(a, b, size) for a, b, size in matcher.get_matching_blocks() if size >= shortest]


def _cut(text: str, spans: Sequence[tuple[int, int]]) -> tuple[tuple[str, int], ...]:
    """The text in passages, those of the spans numbered from 1."""
    pieces, end = [], 0
    for index, (start, size) in enumerate(spans, start=1):
        passage = text[start : start + size]
        # Blanks at its ends are no part of what is repeated.
        start += len(passage) - len(passage.lstrip())
        pieces += [(text[end:start], 0), (passage.strip(), index)]
        end = start + len(passage.strip())
    return tuple((part, index) for part, index in (*pieces, (text[end:], 0)) if part)


def _han(text: str) -> bool:
    """Whether a text is written in Chinese characters rather than letters."""
    return sum("\u4e00" <= letter <= "\u9fff" for letter in text) > len(text) / 4


def compare(
    pair: Extreme, reuse: pd.DataFrame, turns: pd.DataFrame, view: View
) -> list[Comparison]:
    """The extreme's two speeches in every language, the reference first."""
    turn_at = {
        (t["language"], t["turn"]): t for t in records(turns[turns["draw_id"] == pair.draw_id])
    }
    ratios = reuse[(reuse["draw_id"] == pair.draw_id) & (reuse["speaker"] == pair.speaker)]
    by_language = keyed(ratios[ratios["first_turn"] == pair.first_turn], "language")
    comparisons = []
    for language in languages_of(reuse, view.reference):
        a, b = (turn_at[language, turn] for turn in (pair.first_turn, pair.second_turn))
        shortest = SHORTEST["han" if _han(str(a["text"])) else "latin"]
        blocks = shared_passages(str(a["text"]), str(b["text"]), shortest)
        sides = [
            Speech(
                int(turn), str(row["round_label"]), str(row["model"]), _cut(str(row["text"]), spans)
            )
            for turn, row, spans in (
                (pair.first_turn, a, [(start, size) for start, _, size in blocks]),
                (pair.second_turn, b, [(start, size) for _, start, size in blocks]),
            )
        ]
        row = by_language[language]
        comparisons.append(
            Comparison(language, float(row["characters"]), float(row["tokens"]), sides[0], sides[1])
        )
    return comparisons


def sections(
    reuse: Facts,
    turns: pd.DataFrame,
    pool: pd.DataFrame,
    motion_of: dict[str, str],
    view: View,
) -> list[tuple[str, list[Comparison]]]:
    """A heading and its comparisons, for the most and for the least recycled pair, if any."""
    marked = extremes(reuse)
    if marked is None:
        return []
    compared = []
    texts = keyed(pool, "motion_id")
    for name, pair in zip(("Most", "Least"), marked, strict=True):
        motion = motion_of[pair.draw_id]
        # The pool has a column for every language's motion, the first one's first.
        columns = [name for name in pool.columns if name.startswith("motion_")][1:]
        topic = str(texts[motion][columns[0]]) if columns else motion
        heading = (
            f"{name} recycled: draw {pair.draw_id}, {pair.speaker}, in "
            f"{language_name(pair.language)} ({number(float(pair.ratio))}). {topic.rstrip('.')}."
        )
        compared.append((heading, compare(pair, reuse.frame, turns, view)))
    return compared


_INTRO = (
    "One speaker's two speeches, side by side in every language; the roles and the motion are the "
    "same. Chosen over all draws complete in every language by the character-level SequenceMatcher "
    "ratio (autojunk off). Marked: passages that come back, of at least 12 letters or 4 Chinese "
    "characters, in the same order in both: one that moved past another is not marked. "
    "Ratios of different scripts do not compare: chance alone shares more letters than "
    "characters."
)


def as_markdown(parts: list[tuple[str, list[Comparison]]], view: View) -> str:
    """Speeches under each other, passages that come back in bold."""
    lines = ["# Recycled speeches", "", _INTRO + (f" {SIMULATED}" if view.simulated else ""), ""]
    for heading, comparisons in parts:
        lines += [f"## {markdown(heading)}", ""]
        for comparison in comparisons:
            lines += [f"### {markdown(_ratios(comparison))}", ""]
            for speech in (comparison.first, comparison.second):
                lines += [f"*{markdown(_label(speech))}*", "", *_quoted(speech), ""]
    return "\n".join(lines)


def _quoted(speech: Speech) -> list[str]:
    """The lines of a quotation."""
    text = "".join(_bold(part, bool(i)) for part, i in speech.passages)
    return [f"> {line.strip()}".rstrip() for line in text.split("\n")]


def _bold(passage: str, comes_back: bool) -> str:
    """A passage, each of its lines by itself."""
    lines = map(markdown, plain(passage).split("\n"))
    # Asterisks fail beside Chinese punctuation; Markdown lets this tag through.
    return "\n".join(f"<b>{line}</b>" if comes_back and line.strip() else line for line in lines)


def _ratios(pair: Comparison) -> str:
    return (
        f"{language_name(pair.language)}: ratio {number(pair.characters)} by character, "
        f"{number(pair.tokens)} by token"
    )


def _label(speech: Speech) -> str:
    return f"Turn {speech.turn}, {speech.round_label} ({speech.model})"


_STYLE = """
body { max-width: 68rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
h3 { font-size: .95rem; margin: 1.2rem 0 .3rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1.4rem; }
.speech { border-top: 1px solid var(--rule); padding-top: .3rem; }
.who { font-size: 12px; color: var(--soft); margin: 0; } .speech p { margin: .3rem 0; }
mark { background: var(--mark); color: inherit; }
mark { text-decoration: underline; text-underline-offset: 3px; }
mark sup { font-size: 9px; }
@media (max-width: 40rem) { .pair { grid-template-columns: 1fr; } }
"""


def as_html(compared: list[tuple[str, list[Comparison]]], view: View) -> str:
    """A page with the speeches beside each other, repeated passages marked and numbered."""
    parts = [
        header([("../index.html", "All results")], view.simulated),
        '<main id="content"><h1>Recycled speeches</h1>',
        f'<p class="note">{html(_INTRO)}</p>',
    ]
    for heading, comparisons in compared:
        parts.append(f"<h2>{html(heading)}</h2>")
        for comparison in comparisons:
            parts.append(f"<h3>{html(_ratios(comparison))}</h3>")
            sides = "".join(
                _side(speech, comparison.language)
                for speech in (comparison.first, comparison.second)
            )
            parts.append(f'<div class="pair">{sides}</div>')
    body = "\n".join([*parts, "</main>"])
    return page("Recycled speeches", f"{common_style()}\n{_STYLE}", body)


def _side(speech: Speech, language: str) -> str:
    text = "".join(
        f"<mark>{html(part)}<sup>{index}</sup></mark>" if index else html(part)
        for part, index in speech.passages
    )
    return (
        f'<div class="speech"><p class="who">{html(_label(speech))}</p>'
        f'<p lang="{language_tag(language)}">{text}</p></div>'
    )
