"""The kinds of session of the consensus study: debates, what is learned from them, and checks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from dissensus.digests import digest
from dissensus.session.inputs import Inputs, PlaceholderInputs
from dissensus.session.prompt_files import check_filled, read_prompts
from dissensus.session.protocol import PLACEHOLDER, Call, Steps, assumed_calls, round_label
from dissensus.study.kind import Kind, Needs, Row, Spec

from .design import DEBATE, REFLECTION, SANITY, TRAINING
from .domains import Domain, read_domain
from .learning.block import SHOWN
from .learning.expected import ExpectedLessons
from .learning.tables import FEWSHOT_FILE, PROFILES_FILE
from .learning.wording import LearningWords
from .protocol import (
    DebateProtocol,
    DebateSpec,
    Lesson,
    Persona,
    Reflection,
    Sanity,
)
from .sanity.questions import OPEN, Question, read_questions
from .sanity.wording import SanityWords
from .settings import ConsensusSettings
from .wording import EXTRAS, LEARNED, SIDES, STRATEGIES, VOTER, Words

#: Strategies that ask the model of those who have no vote.
ASKED = (*EXTRAS, *SIDES)
_PERSONA = Persona(PLACEHOLDER, ((PLACEHOLDER, PLACEHOLDER),))


@dataclass(frozen=True)
class Files:
    """What sessions are told that stands in files, each read once."""

    settings: ConsensusSettings

    @cached_property
    def words(self) -> Words:
        return read_prompts(Words, self.settings.prompts)

    @cached_property
    def learning(self) -> LearningWords:
        return read_prompts(LearningWords, self.settings.learning.prompts)

    @cached_property
    def domains(self) -> Mapping[str, Domain]:
        return {name: read_domain(folder) for name, folder in self.settings.domains.items()}

    def personas(self, domain: str) -> dict[str, Persona]:
        """Name -> agent of a domain."""
        return {
            agent.id: Persona(
                agent.system, tuple((pair.question, pair.answer) for pair in agent.interview)
            )
            for agent in self.domains[domain].agents
        }

    def questions(self, domain: str) -> tuple[Question, ...]:
        """What a domain's agents are asked, where they are checked."""
        if not self.settings.checks:
            return ()
        return read_questions(self.settings.domains[domain], tuple(self.domains[domain].names))

    def lessons(self, max_tokens: int | None = None, every_ending: bool = False) -> ExpectedLessons:
        """The examples, before there are any; see :class:`ExpectedLessons`."""
        settings = self.settings
        return ExpectedLessons(
            settings.protocol.max_tokens,
            words=self.learning,
            rounds=settings.rounds,
            characters=settings.learning.characters,
            max_tokens=max_tokens,
            every_ending=every_ending,
        )


@dataclass(frozen=True)
class _Told(Kind[ConsensusSettings, Spec]):
    """What all kinds share; ``files``: what they are told."""

    files: Files

    def counted_as(self, row: Row) -> str:
        """What is no debate that is compared counts apart from all arms."""
        return self.name

    def alike(self, row: Row) -> Hashable:
        """Who is shown first changes no count."""
        return row["statement_id"], row["arm"]


@dataclass(frozen=True)
class ComparedDebate(_Told[DebateSpec]):
    """A debate that is compared with others, in an arm that learns nothing."""

    name, part = DEBATE, 2

    def counted_as(self, row: Row) -> str:
        return ""

    def spec(self, row: Row, item: Row) -> DebateSpec:
        """Of the statement, what the public prefers only where a nudger is told it."""
        settings, strategy = self.settings, row["strategy"]
        domain, personas = self.files.domains[row["domain"]], self.files.personas(row["domain"])
        extra, told, side = strategy in EXTRAS, strategy == "nudger", strategy in SIDES
        return DebateSpec(
            strategy=strategy,
            statement=item["statement"],
            agents={name: personas[name] for name in row["order"]},
            where=domain.where if extra else "",
            place=domain.place if extra else "",
            names=", ".join(domain.names) if extra else "",
            truth=item["truth"] if told else "",
            secret=tuple(range(item["truth_low"], item["truth_high"] + 1)) if told else (),
            rounds=row["rounds"],
            side_rounds=settings.side_rounds if side else 0,
            experts=settings.experts if side else 0,
            model=self._model(row),
            extra_model=settings.extra_model if strategy in ASKED else "",
            temperature=settings.temperature_of(self._arm(row)),
            lesson=self._lesson(row),
            words_sha256=digest(
                [self.files.words.used_by(strategy), self._learning_words(strategy)]
            ),
        )

    def _arm(self, row: Row) -> str:
        """The arm whose model and temperature count; "" for the study's own."""
        return str(row["arm"])

    def _model(self, row: Row) -> str:
        return self.settings.model_of(self._arm(row))

    def _lesson(self, row: Row) -> Lesson | None:
        return None

    def _learning_words(self, strategy: str) -> object:
        """The words of what is learned; nothing where nothing is."""
        return None

    def cast(self, row: Row) -> list[str]:
        return [self._model(row), *[self.settings.extra_model] * (row["strategy"] in ASKED)]

    def alike(self, row: Row) -> Hashable:
        """Arms of one strategy ask the same."""
        return row["strategy"], row["statement_id"], self._model(row)

    def embedded(self, call: Call) -> int:
        ends = (round_label(1), round_label(self.settings.rounds))
        return int(call.role == VOTER and call.round_label in ends)

    def steps(self, spec: DebateSpec, inputs: Inputs) -> Callable[[], Steps]:
        files, decoding = self.files, replace(self.decoding, temperature=spec.temperature)
        learning = files.learning if spec.lesson else None
        return DebateProtocol(files.words, spec, decoding, learning, inputs).start()

    def compile_prompts(self) -> None:
        """Two rounds of every strategy, in which nobody agrees and everything is said."""
        files = f"{self.settings.prompts}, {self.settings.learning.prompts}"
        for strategy in self._compiled():
            spec = DebateSpec(
                strategy=strategy,
                statement=PLACEHOLDER,
                agents=dict.fromkeys("abc", _PERSONA),
                where=PLACEHOLDER,
                place=PLACEHOLDER,
                names=PLACEHOLDER,
                truth=PLACEHOLDER,
                secret=(),
                rounds=3,
                side_rounds=2,
                experts=2,
                model=PLACEHOLDER,
                extra_model=PLACEHOLDER,
                temperature=self.decoding.temperature,
                lesson=Lesson(strategy, PLACEHOLDER, 1) if strategy in SHOWN else None,
            )
            steps = self.steps(spec, self.files.lessons(every_ending=True))
            check_filled(assumed_calls(steps()), files)

    def _compiled(self) -> Iterator[str]:
        """The strategies whose prompts are rendered."""
        return (strategy for strategy in STRATEGIES if strategy not in LEARNED)


