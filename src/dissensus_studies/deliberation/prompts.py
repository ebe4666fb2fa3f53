"""What debaters and judges are told: the wording of a session, filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.digests import digest
from dissensus.llm.call import Message
from dissensus.session.prompt_files import read_prompts
from dissensus.session.quoting import one_line, quoted, without_tokens
from dissensus.session.templates import render, sharing

from .controls.crit import Assessment, Scores, gamma
from .turns import ABSTAIN, ParsedTurn, claim_id
from .wording import JudgingWording, RoundWording


@dataclass(frozen=True)
class Topic:
    """What is deliberated, as all agents see it; the truth is none of it."""

    question: str
    options: tuple[str, ...]
    evidence: Mapping[str, str]
    """Id -> text."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Topic:
        """From a row of the artefact topics."""
        evidence = dict(zip(row["evidence_ids"], row["evidence"], strict=True))
        return cls(row["question"], tuple(row["options"]), evidence)


@dataclass(frozen=True)
class Note:
    """The moderator's note: what it speaks for, and the round from which it is in view."""

    option: str
    round: int

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Note | None:
        """The note that a row of the manifest has for arms with hints; None where it has none."""
        return None if row["hint"] == "none" else cls(row["hint_option"], row["hint_round"])


@dataclass(frozen=True)
class Spoken:
    """The turn of an agent that stands in a round; no turn where the agent abstained."""

    agent: str
    round: int
    turn: ParsedTurn | None


@dataclass(frozen=True)
class View:
    """What one round shows: all agents the same, but for who each of them is.

    Attributes
    ----------
    agents, rounds : of the debate.
    round : the one to be run.
    history : the turns of all rounds before, in their order; see :meth:`Wording.shown`.
    topology : whom an agent is to engage.
    beta : contentiousness, in [0, 1]; None where the prompt says nothing of it.
    note : the moderator's, None before its round and in debates without one.
    assessments : agent -> what a judge made of its last turn; empty where none is shown.
    may_abstain : whether agents are told that they may give no stance.
    """

    agents: tuple[str, ...]
    rounds: int
    round: int
    history: Sequence[str]
    topology: str
    beta: float | None
    note: Note | None
    assessments: Mapping[str, Assessment]
    may_abstain: bool = False


