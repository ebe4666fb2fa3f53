"""What speakers do: prepare, speak, rise to a point of information and answer one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from dissensus.session.protocol import PLACEHOLDER, Call, Turn
from dissensus.session.quoting import block, one_line
from dissensus.session.replies import JsonReply
from dissensus.session.runner import CallFailed

from ..measures.debate import Offered
from ..prompts import Framework, Point, Spoken
from ..replies import Contest, Definitions, Extraction, Offers
from .asking import FreeText, Part, ask
from .floor import Debater, Floor
from .gates import Place, drawn, unprotected

#: Arguments that a speech is taken to have where calls are counted before a run.
_ARGUMENTS = 5
_EXTRACTION = json.dumps({"arguments": [{"point": PLACEHOLDER}] * _ARGUMENTS})
#: Each opponent rises wherever it may, so that as many points are drawn as can be.
_OFFERS = json.dumps(
    {"offers": [{"argument": n, "point": PLACEHOLDER} for n in unprotected(_ARGUMENTS)]}
)
_DEFINITIONS = json.dumps(
    {
        "terms": [{"term": PLACEHOLDER, "definition": PLACEHOLDER}],
        **{"scope": PLACEHOLDER, "exclusions": [PLACEHOLDER], "framing": PLACEHOLDER},
    }
)
_CONTEST = json.dumps(
    {"accepted": [PLACEHOLDER], "contested": [PLACEHOLDER], "counter_framing": PLACEHOLDER}
)


def prepare(floor: Floor) -> Part[None]:
    """Every speaker's private notes, all at once."""
    words, calls = floor.wording, []
    for debater in floor.debaters:
        others = (one_line(other.name) for other in floor.debaters if other is not debater)
        prompt = words.told(
            "prepare",
            **_about(floor, debater),
            OTHERS=", ".join(others),
            PASSAGES=words.passages(debater.passages),
            LENS=words.debating.lenses[debater.lens],
            DIRECTIVE=words.directive(debater.name, debater.memo),
        )
        # The same speaker is given the same passages in the other arm.
        shared = [words.passages(debater.passages)]
        calls.append(_text(floor, debater, "prepare", prompt, shared))
    for turn in (yield from floor.asking.step("preparation", calls)):
        floor.notes[turn.speaker] = turn.text


def speak(floor: Floor, number: int) -> Part[None]:
    """One speech with all that belongs to it; ``number`` counts from 1.

    Raises
    ------
    CallFailed : the speech is empty.
    """
    speaker, label = floor.debaters[number - 1], f"speech {number}"
    call = replace(
        _text(
            floor,
            speaker,
            "speech",
            _speech_prompt(floor, speaker, number),
            map(floor.wording.entry, floor.spoken),
        ),
        decoding=floor.rules.speech,
    )
    (turn,) = yield from floor.asking.step(label, [call])
    if not turn.text.strip():
        raise CallFailed(f"speech {number} is empty")
    arguments = yield from _extract(floor, label, turn)
    points = yield from _points(floor, number, turn.text, arguments)
    floor.spoken.append(Spoken(number, speaker.name, speaker.side, turn.text, tuple(points)))
    if floor.rules.definitions:
        yield from _define(floor, number, turn.text)


def _speech_prompt(floor: Floor, speaker: Debater, number: int) -> str:
    return floor.wording.told(
        "speech",
        **_about(floor, speaker),
        NUMBER=str(number),
        COUNT=str(len(floor.debaters)),
        NOTES=block(floor.notes[speaker.name]),
        FRAMEWORK=floor.defined,
        TRANSCRIPT=floor.wording.transcript(floor.spoken),
        WORDS=str(floor.rules.words),
    )


def _extract(floor: Floor, label: str, speech: Turn) -> Part[list[str]]:
    """The arguments of a speech; none where they could not be read."""
    prompt = floor.wording.told("extract", TEXT=block(speech.text))
    format = JsonReply(Extraction)
    name = f"extract:{speech.speaker}"
    call = _taken_down(floor, name, "extract", prompt, format, _EXTRACTION, speech.text)
    (turn,) = yield from floor.asking.step(label, [call])
    return [argument.point for argument in turn.value.arguments] if turn.value else []