@dataclass(frozen=True)
class LearnedDebate(ComparedDebate):
    """A debate that is compared, of agents who read examples of earlier ones."""

    part = 3

    def holds(self, row: Row) -> bool:
        return super().holds(row) and row["strategy"] in LEARNED

    def needs(self, row: Row) -> Needs:
        return Needs(artefacts=(FEWSHOT_FILE,))

    def _lesson(self, row: Row) -> Lesson | None:
        source = self.settings.source_of(row["strategy"], row["domain"])
        return Lesson(row["strategy"], source, self.settings.learning.examples)

    def _learning_words(self, strategy: str) -> object:
        return self.files.learning.model_dump()

    def _compiled(self) -> Iterator[str]:
        return (strategy for strategy in STRATEGIES if strategy in LEARNED)


@dataclass(frozen=True)
class TrainingDebate(ComparedDebate):
    """A debate that others learn from, in an arm of the learning."""

    name, part = TRAINING, 0

    def counted_as(self, row: Row) -> str:
        return self.name

    def _arm(self, row: Row) -> str:
        return ""

    def _compiled(self) -> Iterator[str]:
        """None that compared debates do not have."""
        return iter(())


@dataclass(frozen=True)
class ReflectionSpec:
    """On how many examples of a domain one model looks back, in which words."""

    domain: str
    examples: int
    model: str
    max_tokens: int
    words_sha256: str = ""


@dataclass(frozen=True)
class LookBack(_Told[ReflectionSpec]):
    """The look back on the best and worst agents of a domain's training debates."""

    name, part = REFLECTION, 1

    def spec(self, row: Row, item: Row) -> ReflectionSpec:
        learning, words = self.settings.learning, digest(self.files.learning.model_dump())
        domain, model = row["domain"], learning.model
        return ReflectionSpec(domain, learning.examples, model, learning.max_tokens, words)

    def cast(self, row: Row) -> list[str]:
        return [self.settings.learning.model]

    def needs(self, row: Row) -> Needs:
        """The profiles of the training debates."""
        return Needs(artefacts=(PROFILES_FILE,))

    def embedded(self, call: Call) -> int:
        return 0

    def steps(self, spec: ReflectionSpec, inputs: Inputs) -> Callable[[], Steps]:
        decoding = replace(self.decoding, max_tokens=spec.max_tokens)
        words, asked = self.files.learning, (spec.domain, spec.examples, spec.model)
        return Reflection(words, *asked, decoding, inputs).start()

    def compile_prompts(self) -> None:
        spec = ReflectionSpec(PLACEHOLDER, 1, PLACEHOLDER, self.decoding.max_tokens)
        steps = self.steps(spec, self.files.lessons(every_ending=True))
        check_filled(assumed_calls(steps()), self.settings.learning.prompts)


@dataclass(frozen=True)
class CheckSpec:
    """Which agents are asked which questions, by which model, in which words."""

    questions: tuple[Question, ...]
    agents: Mapping[str, Persona]
    model: str
    words_sha256: str = ""


@dataclass(frozen=True)
class Check(_Told[CheckSpec]):
    """Questions to a domain's agents, under one condition.

    Attributes
    ----------
    prompts : the file with their wording.
    """

    name, part = SANITY, 4

    prompts: str

    @cached_property
    def _words(self) -> SanityWords:
        return read_prompts(SanityWords, self.prompts)

    def spec(self, row: Row, item: Row) -> CheckSpec:
        agents = self.files.personas(row["domain"])
        if not self.settings.checks[row["arm"]].interview:
            agents = {name: replace(agent, interview=()) for name, agent in agents.items()}
        questions, words = self.files.questions(row["domain"]), digest(self._words.model_dump())
        (model,) = self.cast(row)
        return CheckSpec(questions, agents, model, words)

    def cast(self, row: Row) -> list[str]:
        return [self.settings.checks[row["arm"]].model or self.settings.model]

    def embedded(self, call: Call) -> int:
        return int(call.role == OPEN)

    def steps(self, spec: CheckSpec, inputs: Inputs) -> Callable[[], Steps]:
        session = spec.agents, spec.questions, spec.model
        return Sanity(self._words, *session, self.decoding).start()

    def compile_prompts(self) -> None:
        answers = {"a": "", "b": ""}
        asked = [Question("", kind, PLACEHOLDER, answers) for kind in ("direct", OPEN)]
        spec = CheckSpec(tuple(asked), {"a": _PERSONA}, PLACEHOLDER)
        check_filled(assumed_calls(self.steps(spec, PlaceholderInputs())()), self.prompts)
