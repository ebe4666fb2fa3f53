"""The deliberation study, declared: emergent debate graphs, and what controls them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from dissensus.errors import ResourceError, SettingError
from dissensus.report.labels import legend
from dissensus.setting_faults import fault
from dissensus.study.kind import Kind, Row
from dissensus.study.may_stop import BlockComparison, stopping_words
from dissensus.study.settings import pick, plain
from dissensus.study.stages import Stage
from dissensus.study.study import Diagnosis, Manifest, Registered, Source, Study

from . import kinds
from .arms import named
from .design.manifest import IDS
from .figures import FIGURES, HEADLINE, TABLES
from .outcomes import OUTCOMES, PRIMARY
from .reader import READER
from .settings import DeliberationSettings
from .stages import stages_of

_DESIGN = f"{__package__}.design"


class Deliberation(Study[DeliberationSettings]):
    """See :class:`dissensus.study.study.Study`."""

    name = "deliberation"
    Settings = DeliberationSettings
    question = "What becomes of disagreement where nobody is told whom to answer?"
    outcomes = OUTCOMES
    ids = IDS
    protocol = f"{__package__}.protocol"
    source = Source(
        f"{_DESIGN}.topics:collect",
        settings=("topics",),
        files=("topics",),
        artefact="topics",
        key="topic_id",
        schema=f"{_DESIGN}.topics:TOPICS",
    )
    manifest = Manifest(
        f"{_DESIGN}.manifest:draw",
        settings=("draws", "block_size", "rounds", "panel", "judges", "arm_names", "stop"),
        schema=f"{_DESIGN}.manifest:MANIFEST",
    )
    counting = "Turns that a judge sends back, and what it then says of them, are not counted."
    view = (
        *("reference", "inference.confidence", "arms", "compared", "control.target"),
        "measures.alerts",
    )
    figures = FIGURES
    tables = TABLES
    headline = HEADLINE
    truth = f"{__package__}.figures.truth:effects"
    reader = READER
    diagnosis = Diagnosis(
        f"{__package__}.inference.diagnosis:diagnose",
        settings=(
            *(
                "draws",
                "rounds",
                "arms",
                "compared",
                "reference",
                "control",
                "topics",
                "prompts",
                "judging",
            ),
            *("protocol", "measures", "diagnosis", "inference.confidence"),
        ),
        files=("topics", "prompts", "judging"),
    )

    def stages(self, models: Mapping[str, Any]) -> Sequence[Stage]:
        return stages_of(self.settings)

    @property
    def comparison(self) -> BlockComparison:
        names = ("arms", "control", "measures", "reference", "treatments")
        return BlockComparison(
            (f"{__package__}.inference.block_differences:compare_block",),
            of_block=("turns", "outcomes"),
            of_study=("manifest", "topics"),
            settings=plain(pick(self.settings, names)),
        )

    @property
    def never_stops(self) -> str:
        reference = self.settings.reference
        return (
            ""
            if self.settings.treatments
            else f"none of its debates differ from those of {reference}"
        )

    def check(self, models: Mapping[str, Any], source: Mapping[str, Row]) -> None:
        """Refuse hints without a truth."""
        settings = self.settings
        hinted = [name for name, arm in settings.arms.items() if arm.hints]
        if hinted and not any(topic["truth"] for topic in source.values()):
            raise ResourceError(
                f"{settings.topics}: no topic has a truth, which the hints of deliberation.arms."
                f"{hinted[0]} need; give one, or leave that arm out."
            )

    @cached_property
    def kinds(self) -> Sequence[Kind[DeliberationSettings, Any]]:
        return [kinds.Deliberation(self.settings)]

    def check_models(self, models: Mapping[str, Any]) -> None:
        """Refuse simulated debaters as judges, and simulated judges as debaters."""
        for use in self.models():
            role = "judge" if use.purpose == "judge" else "debater"
            for name in use.models:
                model = models[name]
                is_ours = model.get("behaviour") == f"{__package__}.simulated"
                if is_ours and model["speech"]["role"] != role:
                    may = (
                        f"it is simulated, and no {role}; name a model whose speech.role is {role}"
                    )
                    raise SettingError(fault(f"{self.name}.{use.setting}", name, may))

    def registered(self, source: Mapping[str, Row], seed: int) -> Registered:
        settings = self.settings
        others = [arm for arm in settings.arms if arm != settings.reference]
        return Registered(
            self.summary(),
            estimands=[
                f"The mean difference between {arm} and {settings.reference} within draws, in the "
                f"{OUTCOMES[PRIMARY].over}. Population: the topics of which those drawn are a "
                "sample."
                for arm in others
            ],
            primary=OUTCOMES[PRIMARY].registered,
            tests=[
                *stopping_words(settings),
                "A mean of paired differences with a CR2 standard error clustered on topic and "
                f"Satterthwaite's t, at {100 * settings.inference.confidence:g}%; Holm over arms "
                "for the primary outcome, and over outcomes and arms for all others.",
                f"Beside it, a sign-flip test of whole topics, {settings.inference.flips:,} draws.",
            ],
        )

    def shown(self) -> dict[str, Any]:
        return {"arm_words": named(self.settings.arms)}

    def summary(self) -> str:
        settings, stop, words = self.settings, self.settings.stop, named(self.settings.arms)
        reference = words.get(settings.reference, settings.reference)
        draws = f"At most {stop.most or settings.draws}" if stop else f"{settings.draws}"
        return (
            f"{self.question} {len(settings.panel)} agents speak at once in each of "
            f"{settings.rounds} rounds; every engagement names an agent and a claim, and the "
            f"debate's graph is rebuilt from that. {draws} draws are run in each of "
            f"{len(settings.arms)} arms, compared with {reference}."
            f"{legend(words)}"
        )
