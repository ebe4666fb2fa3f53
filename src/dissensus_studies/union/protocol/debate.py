"""The debate: private notes, speeches in turn, and what judges make of them.

Every speaker prepares alone. Each speech is shown all that was said before it. Every step has a
number, and a turn is known by its number and its speaker.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dissensus.session.inputs import Inputs, Row
from dissensus.session.protocol import Steps, restartable
from dissensus.session.runner import CallFailed

from ..prompts import Wording
from ..replies import Memo, Style, read
from ..tables import PASSAGES, SIDES
from . import gates
from .floor import Debater, Floor, Models, Rules
from .judging import judge
from .memo import EXPECTED as MEMO
from .speaking import prepare, speak
from .style import EXPECTED as STYLE

#: The artefact of the passages.
PASSAGES_FILE = "passages.parquet"


@dataclass(frozen=True)
class Draw:
    """What was drawn for a debate, and what it reads of other sessions.

    Attributes
    ----------
    motion_id, motion : its name and its text.
    proposition : who speaks for it.
    order : the speakers in the order of their speeches.
    lenses : number of each one's emphasis lens, in the same order.
    draw_seed : of passages and gates.
    passages : how many a speaker is given.
    styles : id of the session that describes how the speakers speak.
    memos : id of the session with the memos of the coached; "" where there are none.
    coached : who reads one.
    """

    motion_id: str
    motion: str
    proposition: tuple[str, ...]
    order: tuple[str, ...]
    lenses: tuple[int, ...]
    draw_seed: int
    passages: int
    styles: str
    memos: str = ""
    coached: tuple[str, ...] = ()

    @classmethod
    def of(cls, row: Row, motion: Row, passages: int, styles: str, memos: str) -> Draw:
        """From rows of the manifest and of the motions; the students are coached by memos alone."""
        return cls(
            motion_id=row["motion_id"],
            motion=motion["motion"],
            proposition=tuple(sorted(motion[SIDES[0]])),
            order=tuple(row["order"]),
            lenses=tuple(int(lens) for lens in row["lenses"]),
            draw_seed=row["draw_seed"],
            passages=passages,
            styles=styles,
            memos=memos,
            coached=tuple(sorted(motion["students"])) if memos else (),
        )


@restartable
def debate(wording: Wording, draw: Draw, models: Models, rules: Rules, inputs: Inputs) -> Steps:
    """The debate as a protocol.

    Parameters
    ----------
    wording : of all prompts.
    draw : what was drawn for it.
    models : who is asked.
    rules : how it runs.
    inputs : styles, passages and memos.
    """
    debaters = _debaters(draw, inputs)
    floor = Floor(wording, draw.motion, debaters, draw.draw_seed, models, rules)
    yield from prepare(floor)
    for number in range(1, len(debaters) + 1):
        yield from speak(floor, number)
    yield from judge(floor)


def _debaters(draw: Draw, inputs: Inputs) -> tuple[Debater, ...]:
    """The speakers in their order, with all that they know before the debate."""
    styles = inputs.texts(draw.styles, list(draw.order), STYLE)
    memos = _memos(draw, inputs)
    return tuple(
        Debater(
            name,
            SIDES[name not in draw.proposition],
            _style(name, style),
            lens,
            _passages(draw, name, inputs),
            memos.get(name),
        )
        for name, style, lens in zip(draw.order, styles, draw.lenses, strict=True)
    )


def _style(name: str, text: str) -> Style:
    style = read(Style, text)
    if style is None:
        raise CallFailed(f"the style of {name} cannot be read")
    return style


def _memos(draw: Draw, inputs: Inputs) -> dict[str, Memo]:
    """Coached speaker -> memo, of those whose memo can be read."""
    if not draw.memos:
        return {}
    texts: Sequence[str] = inputs.texts(draw.memos, list(draw.coached), MEMO)
    memo_of = {name: read(Memo, text) for name, text in zip(draw.coached, texts, strict=True)}
    return {name: memo for name, memo in memo_of.items() if memo is not None}


def _passages(draw: Draw, speaker: str, inputs: Inputs) -> tuple[str, ...]:
    """The passages that a speaker is given, in the order in which they were found."""
    where = {"motion_id": draw.motion_id, "speaker": speaker}
    pool = inputs.rows_of(PASSAGES_FILE, PASSAGES, where, draw.passages)
    chosen = gates.passages(draw.draw_seed, speaker, len(pool), draw.passages)
    return tuple(str(pool[place]["text"]) for place in chosen)
