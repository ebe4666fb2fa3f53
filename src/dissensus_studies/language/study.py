"""The language study, declared: a randomised trial of prompt language on homogeneity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from dissensus.errors import ResourceError, SettingError
from dissensus.session.protocol import PLACEHOLDER
from dissensus.study.kind import Kind, Row
from dissensus.study.may_stop import BlockComparison
from dissensus.study.settings import pick, plain
from dissensus.study.stages import Stage
from dissensus.study.study import Diagnosis, Manifest, Registered, Source, Study, Unidentified

from . import simulated
from .design.instrument import renderings_of
from .design.manifest import IDS, Drawing, translations
from .figures import FIGURES, HEADLINE, TABLES
from .kinds import LanguageDebate, Translation
from .outcomes import OUTCOMES
from .reader import READER
from .registration import UNIDENTIFIED, register
from .settings import LanguageSettings
from .stages import stages_of

#: Draws of the sample that `snakemake cost` prices a translator for, where none is named.
_SAMPLE = 20
_DESIGN = f"{__package__}.design"
_DRAWING = ("draws", "block_size", "language_names", "panel", "reference", "instrument")


class Language(Study[LanguageSettings]):
    """See :class:`dissensus.study.study.Study`."""

    name = "language"
    Settings = LanguageSettings
    question = "Does the language of the prompt change how homogeneous a debate is?"
    pages = (("Speeches that recycle most and least", "tables/recycled_speeches.html"),)
    outcomes = OUTCOMES
    ids = IDS
    arm = "language"
    protocol = f"{__package__}.protocol"
    source = Source(
        f"{_DESIGN}.reliability:code_pool",
        settings=("pool", "languages", "inference.resamples"),
        files=("pool",),
        artefact="pool",
        key="motion_id",
        schema=f"{_DESIGN}.pool:POOL",
        also=("reliability",),
    )
    manifest = Manifest(
        f"{_DESIGN}.manifest:draw", settings=_DRAWING, schema=f"{_DESIGN}.manifest:MANIFEST"
    )
    view = (
        "reference",
        "draws",
        "measures.primary",
        "measures.tokenizer",
        "measures.embedder",
        "measures.paper_scale",
        "inference.confidence",
        "inference.saturation_warning",
    )
    figures = FIGURES
    tables = TABLES
    headline_rows = "language_effect"
    headline = HEADLINE
    truth = f"{__package__}.figures.truth:effects"
    reader = READER
    diagnosis = Diagnosis(
        f"{__package__}.inference.diagnosis:diagnose",
        settings=(
            *("languages", "reference", "protocol", "measures.unit", "measures.weights"),
            *("diagnosis", "inference.confidence"),
        ),
    )

    def __init__(self, settings: LanguageSettings) -> None:
        super().__init__(settings)
        if settings.stop:
            # Only then, so that what other studies make does not depend on it.
            drawn, diagnosed = self.manifest, self.diagnosis
            self.manifest = replace(drawn, settings=(*drawn.settings, "stop"))
            self.diagnosis = replace(diagnosed, settings=(*diagnosed.settings, "draws"))

    @property
    def comparison(self) -> BlockComparison:
        return BlockComparison(
            (f"{__package__}.inference.paired_readings:compare_block",),
            of_block=("outcomes", "components"),
            of_study=("manifest",),
            settings={
                "measures": self.settings.measures.model_dump(),
                "reference": self.settings.reference,
            },
            # Whose scale all blocks have.
            with_first=True,
        )

    def stages(self, models: Mapping[str, Any]) -> Sequence[Stage]:
        return stages_of(
            self.settings,
            self.rendering(models),
            [name for _, name in self.tokenizers()],
            [name for _, name in self.embedders()],
        )

    @cached_property
    def kinds(self) -> Sequence[Kind[LanguageSettings, Any]]:
        translator = self.settings.instrument.translator
        translations = [Translation(self.settings, self._debates, translator)] if translator else []
        return [self._debates, *translations]

    @cached_property
    def _debates(self) -> LanguageDebate:
        return LanguageDebate(self.settings)

    def rendering(self, models: Mapping[str, Any]) -> dict[str, Any]:
        """How debates get their parallel texts without a translator: by the simulated models' own.

        Parameters
        ----------
        models : name -> settings.

        Returns
        -------
        ``draws``: how many are rendered; ``pairs`` of languages; ``spoken``: language -> as the
        spaces of arguments name it; ``sources``: model -> where its arguments are, with a digest
        of them; none unless all of the panel are simulated debaters.
        """
        settings = self.settings
        panel = [models[name] for name in settings.panel]
        are_exact = settings.instrument.translator is None and self._has_parallels(models)
        sources = {
            name: {
                "arguments": model["speech"]["arguments"],
                "motions": model["speech"]["motions"],
                "sha256": simulated.identity({**model, "speech": dict(model["speech"])}),
            }
            for name, model in zip(settings.panel, panel, strict=True)
            if are_exact
        }
        languages = settings.languages.items()
        return {
            "draws": settings.instrument.draws,
            "pairs": renderings_of(settings.language_names, settings.reference),
            "spoken": {
                name: condition.motion.removeprefix("motion_") for name, condition in languages
            },
            "sources": sources,
        }

    def check_models(self, models: Mapping[str, Any]) -> None:
        """Refuse simulated debaters in a language that they do not speak, and as translators; and
        a study that is to stop without a rendering of every debate.
        """
        settings = self.settings
        self._check_renderings(models)
        translator = settings.instrument.translator
        if translator and models[translator].get("behaviour") == simulated.__name__:
            raise ResourceError(
                f"language.instrument.translator holds {translator!r}, a simulated debater, which "
                "cannot translate; name a model that can, or null: debates of simulated models "
                "have exact parallels."
            )
        panel = [models[name] for name in settings.panel]
        composed = [each for each in panel if each.get("behaviour") == simulated.__name__]
        if not composed:
            return
        for name, language in settings.languages.items():
            prompts = self._debates.prompts[name]
            prompt = prompts.turn(PLACEHOLDER, prompts.schedule[0], [])
            try:
                for model in composed:
                    simulated.check_prompt(prompt, model["speech"]["arguments"])
            except ResourceError as error:
                raise ResourceError(
                    f"{language.prompts}: language.languages.{name} cannot be debated by the "
                    f"simulated models of language.panel. {error}"
                ) from None

    def _check_renderings(self, models: Mapping[str, Any]) -> None:
        """Refuse a study that is to stop by differences with one ruler, and has not all of them."""
        settings = self.settings
        rendered, translator = settings.instrument.draws, settings.instrument.translator
        if not settings.stop:
            return
        most = min(settings.draws, settings.stop.most or settings.draws)
        if rendered is not None and rendered < most:
            raise SettingError(
                f"language.instrument.draws holds {rendered}, and language.stop is set: then each "
                f"of the {most} draws is compared by the renderings of its debates; set "
                "language.instrument.draws to null, or language.stop."
            )
        if translator is None and not self._has_parallels(models):
            raise SettingError(
                "language.instrument.translator holds null, and language.stop is set: then every "
                "draw is compared by the renderings of its debates; name a model that translates "
                "them, or set language.stop to null."
            )

    def _has_parallels(self, models: Mapping[str, Any]) -> bool:
        """Whether debates have exact parallels without a translator; ``models``: their settings."""
        panel = [models[name] for name in self.settings.panel]
        return all(model.get("behaviour") == simulated.__name__ for model in panel)

    def unidentified(
        self, rows: Sequence[Row], models: Mapping[str, Any], seed: int
    ) -> Unidentified | None:
        """Without parallel texts, an effect of the language cannot be told from the index's own."""
        if self.settings.instrument.translator or self._has_parallels(models):
            return None
        remedies = {}
        for model in dict.fromkeys(self.settings.panel):
            instrument = self.settings.instrument.model_copy(
                update={"translator": model, "draws": min(_SAMPLE, self.settings.draws)}
            )
            amended = Language(self.settings.model_copy(update={"instrument": instrument}))
            drawing = Drawing.of(plain(pick(amended.settings, _DRAWING)), seed)
            remedies[model] = amended, translations(rows, drawing)
        return Unidentified(
            UNIDENTIFIED,
            "Name a model in language.instrument.translator, best one that does not debate, and in "
            f"language.instrument.draws for how many draws, such as {_SAMPLE}.",
            remedies,
        )

    def registered(self, source: Mapping[str, Row], seed: int) -> Registered:
        return register(self.settings, self.summary(), source, seed)

    def summary(self) -> str:
        settings = self.settings
        languages, stop = ", ".join(settings.languages), settings.stop
        draws = f"at most {stop.most or settings.draws}" if stop else f"{settings.draws}"
        return (
            f"A randomised trial of prompt language on the homogeneity of debates, "
            f"{draws} draws. Each draw takes a policy domain and a motion at random; four "
            "models take the roles of a debate in random order, and debate the motion once in each "
            f"of {len(settings.languages)} languages ({languages}), in random order. The outcome "
            "is the Homogeneity Index, a weighted sum of lexical and semantic similarity between "
            f"the turns of a debate, anchored on {settings.reference}."
        )
