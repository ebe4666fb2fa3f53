"""The wording of a language condition: the prompt file, and the message of a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import field_validator

from dissensus.digests import digest
from dissensus.errors import ResourceError
from dissensus.report.labels import language_name
from dissensus.session.prompt_files import Part, Text, read_prompts, slots
from dissensus.session.protocol import Turn
from dissensus.session.quoting import block, heads_of, one_line
from dissensus.session.templates import fill, without
from dissensus.setting_faults import Complaint
from dissensus.user_files import YamlFile

from .settings import ROLES

#: The least turns of each role: reuse and same-speaker similarity compare two of its speeches.
_TURNS_OF_A_ROLE = 2
_BLOCKS = ("OPTIONAL_PREVIOUS_SPEAKER_BLOCK", "OPTIONAL_DEBATE_HISTORY_BLOCK")


class Roles(Part):
    P1: Text
    P2: Text
    O1: Text
    O2: Text


class Positions(Part):
    P: Text
    O: Text  # noqa: E741


class Strategies(Part):
    opening: Text
    rebuttal: Text
    closing: Text


class ScheduledTurn(Part):
    speaker: Literal["P1", "P2", "O1", "O2"]
    strategy: Literal["opening", "rebuttal", "closing"]
    round: Text


class Prompts(Part):
    """The wording of one language condition, read from ``studies/language/prompts``."""

    template: Annotated[
        str,
        slots(
            *("TOPIC", "LANGUAGE_INSTRUCTION", "ROLE", "POSITION_LINE", "STRATEGY_PROMPT"),
            *_BLOCKS,
            optional=["ROUND_INFO"],
        ),
    ]
    language_instruction: Annotated[str, slots(optional=["LANGUAGE"])]
    """Which language is asked for; {LANGUAGE} is the name of the condition's, such as Korean."""
    roles: Roles
    positions: Positions
    strategies: Strategies
    schedule: list[ScheduledTurn]
    """The turns in order."""
    repair: Annotated[str, slots("VIOLATION_REASON")]
    """What is added where a speech broke a rule."""
    previous_speaker: Annotated[str, slots("PREVIOUS_SPEECH")]
    history: Annotated[str, slots("HISTORY")]
    history_entry: Annotated[str, slots("SPEECH", optional=["ROLE", "ROUND_INFO"])]
    system: Annotated[str, slots(optional=["ROLE", "TOPIC"])]
    """The private system message, where one is sent."""

    @classmethod
    def read(cls, path: str | Path, language: str = "") -> Prompts:
        """Read a prompt file.

        Parameters
        ----------
        language : the name of its condition, such as "ko", for the slot {LANGUAGE}.

        Raises
        ------
        ResourceError : it is no such file, by line and key; or it has the slot, and nothing says
            what the language is called.
        """
        prompts = read_prompts(cls, path)
        asked, name = prompts.language_instruction, language_name(language)
        if "{LANGUAGE}" not in asked:
            return prompts
        if name == language:
            raise ResourceError(
                f"{path}: language_instruction has the slot {{LANGUAGE}}, and nothing says what "
                f"{language!r} is called; write the name in its place, in a file of your own."
            )
        filled = fill(asked, LANGUAGE=name)
        return prompts.model_copy(update={"language_instruction": filled})

    @field_validator("schedule")
    @classmethod
    def _every_role_speaks(cls, schedule: list[ScheduledTurn]) -> list[ScheduledTurn]:
        turns: Counter[str] = Counter(turn.speaker for turn in schedule)
        for role in ROLES:
            if turns[role] < _TURNS_OF_A_ROLE:
                raise Complaint(
                    f"has too few turns of {role} ({turns[role]}); give each of {', '.join(ROLES)} "
                    "two or more, since the speeches of one speaker are compared with each other"
                )
        return schedule

    @cached_property
    def sha256(self) -> str:
        return digest(self.model_dump())

    @cached_property
    def _heads(self) -> tuple[str, ...]:
        """How the prompt's own lines begin."""
        entries = (self.history_entry.replace("{ROLE}", role) for _, role in self.roles)
        return heads_of(self.template, self.previous_speaker, self.history, *entries)

    def turn(self, topic: str, turn: ScheduledTurn, transcript: Sequence[Turn]) -> str:
        """The one user message of a turn (appendix D.1), its optional blocks filled or left out."""
        previous = history = ""
        whole = self.template
        if not transcript:
            whole = without(whole, _BLOCKS)
        else:
            # Speeches are one paragraph; of one that is not, no line may pass for another's.
            speeches = [_shown(spoken.text, self._heads) for spoken in transcript]
            previous = fill(self.previous_speaker, PREVIOUS_SPEECH=speeches[-1])
            entries = [
                fill(self.history_entry, ROLE=t.role, ROUND_INFO=t.round_label, SPEECH=speech)
                for t, speech in zip(transcript, speeches, strict=True)
            ]
            history = fill(self.history, HISTORY="\n".join(entries))
        filled = fill(
            whole,
            TOPIC=topic,
            LANGUAGE_INSTRUCTION=self.language_instruction,
            ROLE=self.roles[turn.speaker],
            ROUND_INFO=turn.round,
            POSITION_LINE=self.positions[turn.speaker[0]],
            OPTIONAL_PREVIOUS_SPEAKER_BLOCK=previous,
            OPTIONAL_DEBATE_HISTORY_BLOCK=history,
            STRATEGY_PROMPT=self.strategies[turn.strategy],
        )
        return filled.rstrip("\n")


@lru_cache(4096)
def _shown(speech: str, heads: tuple[str, ...]) -> str:
    """A speech as it stands in a prompt; each is shown to all that speak after it."""
    return block(one_line(speech), heads)


def refuse_other_schedule(path: str, prompts: Prompts, than: str, reference: Prompts) -> None:
    """Refuse a language whose debates differ from the reference's in more than their language.

    Parameters
    ----------
    path, prompts : the language's prompt file.
    than, reference : the reference's.

    Raises
    ------
    ResourceError : its turns have other speakers or strategies.
    """
    here, there = ([(t.speaker, t.strategy) for t in p.schedule] for p in (prompts, reference))
    same = "languages are compared by nothing but the language, so give both one schedule"
    if len(here) != len(there):
        place = YamlFile.read(path).place("schedule ")
        raise ResourceError(
            f"{place}: schedule has {len(here)} turns and that of {than} {len(there)}; {same}."
        )
    for index, (turn, other) in enumerate(zip(here, there, strict=True)):
        if turn != other:
            where = f"schedule.{index}"
            raise ResourceError(
                f"{YamlFile.read(path).place(f'{where} ')}: {where} is {turn[0]}, {turn[1]}, and "
                f"that of {than} {other[0]}, {other[1]}; {same}."
            )
