"""Simulated debaters: speeches composed from a bilingual argument space, with a planted effect.

The generative model. A motion has an argument space: for each side seven points, each a label and
five clauses (claim, reason, example, answer, harm), written in both languages. A speech has the
sentences that the debate prompt asks for. Each sentence takes one clause of its kind and

* with probability p **recycles** a clause of that kind that the side has already used, its own
  speaker's first;
* otherwise **opens** one that nobody has used, staying with the point of the sentence before it
  where that is still free. When a kind is used up, it recycles.

With *l* the language, *m* the model, *t* the motion, *c* its domain, *d* the session's first
speech,

    logit p = logit(recycle[l]) + offset[m] + domain_offset[c] + topic_sd * z(t)
              + interaction_sd * z(t, l) + session_sd * z(d),

z standard normal numbers fixed by what is in the brackets. recycle[l] is the planted treatment
effect; topic_sd makes motions differ, interaction_sd makes the language effect differ between
motions, session_sd makes sessions differ. A violation of the format rules is put in at a set rate,
lower on a repair. A debater sees only the messages it is sent, like any other model: what has been
used, it reads from the debate history in the prompt.

A speech answers the one before it: the question that it ended with, else a whole clause of it,
which is quoted, else one of its points by name. A cross-examination ends with a question on a point
of the other side. Of the clauses that p leaves to choose from, an answer takes one on the point
that was asked about, if there is one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from dissensus.digests import code_digest, digest, file_digest
from dissensus.errors import ResourceError
from dissensus.llm.call import Message
from dissensus.llm.providers.behaviours import speech_of
from dissensus.setting_faults import Faults, fault
from dissensus.settings import Entries, Rate, Settings
from dissensus.user_files import read_csv

from .simulated_space import (
    Before,
    Clause,
    Space,
    asked_in,
    composed,
    found_in,
    frames_of,
    named_in,
    space_of,
)

Probability = Annotated[float, Field(gt=0, lt=1)]
Spread = Annotated[float, Field(ge=0)]

#: Which kind of clause each sentence takes; "close" is a question or a takeaway.
_PLAN = {
    5: ("claim", "ground", "answer", "harm", "close"),
    4: ("claim", "ground", "answer", "harm"),
}
#: What prompts call the languages whose frames have no ``name`` of their own.
_NAMES = {"en": "English", "zh": "Simplified Chinese"}


class SpeechSettings(Settings):
    """Settings of a simulated debater (``models.<name>.speech``); those of the default run
    are described in resources/simulated.
    """

    arguments: str
    motions: str
    """The motions' CSV, by which a debater knows which space a topic has."""
    recycle: Entries[Probability]
    offset: float = 0.0
    codes: list[str] = Field(default_factory=list)
    """CSVs of motion_id and code that give a motion its domain; a later file overrides others."""
    domain_offset: Entries[float] = Field(default_factory=dict)
    topic_sd: Spread = 0.0
    interaction_sd: Spread = 0.0
    session_sd: Spread = 0.0
    violation_rate: Rate = 0.0

    @model_validator(mode="after")
    def _files_exist(self) -> SpeechSettings:
        named = [("motions", self.motions), *(("codes", file) for file in self.codes)]
        lost = [
            fault(n, file, "there is no such file") for n, file in named if not Path(file).is_file()
        ]
        lost += [
            fault("arguments", self.arguments, f"it must be a folder with {file}")
            for file in ("frames.yaml", "generic.tsv")
            if not (Path(self.arguments) / file).is_file()
        ]
        if lost:
            raise Faults(*lost)
        return self

    @model_validator(mode="after")
    def _all_spoken(self) -> SpeechSettings:
        spoken = [*frames_of(self.arguments)]
        if set(self.recycle) != set(spoken):
            may = f"it must have {' and '.join(spoken)}, the languages that these debaters speak"
            raise Faults(fault("recycle", self.recycle, may))
        return self


