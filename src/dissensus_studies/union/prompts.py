"""What speakers, judges and coaches are told: the wording of a session, filled in.

Whatever a model or a document said stands in a prompt as :mod:`dissensus.session.quoting` lets it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dissensus.digests import digest
from dissensus.session.prompt_files import read_prompts
from dissensus.session.quoting import block, one_line
from dissensus.session.templates import fill, render

from .replies import Contest, Definitions, Memo, Style
from .wording import DebateWording, JudgingWording


@dataclass(frozen=True)
class Point:
    """A point of information that was accepted; ``argument`` counts from 1."""

    speaker: str
    argument: int
    text: str
    answer: str


@dataclass(frozen=True)
class Spoken:
    """A speech as later prompts show it, with the points of information that it accepted."""

    number: int
    speaker: str
    side: str
    text: str
    points: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Framework:
    """What the debate has settled of the motion's meaning; see :mod:`.replies`."""

    definitions: Definitions | None = None
    contest: Contest | None = None


@dataclass(frozen=True)
class Wording:
    """The wording of all prompts, from ``studies/union/prompts``."""

    debating: DebateWording
    judging: JudgingWording

    @classmethod
    def read(cls, debating: str | Path, judging: str | Path) -> Wording:
        """Read both prompt files.

        Raises
        ------
        ResourceError : one is no such file; by line and key.
        """
        return cls(read_prompts(DebateWording, debating), read_prompts(JudgingWording, judging))

    def sha256(self, debating: Iterable[str], judging: Iterable[str] = ()) -> str:
        """Digest of some parts of both files, by their names."""
        return digest(
            [
                self.debating.model_dump(include=set(debating)),
                self.judging.model_dump(include=set(judging)),
            ]
        )

    def style(self, style: Style) -> str:
        """How a speaker speaks, as every prompt of that speaker has it."""
        return fill(
            self.debating.style_entry,
            REGISTER=one_line(style.manner),
            OPENINGS=self.listed(style.opening_patterns),
            DEVICES=self.listed(style.devices),
            DISAGREEMENT=one_line(style.disagreement_style),
            PHRASES=self.listed(style.signature_phrases),
            CLOSINGS=self.listed(style.closing_patterns),
        )

    def persona(self, speaker: str, style: Style) -> str:
        return fill(self.debating.persona, SPEAKER=one_line(speaker), STYLE=self.style(style))

    def passages(self, texts: Sequence[str]) -> str:
        """Passages of a speaker's own work, numbered from 1."""
        entries = [
            fill(self.debating.passage, NUMBER=str(number), TEXT=block(text))
            for number, text in enumerate(texts, start=1)
        ]
        return "\n\n".join(entries) or self.debating.none

    def directive(self, speaker: str, memo: Memo | None) -> str:
        """What a coach advised a speaker; nothing where there is no memo."""
        if memo is None:
            return ""
        words = self.debating
        entry = fill(
            words.memo_entry,
            WORKED=self.listed(memo.worked),
            FAILED=self.listed(memo.failed),
            MISSED=self.listed(memo.missed),
            ADVICE=self.listed(memo.advice),
        )
        return fill(words.directive, SPEAKER=one_line(speaker), MEMO=entry)

    def transcript(self, spoken: Sequence[Spoken]) -> str:
        """All that has been said, with accepted points of information and their answers."""
        return "\n\n".join(map(self.entry, spoken)) or self.debating.nothing_yet

    def entry(self, speech: Spoken) -> str:
        """One speech in a transcript."""
        words, speaker, number = self.debating, one_line(speech.speaker), str(speech.number)
        place = {"NUMBER": number, "SPEAKER": speaker, "SIDE": speech.side}
        points = (
            fill(
                words.point_entry,
                SPEAKER=one_line(point.speaker),
                NUMBER=number,
                ARGUMENT=str(point.argument),
                TEXT=block(point.text),
                ANSWERER=speaker,
                ANSWER=block(point.answer) or words.none,
            )
            for point in speech.points
        )
        speech_text = fill(words.speech_entry, TEXT=block(speech.text), **place)
        return "\n\n".join((speech_text, *points))

    def definitions(self, framework: Framework) -> str:
        """The definitions, and what the other side made of them; nothing where there are none."""
        words, defined, contest = self.debating, framework.definitions, framework.contest
        if defined is None:
            return ""
        terms = [f"{one_line(term.term)}: {one_line(term.definition)}" for term in defined.terms]
        entries = [
            fill(
                words.definitions_entry,
                TERMS=self.listed(terms),
                SCOPE=one_line(defined.scope),
                EXCLUSIONS=self.listed(defined.exclusions),
                FRAMING=one_line(defined.framing),
            )
        ]
        if contest is not None:
            entries.append(
                fill(
                    words.contest_entry,
                    ACCEPTED=self.listed(contest.accepted),
                    CONTESTED=self.listed(contest.contested),
                    COUNTER=one_line(contest.counter_framing) or words.none,
                )
            )
        return "\n".join(entries)

    def framework(self, definitions: str) -> str:
        """The definitions as later speakers and judges are given them; nothing without any.

        Parameters
        ----------
        definitions : see :meth:`definitions`.
        """
        return definitions and fill(self.debating.framework, DEFINITIONS=definitions)

    def arguments(self, points: Sequence[str], numbers: Iterable[int]) -> str:
        """Some arguments of a speech by their numbers, which count from 1."""
        return "\n".join(
            fill(self.debating.argument, NUMBER=str(number), POINT=one_line(points[number - 1]))
            for number in numbers
        )

    def told(self, name: str, **fields: str) -> str:
        """A prompt of the debate by its name; an empty field leaves no gap."""
        return render(self.debating[name], **fields)

    def judged(self, name: str, **fields: str) -> str:
        """A prompt of a judge or an annotator by its name; an empty field leaves no gap."""
        return render(self.judging[name], **fields)

    def cluster(self, motion: str, claims: Sequence[str]) -> str:
        """The prompt for the name of a cluster of claims."""
        listed = "\n".join(block(one_line(claim)) for claim in claims)
        return fill(self.judging.name_cluster, MOTION=one_line(motion), CLAIMS=listed)

    def listed(self, texts: Sequence[str]) -> str:
        """Texts one after the other on one line."""
        return "; ".join(filter(None, map(one_line, texts))) or self.debating.none