@dataclass(frozen=True)
class Wording:
    """The wording of debaters' and of judges' prompts, from ``studies/deliberation/prompts``."""

    debating: RoundWording
    judging: JudgingWording

    @classmethod
    def read(cls, debating: str | Path, judging: str | Path) -> Wording:
        """Read both prompt files.

        Raises
        ------
        ResourceError : one is no such file; by line and key.
        """
        return cls(read_prompts(RoundWording, debating), read_prompts(JudgingWording, judging))

    def sha256(self, judged: bool) -> str:
        """Digest of what a session is told; of the judges' prompts only where it has a judge."""
        return digest([self.debating.model_dump(), self.judging.model_dump() if judged else None])

    def round_prompt(self, topic: Topic, agent: str, view: View) -> Message:
        """The one message that an agent gets in a round.

        It begins like those of other agents and of later rounds, up to the end of each turn.
        """
        words = self.debating
        tones = words.tones
        asked = [words.reply, words.abstaining] if view.may_abstain else [words.reply]
        beta = view.beta
        # Equal steps; the highest includes its upper end.
        tone = "" if beta is None else tones[min(int(beta * len(tones)), len(tones) - 1)]
        reply = "\n\n".join(part.rstrip("\n") for part in asked)
        prompt = render(
            words.template,
            AGENT=agent,
            COUNT=str(len(view.agents)),
            AGENTS=", ".join(view.agents),
            ROUNDS=str(view.rounds),
            ROUND=str(view.round),
            TOPOLOGY=words.topologies[view.topology],
            REFERENCING=words.referencing,
            TONE=tone,
            TRANSCRIPT=self._transcript(view.history),
            HINT=self._note(view.note),
            ASSESSMENT=self._assessments(view.assessments),
            REPLY=reply,
            **self._about(topic),
        )
        return sharing(prompt, reply, *view.history)

    def judge_prompt(self, kind: str, topic: Topic, spoken: Spoken) -> str:
        """What a judge is asked about a turn; ``kind`` is crit or rca."""
        turn = self.shown(spoken)
        return render(self.judging[kind], AGENT=spoken.agent, TURN=turn, **self._about(topic))

    def retry_messages(
        self, prompt: Message, rejected: str, reason: str, attempt: int
    ) -> tuple[Message, ...]:
        """What an agent gets whose turn was rejected.

        Parameters
        ----------
        prompt, rejected : its round's prompt and its reply to that.
        reason : the judge's.
        attempt : the how-manieth retry this is, from 1; later ones are more structured.
        """
        form = render(self.judging.retries[attempt - 1], REASON=one_line(reason)).rstrip("\n")
        reply = Message("assistant", without_tokens(rejected))
        return (prompt, reply, Message("user", form))

    def shown(self, spoken: Spoken) -> str:
        """A turn as later prompts show it: all that it says, its claims under their full ids.

        Its reasoning is quoted line by line and all else is on one line, so that no agent can put
        words into another's mouth.
        """
        words, turn = self.debating, spoken.turn
        place = {"AGENT": spoken.agent, "ROUND": str(spoken.round)}
        if turn is None:
            return render(words.abstained, **place).rstrip("\n")
        unknown = words.unknown
        shares = [f"{one_line(to)} {share:.3f}" for to, share in turn.probabilities.items()]
        claims = [
            render(
                words.claim,
                ID=claim_id(spoken.agent, spoken.round, claim.id),
                TEXT=one_line(claim.text),
                EVIDENCE=", ".join(map(one_line, claim.evidence)) or words.none,
            )
            for claim in turn.claims
        ]
        engagements = [
            render(
                words.engagement,
                RELATION=engagement.relation,
                CLAIM=one_line(engagement.claim) or unknown,
                TARGET=one_line(engagement.agent) or unknown,
                QUOTE=one_line(engagement.quote),
            )
            for engagement in turn.engagements
        ]
        return render(
            words.turn,
            TEXT=quoted(turn.reasoning),
            STANCE=ABSTAIN if turn.abstains else one_line(turn.stance) or unknown,
            PROBABILITIES="; ".join(shares) or unknown,
            CONFIDENCE=unknown if turn.confidence is None else f"{turn.confidence:.2f}",
            CLAIMS="\n".join(claims) or words.none,
            ENGAGEMENTS="\n".join(engagements) or words.none,
            **place,
        ).rstrip("\n")

    def _about(self, topic: Topic) -> dict[str, str]:
        words = self.debating
        options = [render(words.option, OPTION=label) for label in topic.options]
        evidence = [
            render(words.evidence, ID=name, TEXT=text) for name, text in topic.evidence.items()
        ]
        return {
            "QUESTION": topic.question,
            "OPTIONS": "\n".join(options),
            "EVIDENCE": "\n".join(evidence) or words.none,
        }

    def _transcript(self, history: Sequence[str]) -> str:
        words = self.debating
        if not history:
            return words.nothing_yet
        return render(words.transcript, TURNS="\n\n".join(history)).rstrip("\n")

    def _note(self, note: Note | None) -> str:
        if note is None:
            return ""
        hint = render(self.debating.hint, ROUND=str(note.round), OPTION=note.option)
        return hint.rstrip("\n")

    def _assessments(self, assessments: Mapping[str, Assessment]) -> str:
        words = self.debating
        entries = []
        for agent, assessment in assessments.items():
            quality = gamma(assessment)
            if quality is not None:
                entry = render(
                    words.assessment_entry,
                    AGENT=agent,
                    CLAIM=one_line(assessment.claim),
                    QUALITY=f"{quality:.2f}",
                    REASONS=_scores(assessment.reasons) or words.none,
                    RIVALS=_scores(assessment.rivals) or words.none,
                )
                entries.append(entry)
        block = render(words.assessment, ENTRIES="\n".join(entries)).rstrip("\n")
        return block if entries else ""


def _scores(scores: Sequence[Scores]) -> str:
    return ", ".join(f"{validity:g}/{credibility:g}" for validity, credibility in scores)