def identity(settings: Mapping[str, Any]) -> str:
    """Digest of all that a debater's words depend on besides its settings: spaces, frames, code.

    Not the motions: the one that is debated is in the request, and no other matters.
    """
    speech = settings["speech"]
    return _resources_digest(speech["arguments"], tuple(speech.get("codes", [])))


@cache
def _resources_digest(folder: str, tables: tuple[str, ...]) -> str:
    spaces = [path for path in Path(folder).iterdir() if path.suffix in (".tsv", ".yaml")]
    files = {path.name: file_digest(path) for path in sorted(spaces)}
    return digest([files, [file_digest(Path(table)) for table in tables], code_digest(__name__)])


def spoken(arguments: str) -> dict[str, str]:
    """What prompts call a language -> its name in a folder of arguments, of those it is in."""
    frames = frames_of(arguments).items()
    return {each.get("name", _NAMES.get(code, code)): code for code, each in frames}


def check_prompt(content: str, arguments: str) -> None:
    """Refuse a debate prompt that simulated debaters cannot read, or whose language is not theirs.

    Raises
    ------
    ResourceError : with what it lacks.
    """
    _Prompt(content, spoken(arguments))


def speak(
    messages: Sequence[Message], settings: Mapping[str, Any], rng: np.random.Generator
) -> str:
    """Compose one speech.

    Parameters
    ----------
    messages : a debate prompt of the language study; the last message is what is answered.
    settings : the model's entry of the configuration, with ``speech``.
    rng : source of every random choice.
    """
    speech = speech_of(SpeechSettings, settings["speech"])
    prompt = _Prompt(messages[-1].content, spoken(speech.arguments))
    space = space_of(speech.arguments, speech.motions, prompt.topic, prompt.language)
    debater = _Debater(prompt, speech, space, rng)
    sentences = debater.sentences()
    rate = speech.violation_rate / (2 if prompt.is_repair else 1)
    frames = frames_of(speech.arguments)[prompt.language]
    if rng.random() < rate:
        return _violate(sentences, prompt.language, frames, rng)
    return join(sentences, prompt.language)


class _Prompt:
    """What a debater reads from the message it is sent."""

    def __init__(self, content: str, languages: Mapping[str, str]) -> None:
        topic = re.search(r'debate about\s+"(.*?)"\.\n', content, re.DOTALL)
        role = re.search(r"^Your role is: (.+)\.$", content, re.MULTILINE)
        asked = re.search(r"write in (\w[\w ]*) only", content)
        if not (topic and role and asked and asked[1] in languages):
            raise ResourceError(
                "The simulated debaters cannot read this debate prompt; it must name the topic, "
                "the role and the language as studies/language/prompts/en.yaml does, and they "
                f"speak {' and '.join(sorted(languages))} alone."
            )
        self.topic = topic[1]
        self.role = role[1]
        self.side = "pro" if self.role.startswith("Pro") else "con"
        self.language = languages[asked[1]]
        round_ = content.split("Current round:")[1].split("\n")[0]
        self.is_closing, self.asks = "Closing Statement" in round_, "Cross-examination" in round_
        self.is_repair = "Your last response violated the rules" in content
        entries = re.findall(
            r"^((?:Pro|Con) \w+ Speaker) \(Round.*?\): (.*)$", content, re.MULTILINE
        )
        self.history: list[tuple[str, str]] = entries
        self.previous = entries[-1][1] if entries else ""
        self.first_speech = entries[0][1] if entries else ""


