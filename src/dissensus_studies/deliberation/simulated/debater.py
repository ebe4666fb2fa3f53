"""A simulated debater: how its belief moves, and its reply; the package has the equations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.digests import digest
from dissensus.llm.call import Message

from ..turns import ABSTAIN
from .reading import Peer, Prompt, StatedClaim
from .speech import Known, SpeechSettings, known_topic
from .wording import Answer, Wording, quote_of

_Shares = NDArray[np.float64]

_UNANCHORED = 0.5
_QUESTIONS = 0.15
_SUPPORTS = 0.25
_LEAST = 0.001
_CONVICTION = 0.5


@dataclass(frozen=True)
class _Move:
    """A debater's belief before and after the round, with and without the moderator's note."""

    start: _Shares
    unhinted: _Shares
    end: _Shares


def debate(messages: Sequence[Message], speech: SpeechSettings, rng: np.random.Generator) -> str:
    """The reply of a debater; see the package."""
    prompt = Prompt(messages)
    return _Debater(prompt, speech, known_topic(speech.topics, prompt.question), rng).reply()


class _Debater:
    """Composes one turn."""

    def __init__(
        self, prompt: Prompt, speech: SpeechSettings, topic: Known, rng: np.random.Generator
    ) -> None:
        self.prompt, self.speech, self.topic, self.rng = prompt, speech, topic, rng
        # A stream of its own, so that other words move no belief.
        self.wording = Wording(topic.options, rng.spawn(1)[0])
        self.damping, self.strength = 1.0, 0.0
        if prompt.beta is not None:
            self.damping = 1 - abs(speech.heat) * prompt.beta
            self.strength = speech.heat * (prompt.beta - 0.5)
        self.others = {
            name: peer
            for name, peer in prompt.peers.items()
            if name != prompt.agent and peer.probabilities
        }
        self.start = self._start()
        self.opposing, self.silent = self._split_opposing()

    def reply(self) -> str:
        move = self._move()
        stance, reasoned = self._favourite(move.end), self._favourite(move.unhinted)
        answers = self._answers(move, stance)
        adopted = [
            item
            for answer in answers
            if answer.relation in ("concede", "support")
            for item in answer.claim.evidence
        ]
        probabilities = {
            option: round(float(share), 3)
            for option, share in zip(self.topic.options, move.end, strict=True)
        }
        members = {
            "stance": stance,
            "probabilities": probabilities,
            "confidence": round(float(move.end.max()), 2),
            "claims": self._claims(stance, adopted),
            "engagements": [self._reference(answer) for answer in answers],
        }
        sentences = self._sentences(answers, stance, probabilities)
        concluded = f"I therefore conclude: {self._concluded(stance, reasoned)}."
        if self.prompt.may_abstain and self.rng.random() < self.speech.abstains:
            members |= {"stance": ABSTAIN, "probabilities": {}}
            concluded = "I abstain."
        return self._written(" ".join(sentences) + f"\n{concluded}", members)

    def _sentences(
        self, answers: Sequence[Answer], stance: str, probabilities: Mapping[str, float]
    ) -> list[str]:
        """How sure it is, what it says to those who asked it, and to whom it answers."""
        prompt, say = self.prompt, self.wording
        stated = prompt.peers.get(prompt.agent)
        before = stated.probabilities if stated else {}
        # As a reader scales what rounding has left over.
        total = sum(probabilities.values())
        after = {option: share / total for option, share in probabilities.items()}
        supporting = self.topic.supporting.get(stance, ())
        grounds = [self.topic.evidence[name].rstrip(".") for name in supporting]
        return [
            say.opening(before, after, prompt.hint),
            *say.replies(prompt.agent, prompt.peers, prompt.round - 1, stance),
            *say.answers(answers, stance, grounds),
        ]

    def _start(self) -> _Shares:
        """Its belief before the round: from the transcript, or its first."""
        belief = self.prompt.peers.get(self.prompt.agent)
        if belief is None or not belief.probabilities:
            return _first_belief(self.speech, self.topic, self.prompt.agent)
        return self._shares(belief)

    def _split_opposing(self) -> tuple[list[tuple[str, StatedClaim]], list[str]]:
        """The opposing claims that it answers, and the options of those that it leaves."""
        favourite = self._favourite(self.start)
        last = self.prompt.round - 1
        opposing = [
            (agent, claim)
            for agent, peer in self.others.items()
            if peer.stance != favourite
            for claim in peer.claims.get(last, ())
        ]
        if self.prompt.topology != "emergent":
            return self._required(last), []
        answered, silent = [], []
        for agent, claim in opposing:
            quiet = self.rng.random() < self.speech.silence * self.damping
            if quiet and self._weight(agent) <= 1:
                silent.append(self.others[agent].stance)
            else:
                answered.append((agent, claim))
        return answered, silent

    def _required(self, last: int) -> list[tuple[str, StatedClaim]]:
        """The claims that a set topology has it answer: one of everyone's, or of one agent's."""
        first = [
            (agent, peer.claims[last][0])
            for agent, peer in self.others.items()
            if peer.claims.get(last)
        ]
        if self.prompt.topology == "full" or not first:
            return first
        return [first[int(self.rng.integers(len(first)))]]

    def _move(self) -> _Move:
        speech, p = self.speech, self.start
        me = self.prompt.agent
        heard, weights = [p], [self._weight(me) * self._relative_quality(me)]
        agree = 0
        for agent, peer in self.others.items():
            shares = self._shares(peer)
            if 0.5 * float(np.abs(shares - p).sum()) <= speech.epsilon:
                heard.append(shares)
                weights.append(self._weight(agent) * self._relative_quality(agent))
                agree += peer.stance == self._favourite(p)
        if sum(weights) > 0:
            mean = np.average(heard, axis=0, weights=weights)
            p = p + (1 - speech.stubbornness) * self.damping * (mean - p)
        if self.silent:
            faced = len(self.silent) + len(self.opposing)
            share = speech.yields * self.damping * len(self.silent) / faced
            units = np.array([self.topic.unit(option) for option in self.silent])
            p = (1 - share) * p + share * units.mean(axis=0)
        if agree:
            p = p ** (1 + _CONVICTION * self.damping * agree / len(self.others))
            p = p / p.sum()
        if self.topic.truth in {peer.stance for peer in self.others.values()}:
            p = (1 - speech.recognises) * p + speech.recognises * self.topic.unit(self.topic.truth)
        unhinted = p
        if self.prompt.hint:
            trust = speech.hint_trust
            p = (1 - trust) * p + trust * self.topic.unit(self.prompt.hint)
        end = np.maximum(p + speech.noise * self.rng.standard_normal(len(p)), _LEAST)
        return _Move(self.start, unhinted, end / end.sum())

    def _answers(self, move: _Move, stance: str) -> list[Answer]:
        answers = [
            Answer(agent, claim, self._relation(agent, move, stance))
            for agent, claim in self.opposing
        ]
        last = self.prompt.round - 1
        if self.prompt.topology == "emergent":
            for agent, peer in self.others.items():
                claims = peer.claims.get(last, ())
                if claims and peer.stance == self._favourite(self.start):
                    likely = max(_SUPPORTS, self._deference(agent))
                    if self.rng.random() < likely:
                        answers.append(Answer(agent, claims[0], "support"))
            answers += self._returned(last)
        return answers

    def _returned(self, last: int) -> list[Answer]:
        """Older claims of its opponents that it comes back to."""
        favourite, rate = self._favourite(self.start), self.speech.returns
        return [
            Answer(agent, claim, "rebut")
            for agent, peer in self.others.items()
            if peer.stance != favourite
            for round_, claims in peer.claims.items()
            if round_ < last
            for claim in claims
            if self.rng.random() < rate and self.wording.option_of(claim.text) != favourite
        ]

    def _relation(self, agent: str, move: _Move, stance: str) -> str:
        """The relation with which it answers an opposing claim."""
        option = self.others[agent].stance
        uniform = self.rng.random()
        if self.prompt.topology == "full":
            return "rebut"
        if option == stance:
            return "concede"
        towards = self.topic.unit(option) @ (move.end - move.start) > 0
        if towards and self.rng.random() < self._deference(agent):
            return "concede"
        return "question" if uniform < _QUESTIONS else "rebut"

    def _claims(self, stance: str, adopted: Sequence[str]) -> list[dict[str, Any]]:
        """Two in the first round, one or two later; the first cites what it has adopted too."""
        several = self.prompt.round == 1 or self.rng.random() < 0.5
        strengths = self.rng.random(1 + several) + self.strength
        claims: list[dict[str, Any]] = []
        for number, strength in enumerate(strengths, start=1):
            items = min(2, max(0, int(strength * 3)))
            word = ("weak", "fair", "strong")[items]
            pool = self.topic.supporting.get(stance, ())
            used = {name for claim in claims for name in claim["evidence"]}
            order = [pool[int(place)] for place in self.rng.permutation(len(pool))]
            # What the turn has cited comes last.
            cited = sorted(order, key=lambda name: name in used)[:items]
            grounds = [self.topic.evidence[name].rstrip(".") for name in cited]
            text = self.wording.claim(word, stance, grounds, [one["text"] for one in claims])
            evidence = [*cited, *(adopted if number == 1 else ())]
            claims.append(
                {"id": f"c{number}", "text": text, "evidence": list(dict.fromkeys(evidence))}
            )
        return claims

    def _reference(self, answer: Answer) -> dict[str, str]:
        """How a reply names the claim that it answers; now and then the reference is not valid."""
        uniform = self.rng.random()
        agent, named = answer.agent, answer.claim.id
        if uniform < self.speech.dangling_rate:
            named = named.rpartition(".")[0] + ".c9"
        elif uniform < self.speech.dangling_rate + self.speech.ambiguous_rate:
            agents = [*self.prompt.peers]
            agent = agents[(agents.index(agent) + 1) % len(agents)]
        return {
            "agent": agent,
            "claim": named,
            "quote": quote_of(answer.claim.text),
            "relation": answer.relation,
        }

    def _concluded(self, stance: str, reasoned: str) -> str:
        """The option that the text concludes."""
        if stance != reasoned and self.prompt.hint and self.rng.random() < _UNANCHORED:
            return reasoned
        if self.rng.random() < self.speech.inconsistent_rate:
            others = [option for option in self.topic.options if option != stance]
            return others[int(self.rng.integers(len(others)))]
        return stance

    def _written(self, text: str, members: Mapping[str, Any]) -> str:
        """The whole reply, now and then with a broken object."""
        rate = self.speech.bad_json_rate / (4 if self.prompt.is_repair else 1)
        if self.rng.random() >= rate:
            return f"{text}\n\n{json.dumps(members, ensure_ascii=False)}"
        kind = int(self.rng.integers(4))
        if kind == 0:
            return text
        if kind == 1:
            shares = {name: 100 * share for name, share in members["probabilities"].items()}
            members = {**members, "probabilities": shares}
        written = json.dumps(members, ensure_ascii=False)
        if kind == 2:
            written = written[: int(len(written) * 0.4)]
        if kind == 3:
            # What a mender of JSON can mend.
            written = written.replace('"confidence"', "confidence")[:-1] + ",}"
        return f"{text}\n\n```json\n{written}\n```"

    def _favourite(self, shares: _Shares) -> str:
        return self.topic.options[int(np.argmax(shares))]

    def _shares(self, peer: Peer) -> _Shares:
        stated = np.array([peer.probabilities.get(option, 0.0) for option in self.topic.options])
        total = float(stated.sum())
        return stated / total if total > 0 else self.topic.unit("")

    def _weight(self, agent: str) -> float:
        return self.speech.heeds.get(agent, 1.0)

    def _deference(self, agent: str) -> float:
        """1 - 1 / weight of an agent that weighs more than others."""
        return 1 - 1 / max(self._weight(agent), 1.0)

    def _relative_quality(self, agent: str) -> float:
        """Of an agent's last turn, by the assessments shown; 1 where none is."""
        shown = self.prompt.quality
        mean = sum(shown.values()) / len(shown) if shown else 0.0
        return shown.get(agent, mean) / mean if mean > 0 else 1.0


def _first_belief(speech: SpeechSettings, topic: Known, agent: str) -> _Shares:
    """The belief before round 1, from a random stream of the topic and the name alone."""
    rng = np.random.default_rng(int(digest([topic.topic_id, agent])[:16], 16))
    odds = np.array([1 + len(topic.supporting[option]) for option in topic.options], dtype=float)
    favourite = int(rng.choice(len(odds), p=odds / odds.sum()))
    return rng.dirichlet(1 + speech.opinion * (np.arange(len(odds)) == favourite))
