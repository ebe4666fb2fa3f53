"""Prompt files: what each text may hold, so that a fault is found before anything is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel

from dissensus.data_files import read_data
from dissensus.errors import ResourceError
from dissensus.session.protocol import PLACEHOLDER, Call
from dissensus.setting_faults import Complaint
from dissensus.settings import Settings

#: Slots such as {TOPIC}; an example in JSON has braces of another kind.
BRACED = re.compile(r"\{[A-Z][A-Z0-9_]*\}")
#: Slots where they stand in angle brackets; braces are none there, and a mistake.
ANGLED = re.compile(rf"<[A-Za-z][^<>\n]*>|{BRACED.pattern}")
# What may have been meant as one: {topic}, {{TOPIC}}, { TOPIC }.
_NEAR = re.compile(r"(?<!\{)\{++\s*+\w++\s*+\}+")
# Half of a pair of surrogates cannot be sent; models' tokenisers stop at NUL.
_CONTROL = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff{PLACEHOLDER}]")


def slots(*needed: str, optional: Iterable[str] = ()) -> AfterValidator:
    """A text with slots such as ``{TOPIC}``.

    Parameters
    ----------
    needed : names of slots that it must have, such as "TOPIC".
    optional : of those that it may have besides.
    """
    braced = [tuple(f"{{{name}}}" for name in names) for names in (needed, optional)]
    return AfterValidator(partial(_check, needed=braced[0], optional=braced[1]))


def angled(*needed: str) -> AfterValidator:
    """A text with slots in angle brackets, each of which it must have, and one a line at most."""
    return AfterValidator(partial(_check_angled, needed=needed))


def _check(text: str, needed: tuple[str, ...], optional: tuple[str, ...]) -> str:
    _check_characters(text)
    slots = (*needed, *optional)
    for name in _NEAR.findall(text):
        meant = "{" + name.strip("{} \t\n").upper() + "}"
        if name in slots:
            continue
        if meant in slots:
            raise Complaint(f"has {name}; write {meant}")
        if BRACED.search(name):
            raise Complaint(_unknown(meant, slots))
    _check_needed(text, needed)
    return text


def _check_angled(text: str, needed: tuple[str, ...]) -> str:
    _check_characters(text)
    for line in text.split("\n"):
        slots = ANGLED.findall(line)
        for slot in slots:
            if slot not in needed:
                raise Complaint(_unknown(slot, needed))
        if len(slots) > 1:
            raise Complaint(f"has {slots[0]} and {slots[1]} in one line; give each its own")
    _check_needed(text, needed)
    return text


def _check_needed(text: str, needed: tuple[str, ...]) -> None:
    lost = [slot for slot in needed if slot not in text]
    if lost:
        raise Complaint(f"lacks {lost[0]}; put it in")


def _check_characters(text: str) -> None:
    if not text.strip():
        raise Complaint("is empty; write its text")
    control = _CONTROL.search(text)
    if control:
        raise Complaint(f"has the character U+{ord(control[0]):04X}; take it out")


def _unknown(slot: str, slots: tuple[str, ...]) -> str:
    if not slots:
        return f"has {slot}, and no slot is filled there; take it out"
    close = get_close_matches(slot, slots, n=1)
    if close:
        return f"has {slot}, which is no slot; {close[0]} is"
    return f"has {slot}, which is no slot; its slots are {', '.join(slots)}"


#: A text without slots, sent as it stands.
Text = Annotated[str, slots()]


class Part(Settings):
    """A part of a prompt file: texts, which can be had by their names too."""

    noun = "part"

    def __getitem__(self, name: str) -> str:
        return str(getattr(self, name))


Model = TypeVar("Model", bound=BaseModel)


def read_prompts(model: type[Model], path: str | Path) -> Model:
    """A prompt file of a type; see :func:`dissensus.data_files.read_data`."""
    return read_data(model, path)


def check_filled(calls: Iterable[Call], files: str, slot: re.Pattern[str] = BRACED) -> None:
    """Refuse calls in whose prompts a slot is left, each made once with placeholders for speeches.

    Parameters
    ----------
    calls : see :func:`dissensus.session.protocol.assumed_calls`.
    files : what the prompts were made from.
    slot : what may be left, :data:`BRACED` or :data:`ANGLED`.

    Raises
    ------
    ResourceError : with the call and the slot.
    """
    for call in calls:
        for message in (*call.messages, *call.again((PLACEHOLDER,))):
            left = slot.search(message.content)
            if left:
                raise ResourceError(
                    f"{files}: what {call.role} is told in {call.round_label} still has {left[0]}, "
                    "which nothing fills; take it out."
                )