class _Debater:
    """Composes one speech."""

    def __init__(
        self,
        prompt: _Prompt,
        speech: SpeechSettings,
        space: Space,
        rng: np.random.Generator,
    ) -> None:
        self.prompt, self.speech, self.rng = prompt, speech, rng
        self.space = space
        # Those of the other side among them do no harm: none of them is ever looked for.
        self.used: set[Clause] = set()
        self.own_clauses: set[Clause] = set()
        for who, text in prompt.history:
            if who.startswith(prompt.role[:3]):
                self.used.update(found_in(text, space))
            if who == prompt.role:
                self.own_clauses.update(found_in(text, space))
        self.point: int | None = None
        self.probability = self._recycling_probability()

    def _recycling_probability(self) -> float:
        s, prompt = self.speech, self.prompt
        base = s.recycle[prompt.language]
        motion_id = self.space.motion_id
        domain = _codes(tuple(s.codes)).get(motion_id, "")
        logit = (
            np.log(base / (1 - base))
            + s.offset
            + s.domain_offset.get(domain, 0.0)
            + s.topic_sd * _normal(motion_id)
            + s.interaction_sd * _normal(f"{motion_id}/{prompt.language}")
            + s.session_sd * (_normal(prompt.first_speech) if prompt.first_speech else 0.0)
        )
        return float(1 / (1 + np.exp(-logit)))

    def sentences(self) -> list[str]:
        plan = _PLAN[4 if self.prompt.is_closing else 5]
        return [self._sentence(kind) for kind in plan]

    def _sentence(self, kind: str) -> str:
        if kind == "ground":
            kind = ("reason", "example")[int(self.rng.random() < 0.4)]
        if kind == "close":
            kind = ("question", "takeaway")[int(self.rng.random() < 0.5 and not self.prompt.asks)]
        wanted = {"question": "harm", "takeaway": "claim"}.get(kind, kind)
        previous, side, space = self.prompt.previous, self.prompt.side, self.space
        clause = self._clause(wanted, asked_in(previous, space) if kind == "answer" else "")
        if kind == "question" and self.prompt.asks and named_in(previous, side, space):
            kind = "question_asked"
        return composed(
            frames_of(self.speech.arguments)[space.language],
            kind,
            clause,
            lambda count: int(self.rng.integers(count)),
            Before(previous, side, space),
        )

    def _clause(self, kind: str, asked: str) -> Clause:
        """Recycle a used clause of this kind, or open a new one; ``asked``: a point's label."""
        clauses = self.space.by_kind[self.prompt.side, kind]
        used = [c for c in clauses if c in self.used]
        fresh = [c for c in clauses if c not in self.used]
        if used and (not fresh or self.rng.random() < self.probability):
            pool = [c for c in used if c in self.own_clauses] or used
        else:
            pool = [c for c in fresh if c.point == self.point] or fresh
            fresh_on = [c for c in fresh if c.label == asked]
            pool = fresh_on or pool
        pool = [c for c in pool if c.label == asked] or pool
        clause = pool[int(self.rng.integers(len(pool)))]
        self.point = clause.point
        self.used.add(clause)
        return clause


@lru_cache(1024)
def _normal(text: str) -> float:
    """A standard normal number that a text fixes."""
    return float(np.random.default_rng(int(digest(text)[:16], 16)).standard_normal())


def join(sentences: Sequence[str], language: str) -> str:
    return ("" if language == "zh" else " ").join(sentences)


def _violate(
    sentences: list[str], language: str, frames: Mapping[str, Any], rng: np.random.Generator
) -> str:
    """The same speech with one format rule broken."""
    text = join(sentences, language)
    kind = int(rng.integers(6))
    if kind == 0:
        return text.replace(sentences[0], f"**{sentences[0]}**", 1)
    if kind == 1:
        return "\n".join(f"- {sentence}" for sentence in sentences)
    if kind == 2:
        return join(sentences[:-1], language)
    if kind == 3:
        mark = {"zh": "，", "en": ", and "}.get(language, " ")
        joined = mark.join(sentence.rstrip(".。?？؟") for sentence in sentences[1:])
        return join([sentences[0], joined + ("。" if language == "zh" else ".")], language)
    if kind == 4:
        greeting = frames["greeting"]
        return join([greeting, *sentences[1:]], language)
    return " ".join([frames["foreign"]] * len(sentences))


@cache
def _codes(files: tuple[str, ...]) -> dict[str, str]:
    needed = ("motion_id", "code")
    return {row["motion_id"]: row["code"] for file in files for _, row in read_csv(file, needed)}