def _points(floor: Floor, number: int, text: str, arguments: list[str]) -> Part[list[Point]]:
    """The points of information that a speaker takes, with the answers."""
    label, speaker = f"speech {number}", floor.debaters[number - 1]
    if not floor.rules.gate.most or not unprotected(len(arguments)):
        return []
    opponents = [debater for debater in floor.debaters if debater.side != speaker.side]
    calls = [_offer(floor, opponent, speaker, text, arguments) for opponent in opponents]
    turns = yield from floor.asking.step(label, calls)
    offers = [
        Offered(turn.speaker, made.argument, made.point)
        for turn in turns
        if turn.value
        for made in turn.value.offers
    ]
    place = Place(floor.draw_seed, number, len(floor.debaters))
    points = []
    for offer, is_accepted in drawn(offers, len(arguments), place, floor.rules.gate):
        if is_accepted:
            call = _answer(floor, speaker, offer, text)
            (turn,) = yield from floor.asking.step(label, [call])
            points.append(Point(offer.speaker, offer.argument, offer.text, turn.text))
    return points


def _offer(
    floor: Floor, listener: Debater, speaker: Debater, text: str, arguments: list[str]
) -> Call:
    """Whether an opponent rises, and where; asked about arguments outside protected time alone."""
    words = floor.wording
    prompt = words.told(
        "offer",
        **_about(floor, listener),
        OTHER=one_line(speaker.name),
        TEXT=block(text),
        ARGUMENTS=words.arguments(arguments, unprotected(len(arguments))),
    )
    call = _text(floor, listener, "offer", prompt, [block(text)])
    return replace(call, format=JsonReply(Offers), expected=_OFFERS, **_interjected(floor))


def _answer(floor: Floor, speaker: Debater, offer: Offered, text: str) -> Call:
    prompt = floor.wording.told(
        "answer",
        **_about(floor, speaker),
        OTHER=one_line(offer.speaker),
        ARGUMENT=str(offer.argument),
        TEXT=block(text),
        POINT=block(offer.text),
    )
    call = _text(floor, speaker, "answer", prompt, [block(text)])
    return replace(call, **_interjected(floor))


def _interjected(floor: Floor) -> dict[str, Any]:
    """How a call differs that is for a point of information: it may fail."""
    return {
        "model": floor.models.interjector,
        "purpose": "interject",
        "decoding": floor.rules.point,
        "required": False,
    }


def _define(floor: Floor, number: int, text: str) -> Part[None]:
    """The definitions after the first speech, and what the second made of them."""
    words, label = floor.wording, f"speech {number}"
    told = {"MOTION": one_line(floor.motion), "TEXT": block(text)}
    if number == 1:
        prompt, format = words.told("definitions", **told), JsonReply(Definitions)
        call = _taken_down(floor, "definitions", "definitions", prompt, format, _DEFINITIONS, text)
        (turn,) = yield from floor.asking.step(label, [call])
        floor.framework = Framework(turn.value)
    elif number == 2 and floor.framework.definitions:
        told["DEFINITIONS"] = words.definitions(floor.framework)
        prompt = words.told("contest", **told)
        format_of = JsonReply(Contest)
        call = _taken_down(floor, "contest", "contest", prompt, format_of, _CONTEST, text)
        (turn,) = yield from floor.asking.step(label, [call])
        floor.framework = replace(floor.framework, contest=turn.value)


def _about(floor: Floor, debater: Debater) -> dict[str, str]:
    """What every prompt of a speaker says of the speaker and the debate."""
    return {
        "PERSONA": floor.persona(debater),
        "MOTION": one_line(floor.motion),
        "SPEAKER": one_line(debater.name),
        "SIDE": debater.side,
    }


def _text(floor: Floor, debater: Debater, role: str, prompt: str, shared: Iterable[str]) -> Call:
    """A call for a text of a speaker; ``shared``: see :func:`ask`."""
    model, rules, repair = floor.models.speaker, floor.rules, floor.wording.debating.repair
    return ask(debater.name, role, model, prompt, FreeText(), repair, rules.notes, "debate", shared)


def _taken_down(
    floor: Floor,
    speaker: str,
    role: str,
    prompt: str,
    format: JsonReply[Any],
    expected: str,
    spoken: str,
) -> Call:
    """A call that takes down what was said; it may fail, and costs no speech."""
    return ask(
        speaker,
        role,
        floor.models.extractor,
        prompt,
        format,
        floor.wording.debating.repair,
        floor.rules.exact_short,
        "extract",
        [block(spoken)],
        required=False,
        expected=expected,
    )
