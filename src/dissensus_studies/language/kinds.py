"""The kinds of session of the language study: debates, and translations that measure the index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from dissensus.digests import digest
from dissensus.session.inputs import Inputs, PlaceholderInputs
from dissensus.session.prompt_files import check_filled
from dissensus.session.protocol import PLACEHOLDER, Call, Steps, assumed_calls
from dissensus.study.kind import Kind, Needs, Row

from .design.instrument import is_debate
from .prompts import Prompts, refuse_other_schedule
from .protocol import debate
from .settings import ROLES, TRANSLATING, LanguageSettings
from .translation import TranslationPrompts, expected_turns, translate


@dataclass(frozen=True)
class DebateSpec:
    """What a debate depends on.

    Attributes
    ----------
    language : as the configuration names it.
    topic : the motion, in that language.
    cast : role -> model.
    script : writing system that speeches must be in.
    prompts_sha256 : of the language's prompts.
    """

    language: str
    topic: str
    cast: Mapping[str, str]
    script: str
    prompts_sha256: str


@dataclass(frozen=True)
class LanguageDebate(Kind[LanguageSettings, DebateSpec]):
    """Four models debate a motion in one language."""

    def holds(self, row: Row) -> bool:
        return is_debate(row)

    def spec(self, row: Row, item: Row) -> DebateSpec:
        name = row["language"]
        condition = self.settings.languages[name]
        cast = {role: row[role] for role in ROLES}
        return DebateSpec(
            name, item[condition.motion], cast, condition.script, self.prompts[name].sha256
        )

    def cast(self, row: Row) -> list[str]:
        return [row[role] for role in ROLES]

    def alike(self, row: Row) -> tuple[str, ...]:
        return (row["language"], row["motion_id"], *self.cast(row))

    def steps(self, spec: DebateSpec, inputs: Inputs) -> Callable[[], Steps]:
        return self._start(spec, self.settings.protocol.system_message)

    def _start(self, spec: DebateSpec, system_message: bool) -> Callable[[], Steps]:
        return debate(
            self.prompts[spec.language],
            spec.topic,
            spec.cast,
            script=spec.script,
            words_per_sentence=self.settings.protocol.words_per_sentence,
            system_message=system_message,
            decoding=self.decoding,
        )

    @cached_property
    def prompts(self) -> dict[str, Prompts]:
        """Language -> its prompts."""
        languages = self.settings.languages.items()
        return {name: Prompts.read(language.prompts, name) for name, language in languages}

    def compile_prompts(self) -> None:
        """All turns in every language, with and without the system message."""
        settings = self.settings
        cast = dict(zip(ROLES, settings.panel, strict=False))
        reference = settings.languages[settings.reference].prompts
        for name, language in settings.languages.items():
            refuse_other_schedule(
                language.prompts, self.prompts[name], reference, self.prompts[settings.reference]
            )
            spec = DebateSpec(name, PLACEHOLDER, cast, language.script, "")
            for system_message in (False, True):
                steps = self._start(spec, system_message)
                check_filled(assumed_calls(steps()), language.prompts)


@dataclass(frozen=True)
class TranslationSpec:
    """What a translation depends on.

    Attributes
    ----------
    debate : id of the session that is translated.
    original, language : which it was held in, and which it is put into.
    script : writing system of the latter.
    prompts_sha256 : of the wording.
    """

    debate: str
    original: str
    language: str
    script: str
    prompts_sha256: str


@dataclass(frozen=True)
class Translation(Kind[LanguageSettings, TranslationSpec]):
    """A model puts a debate into another language.

    Attributes
    ----------
    debates : that are translated.
    translator : the model.
    """

    debates: LanguageDebate
    translator: str

    def holds(self, row: Row) -> bool:
        return not is_debate(row)

    def spec(self, row: Row, item: Row) -> TranslationSpec:
        (debated,) = self.needs(row).sessions
        script = self.settings.languages[row["language"]].script
        wording = digest(self._prompts.model_dump())
        return TranslationSpec(debated, row["rendered_from"], row["language"], script, wording)

    def cast(self, row: Row) -> list[str]:
        return [self.translator]

    def needs(self, row: Row) -> Needs:
        return Needs(sessions=(f"{row['draw_id']}-{row['rendered_from']}",))

    def counted_as(self, row: Row) -> str:
        """A translation is no debate in its language."""
        return f"{row['rendered_from']} as {row['language']}"

    def alike(self, row: Row) -> tuple[str, ...]:
        return (self.counted_as(row), row["motion_id"])

    def embedded(self, call: Call) -> int:
        return int(call.purpose == TRANSLATING)

    def steps(self, spec: TranslationSpec, inputs: Inputs) -> Callable[[], Steps]:
        return translate(
            self._prompts,
            spec.debate,
            expected_turns(self.debates.prompts[spec.original].schedule),
            into=spec.language,
            script=spec.script,
            model=self.translator,
            decoding=self.decoding,
            inputs=inputs,
        )

    @cached_property
    def _prompts(self) -> TranslationPrompts:
        return TranslationPrompts.read(self.settings.instrument.prompts)

    def compile_prompts(self) -> None:
        reference = self.settings.reference
        script = self.settings.languages[reference].script
        spec = TranslationSpec(PLACEHOLDER, reference, reference, script, "")
        steps = self.steps(spec, PlaceholderInputs())
        check_filled(assumed_calls(steps()), self.settings.instrument.prompts)
