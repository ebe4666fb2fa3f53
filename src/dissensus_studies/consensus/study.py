"""The consensus study, declared: what a strategy of debate does to agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from dissensus.report.labels import legend
from dissensus.session.inputs import Inputs
from dissensus.study.kind import Kind, Row
from dissensus.study.stages import Stage, planted_speech
from dissensus.study.study import Diagnosis, Manifest, ModelUse, Registered, Source, Study

from .arms import named
from .design import IDS
from .figures import FIGURES, HEADLINE, TABLES
from .kinds import (
    ASKED,
    Check,
    ComparedDebate,
    Files,
    LearnedDebate,
    LookBack,
    TrainingDebate,
)
from .outcomes import DECLARED, OUTCOMES, PRIMARY
from .reader import READER
from .sanity.questions import OPEN
from .settings import ConsensusSettings
from .stages import stages_of


class Consensus(Study[ConsensusSettings]):
    """See :class:`dissensus.study.study.Study`."""

    name = "consensus"
    Settings = ConsensusSettings
    never_stops = (
        "its later sessions use what is learned from all earlier ones, so that blocks of draws are "
        "not independent"
    )
    question = "Which way of debating brings agents to agree, and at what price?"
    pages = (("The few-shot block that CCAgent is shown", "fewshot.md"),)
    outcomes = DECLARED
    ids = IDS
    protocol = f"{__package__}.protocol"
    source = Source(
        f"{__package__}.domains:collect",
        settings=("domains",),
        files=("domains",),
        artefact="statements",
        key="statement_id",
        schema=f"{__package__}.domains:STATEMENTS",
    )
    manifest = Manifest(
        f"{__package__}.design:draw",
        settings=(
            *("domains", "splits", "statements", "repeats", "rounds", "block_size", "arms"),
            *("learning.statements", "learning.arms", "checks"),
        ),
        files=("domains",),
        schema=f"{__package__}.design:MANIFEST",
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
    truth = f"{__package__}.figures.truth:effects"
    reader = READER
    diagnosis = Diagnosis(
        f"{__package__}.diagnosis:diagnose",
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
        if any(strategy in ASKED for strategy in strategies):
            used.append(ModelUse("extra_model", "extra", [settings.extra_model]))
        return used

    def stages(self, models: Mapping[str, Any]) -> Sequence[Stage]:
        agents = {name: models[name] for name in self.settings.models_by_arm.values()}
        return stages_of(self.settings, planted_speech(agents, f"{__package__}.simulated"))

    @cached_property
    def kinds(self) -> Sequence[Kind[ConsensusSettings, Any]]:
        settings, files, sanity = self.settings, self._files, self.settings.sanity
        debates = [TrainingDebate, LearnedDebate, ComparedDebate]
        return [
            *(kind(settings, files) for kind in debates),
            LookBack(settings, files),
            *([Check(settings, files, sanity.prompts)] if sanity else []),
        ]

    @cached_property
    def _files(self) -> Files:
        return Files(self.settings)

    def embedded_first(self, folder: Path) -> list[str]:
        """The answers in full that agents' own are compared with."""
        asked = [
            question for name in self.settings.domains for question in self._files.questions(name)
        ]
        return [
            answer
            for question in asked
            if question.kind == OPEN
            for answer in question.answers.values()
        ]

    def expected_inputs(self, folder: Path) -> Inputs:
        return self._files.lessons(self.settings.learning.max_tokens)

    def registered(self, source: Mapping[str, Row], seed: int) -> Registered:
        settings = self.settings
        return Registered(
            self.summary(),
            estimands=[
                f"The mean difference between {arm} and {settings.reference} within statements, "
                f"over all domains, in the {OUTCOMES[PRIMARY].over}. Population: the statements of "
                "which those drawn are a sample."
                for arm in settings.arms
                if arm != settings.reference
            ],
            primary=OUTCOMES[PRIMARY].registered,
            tests=[
                "A mean of paired differences with a CR2 standard error clustered on statement and "
                f"Satterthwaite's t, at {100 * settings.inference.confidence:g}%; Holm over arms "
                "for the primary outcome, and over arms and outcomes for all others.",
                "Beside it, a sign-flip test of whole statements, "
                f"{settings.inference.flips:,} draws.",
            ],
        )

    def shown(self) -> dict[str, Any]:
        return {"arm_words": named(self.settings.arms)}

    def summary(self) -> str:
        settings = self.settings
        counted = "all" if settings.statements is None else str(settings.statements)
        learned = (
            " CCAgent has read examples of the best and worst agents of "
            f"{settings.learning.statements or 'all'} training statements of each domain, each "
            f"debated in {len(settings.learning.arms)} arms."
        )
        return (
            f"{self.question} Stakeholders vote on a statement at once, read each other and vote "
            f"again, until they agree or {settings.rounds} rounds are over. {counted} statements "
            f"of each of {len(settings.domains)} domains are each debated in {len(settings.arms)} "
            f"arms, by the same agents in the same order, and compared with {settings.reference}."
            + learned * settings.learns
            + legend(named(settings.arms))
        )
