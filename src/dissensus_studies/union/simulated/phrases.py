"""What simulated speakers say around the sentences of their corpora: ``phrases.yaml``, checked."""

from __future__ import annotations

from string import Formatter
from typing import Annotated

from pydantic import AfterValidator, Field

from dissensus.data_files import beside, read_data
from dissensus.settings import Settings


def _slots(*slots: str) -> AfterValidator:
    """What may be filled in a phrase, or in each of several: names in braces."""

    def check(given: str | list[str]) -> str | list[str]:
        for phrase in [given] if isinstance(given, str) else given:
            unknown = {name for _, name, *_ in Formatter().parse(phrase) if name} - {*slots}
            if unknown:
                raise ValueError(f"{phrase!r} has a slot that nothing fills, {min(unknown)}")
        return given

    return AfterValidator(check)


#: Ways to say one thing, by what may be filled in them.
_Ways = Annotated[list[str], Field(min_length=1)]
_Plain = Annotated[_Ways, _slots()]
_OfTerm = Annotated[_Ways, _slots("term")]
_Framing = Annotated[_Ways, _slots("motion", "term", "other")]


class Sides(Settings):
    """Ways to say a thing, by the side of who speaks."""

    noun = "side"

    proposition: _Framing
    opposition: _Framing


class Question(Settings):
    """A kind of question, in several ways, and what answers it."""

    asked: _OfTerm
    answered: _OfTerm


class Phrases(Settings):
    """The lists of ``phrases.yaml``, which says there what each is for."""

    noun = "list"

    leads: dict[str, _OfTerm]
    guards: _Plain
    replies: _Plain
    ordinals: Annotated[list[_Plain], Field(min_length=3, max_length=3)]
    addresses: Annotated[_Ways, _slots("name", "quote")]
    logic: _Plain
    new: _Plain
    fallen: Annotated[_Ways, _slots("name", "term")]
    bridges: Annotated[_Ways, _slots("name", "term", "other")]
    openings: Sides
    closings: Sides
    definition: Annotated[str, _slots("motion", "definition", "scope", "term", "exclusion")]
    definitions: _Plain
    scopes: _Plain
    exclusions: _Plain
    contested: Annotated[_Ways, _slots("exclusion")]
    accepted: Annotated[_Ways, _slots("scope")]
    questions: dict[str, Question]
    points: Annotated[_Ways, _slots("quote", "question")]
    answer_ends: Annotated[_Ways, _slots("name", "quote")]


PHRASES = read_data(Phrases, beside(__file__, "../phrases.yaml"))
