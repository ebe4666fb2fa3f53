"""The consensus study, declared: what a strategy of debate does to agreement."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dissensus.consensus.design import DEBATE, IDS, REFLECTION, SANITY, TRAINING
from dissensus.consensus.domains import Domain, read_domain
from dissensus.consensus.figures import FIGURES, HEADLINE, TABLES
from dissensus.consensus.learning.block import SHOWN
from dissensus.consensus.learning.expected import ExpectedLessons
from dissensus.consensus.learning.tables import FEWSHOT_FILE, PROFILES_FILE
from dissensus.consensus.learning.wording import LearningWords
from dissensus.consensus.protocol import Debate, Lesson, Persona, Reflection, Sanity
from dissensus.consensus.reader import READER
from dissensus.consensus.sanity.questions import OPEN, Question, read_questions
from dissensus.consensus.sanity.wording import SanityWords
from dissensus.consensus.settings import ConsensusSettings
from dissensus.consensus.wording import (
    CCAGENT,
    EXTRAS,
    LEARNED,
    SIDES,
    STRATEGIES,
    VOTER,
    Words,
)
from dissensus.digests import digest
from dissensus.session.inputs import Inputs
from dissensus.session.prompt_files import check_filled, read_prompts
from dissensus.session.protocol import (
    PLACEHOLDER,
    Call,
    Decoding,
    Steps,
    assumed_calls,
    round_label,
)
from dissensus.study.kind import Needs, Row
from dissensus.study.study import Diagnosis, Manifest, ModelUse, Source, Study

#: When a session runs, of which split its statement is, and what it is for, changes nothing in it.
_LEFT_OUT = ("block", "arm_order", "position", "split", "agents", "kind")


class Consensus(Study[ConsensusSettings]):
    """See :class:`dissensus.study.study.Study`."""

    name = "consensus"
    Settings = ConsensusSettings
    question = "Which way of debating brings agents to agree, and at what price?"
    ids = IDS
    protocol = "dissensus.consensus.protocol"
    source = Source(
        "dissensus.consensus.domains:collect",
        settings=("domains",),
        files=("domains",),
        artefact="statements",
        key="statement_id",
        schema="dissensus.consensus.domains:STATEMENTS",
    )
    manifest = Manifest(
        "dissensus.consensus.design:draw",
        settings=(
            *("domains", "splits", "statements", "repeats", "rounds", "block_size", "arms"),
            *("learning.statements", "learning.arms", "checks"),
        ),
        files=("domains",),
        schema="dissensus.consensus.design:MANIFEST",
    )
    embedding_calls = ("embedding_calls", "sanity_calls")
    counting = (
        "Debates are counted at all their rounds, and those that agree sooner cost less; of each "
        "agent two explanations are embedded. The examples that CCAgent is shown are taken to be "
        "of debates that last all rounds."
    )
    view = (
        *("reference", "inference.confidence", "arms", "domains", "rounds", "compared"),
        *("models_by_arm", "temperatures"),
    )
    figures = FIGURES
    tables = TABLES
    headline = HEADLINE
    truth = "dissensus.consensus.figures.truth:effects"
    reader = READER
    diagnosis = Diagnosis(
        "dissensus.consensus.diagnosis:diagnose",
        settings=(
            *("domains", "splits", "statements", "repeats", "rounds", "compared"),
            *("diagnosis", "inference.confidence"),
        ),
        files=("domains",),
    )

    def models(self) -> list[ModelUse]:
        settings, learning = self.settings, self.settings.learning
        used = [ModelUse("model", "debate", [settings.model])]
        used += [
            ModelUse(f"variants.{arm}.model", "debate", [variant.model])
            for arm, variant in settings.variants.items()
            if variant.model
        ]
        used += [
            ModelUse(f"sanity.conditions.{name}.model", "sanity", [check.model or settings.model])
            for name, check in settings.checks.items()
        ]
        strategies = [*settings.arms.values()]
        if settings.learns:
            strategies += learning.arms.values()
            used.append(ModelUse("learning.model", "reflect", [learning.model]))
        if any(strategy in _ASKED for strategy in strategies):
            used.append(ModelUse("extra_model", "extra", [settings.extra_model]))
        return used

    def part(self, row: Row) -> int:
        """First what is learned from, then what is done with it, and the agents' check last."""
        if row["kind"] == SANITY:
            return 4
        if not self.settings.learns:
            return 0
        if row["kind"] == DEBATE:
            return 3 if row["strategy"] in LEARNED else 2
        return (TRAINING, REFLECTION).index(row["kind"])

    def arm_of(self, row: Row) -> str:
        return str(row["arm"] if row["kind"] == DEBATE else row["kind"])

    def needs(self, row: Row) -> Needs:
        """The profiles of the training debates, or the examples that were made of them."""
        if row["kind"] == REFLECTION:
            return Needs(artefacts=(PROFILES_FILE,))
        return Needs(artefacts=(FEWSHOT_FILE,) if row["strategy"] in LEARNED else ())

    def embedded(self, call: Call) -> int:
        ends = (round_label(1), round_label(self.settings.rounds))
        return int(call.role == OPEN or (call.role == VOTER and call.round_label in ends))

    def embedded_first(self, folder: Path) -> list[str]:
        """The answers in full that agents' own are compared with."""
        asked = [question for name in self._domains for question in self._questions(name)]
        return [
            said
            for question in asked
            if question.kind == OPEN
            for said in question.answers.values()
        ]

    def spec(self, row: Row, item: Row) -> dict[str, Any]:
        """Of the statement, what the public prefers only where a nudger is told it."""
        settings, strategy = self.settings, row["strategy"]
        if row["kind"] == REFLECTION:
            return self._reflection_spec(row)
        if row["kind"] == SANITY:
            return self._sanity_spec(row)
        domain = self._domains[row["domain"]]
        agents = {agent.id: agent for agent in domain.agents}
        extra, told = strategy in EXTRAS, strategy == "nudger"
        return {
            **{name: value for name, value in row.items() if name not in _LEFT_OUT},
            "statement": item["statement"],
            "personas": [agents[name].model_dump() for name in row["order"]],
            "told": [domain.where, domain.place, ", ".join(domain.names)]
            if extra
            else ["", "", ""],
            "truth": item["truth"] if told else "",
            "secret": list(range(item["truth_low"], item["truth_high"] + 1)) if told else [],
            "side": [settings.side_rounds, settings.experts] if strategy in SIDES else [0, 0],
            "asked": [self._model(row), settings.extra_model if strategy in _ASKED else ""],
            "temperature": settings.temperature_of(self._arm(row)),
            "words_sha256": digest(self._words.used_by(strategy)),
            **(self._lesson_spec(row) if strategy in LEARNED else {}),
        }

    def _reflection_spec(self, row: Row) -> dict[str, Any]:
        learning = self.settings.learning
        return {
            "reflects_on": row["domain"],
            "examples": learning.examples,
            "model": learning.model,
            "max_tokens": learning.max_tokens,
            "words_sha256": digest(self._learning_words.model_dump()),
        }

    def _sanity_spec(self, row: Row) -> dict[str, Any]:
        interview = self.settings.checks[row["arm"]].interview
        agents = [agent.model_dump() for agent in self._domains[row["domain"]].agents]
        return {
            "asks": [vars(question) for question in self._questions(row["domain"])],
            "personas": [agent | ({} if interview else {"interview": []}) for agent in agents],
            "model": self._model(row),
            "words_sha256": digest(self._sanity_words.model_dump()),
        }

    def _questions(self, domain: str) -> tuple[Question, ...]:
        if not self.settings.checks:
            return ()
        folder, agents = self.settings.domains[domain], self._domains[domain].names
        return read_questions(folder, tuple(agents))

    def _lesson_spec(self, row: Row) -> dict[str, Any]:
        return {
            "learns_from": self.settings.source_of(row["strategy"], row["domain"]),
            "examples": self.settings.learning.examples,
            "learning_sha256": digest(self._learning_words.model_dump()),
        }

    def _arm(self, row: Row) -> str:
        """The arm of a debate that is compared; training debates have arms of their own."""
        return str(row["arm"]) if row["kind"] == DEBATE else ""

    def _model(self, row: Row) -> str:
        """Of the agents of a session."""
        if row["kind"] == SANITY:
            return self.settings.checks[row["arm"]].model or self.settings.model
        return self.settings.model_of(self._arm(row))

    def cast(self, row: Row) -> list[str]:
        settings = self.settings
        if row["kind"] == REFLECTION:
            return [settings.learning.model]
        return [self._model(row), *[settings.extra_model] * (row["strategy"] in _ASKED)]

    def expected_inputs(self, folder: Path) -> Inputs:
        return self._lessons(self.settings.learning.max_tokens)

    def _lessons(self, said: int | None = None, every_ending: bool = False) -> ExpectedLessons:
        """The examples, before there are any; see :class:`ExpectedLessons`."""
        settings = self.settings
        return ExpectedLessons(
            settings.protocol.max_tokens,
            words=self._learning_words,
            rounds=settings.rounds,
            characters=settings.learning.characters,
            said=said,
            every_ending=every_ending,
        )

    def kind(self, row: Row) -> Hashable:
        """Arms of one strategy ask the same; who is shown first changes no count."""
        alike = row["strategy"], row["statement_id"], row["kind"]
        if row["kind"] in (REFLECTION, SANITY):
            return *alike, row["arm"]
        return *alike, self._model(row)

    def steps(self, spec: Row, inputs: Inputs) -> Callable[[], Steps]:
        decoding = Decoding.of(spec["protocol"])
        if "reflects_on" in spec:
            return Reflection(
                self._learning_words,
                spec["reflects_on"],
                spec["examples"],
                spec["model"],
                replace(decoding, max_tokens=spec["max_tokens"]),
                inputs,
            ).start()
        personas = {
            persona["id"]: Persona(
                persona["system"],
                tuple((pair["question"], pair["answer"]) for pair in persona["interview"]),
            )
            for persona in spec["personas"]
        }
        if "asks" in spec:
            asked = [Question(**fields) for fields in spec["asks"]]
            return Sanity(self._sanity_words, personas, asked, spec["model"], decoding).start()
        lesson = None
        if "learns_from" in spec:
            lesson = Lesson(
                self._learning_words, spec["strategy"], spec["learns_from"], spec["examples"]
            )
        return Debate(
            words=self._words,
            strategy=spec["strategy"],
            statement=spec["statement"],
            agents=personas,
            where=spec["told"][0],
            place=spec["told"][1],
            names=spec["told"][2],
            truth=spec["truth"],
            secret=tuple(spec["secret"]),
            rounds=spec["rounds"],
            side_rounds=spec["side"][0],
            experts=spec["side"][1],
            model=spec["asked"][0],
            extra_model=spec["asked"][1],
            decoding=replace(decoding, temperature=spec["temperature"]),
            lesson=lesson,
            inputs=inputs,
        ).start()

    @cached_property
    def _learning_words(self) -> LearningWords:
        return read_prompts(LearningWords, self.settings.learning.prompts)

    @cached_property
    def _sanity_words(self) -> SanityWords:
        sanity = self.settings.sanity
        assert sanity is not None  # It is asked for where agents are checked.
        return read_prompts(SanityWords, sanity.prompts)

    @cached_property
    def _words(self) -> Words:
        return read_prompts(Words, self.settings.prompts)

    @cached_property
    def _domains(self) -> dict[str, Domain]:
        return {name: read_domain(folder) for name, folder in self.settings.domains.items()}

    def compile_prompts(self) -> None:
        """Two rounds of every strategy, in which nobody agrees and everything is said."""
        persona = Persona(PLACEHOLDER, ((PLACEHOLDER, PLACEHOLDER),))
        decoding = Decoding.of(self.settings.protocol.model_dump())
        words, inputs = self._learning_words, self._lessons(every_ending=True)
        looked_back = Reflection(words, PLACEHOLDER, 1, PLACEHOLDER, decoding, inputs)
        check_filled(assumed_calls(looked_back.start()()), self.settings.learning.prompts)
        if self.settings.sanity:
            asked = [
                Question("", kind, PLACEHOLDER, {"a": "", "b": ""}) for kind in ("direct", OPEN)
            ]
            check = Sanity(self._sanity_words, {"a": persona}, asked, PLACEHOLDER, decoding)
            check_filled(assumed_calls(check.start()()), self.settings.sanity.prompts)
        for strategy in STRATEGIES:
            debate = Debate(
                words=self._words,
                strategy=strategy,
                statement=PLACEHOLDER,
                agents={"a": persona, "b": persona, "c": persona},
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
                decoding=decoding,
                lesson=Lesson(words, strategy, PLACEHOLDER, 1) if strategy in SHOWN else None,
                inputs=inputs,
            )
            files = f"{self.settings.prompts}, {self.settings.learning.prompts}"
            check_filled(assumed_calls(debate.start()()), files)

    def summary(self) -> str:
        settings = self.settings
        counted = "all" if settings.statements is None else str(settings.statements)
        learned = (
            f" {CCAGENT} has read examples of the best and worst agents of "
            f"{settings.learning.statements or 'all'} training statements of each domain, each "
            f"debated in {len(settings.learning.arms)} arms."
        )
        return (
            f"{self.question} Stakeholders vote on a statement at once, read each other and vote "
            f"again, until they agree or {settings.rounds} rounds are over. {counted} statements "
            f"of {len(settings.domains)} domains are each debated in {len(settings.arms)} arms, "
            f"by the same agents in the same order, and compared with {settings.reference}."
            + learned
            * settings.learns
        )


#: Strategies that ask the model of those who have no vote.
_ASKED = (*EXTRAS, *SIDES)
