"""The union study, declared: personas who debate, three layers of judging, and who coaches whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.session.inputs import Inputs
from dissensus.study.kind import Kind, Row
from dissensus.study.stages import Stage
from dissensus.study.study import Diagnosis, Manifest, Registered, Source, Study

from .expected import ExpectedInputs
from .figures import FIGURES, HEADLINE, TABLES
from .kinds import Memo, Names, Style, UnionDebate
from .map.extra import check_projection
from .outcomes import OUTCOMES, PRIMARY
from .prompts import Wording
from .protocol.judging import CLAIMS_OF_A_SPEECH
from .protocol.names import EXPECTED_CLUSTERS
from .reader import READER
from .settings import UnionSettings
from .stages import stages_of
from .tables import COACHED, IDS, SIDES


class Union(Study[UnionSettings]):
    """See :class:`dissensus.study.study.Study`."""

    name = "union"
    Settings = UnionSettings
    never_stops = (
        "its debaters are coached by memos on earlier debates, so that blocks of draws are not "
        "independent"
    )
    question = "Who wins a debate between personas, and how far can its judges be trusted?"
    pages = (
        ("The map of arguments", "map.html"),
        ("The synthesis of all debates", "synthesis.md"),
        ("The memos that coach", "memos.md"),
    )
    outcomes = OUTCOMES
    ids = IDS
    protocol = f"{__package__}.protocol"
    #: A session waits for what it reads, and for nothing else.
    sequential = False
    source = Source(
        f"{__package__}.motions:collect",
        settings=("motions", "speakers", "corpus.chunk", "corpus.overlap", "corpus.largest_mb"),
        files=("motions", "speakers"),
        artefact="motions",
        key="motion_id",
        schema=f"{__package__}.tables:MOTIONS",
        also=("documents", "chunks"),
    )
    manifest = Manifest(
        f"{__package__}.design.manifest:draw",
        settings=("epochs", "runs", "arms", "map.namer"),
        schema=f"{__package__}.tables:MANIFEST",
    )
    view = ("epochs", "inference.confidence")
    figures = FIGURES
    tables = TABLES
    headline_rows = "coaching"
    headline = HEADLINE
    truth = f"{__package__}.figures.truth:effects"
    reader = READER
    embedding_calls = ("passage_calls", "map_calls")
    counting = (
        "Calls of interject are counted at most: every speech is taken to have three arguments or "
        "more, and to be offered as many points of information as it may. Rebuttals that are asked "
        f"for once more are not counted. Assumed are {CLAIMS_OF_A_SPEECH} claims a speech, "
        "passages like the rest of the speaker's corpus, and, if a model names them, "
        f"{EXPECTED_CLUSTERS} clusters of claims on a motion."
    )
    diagnosis = Diagnosis(
        f"{__package__}.inference.diagnosis:diagnose",
        settings=(
            *("epochs", "runs", "arms", "judges", "prompts", "judging", "protocol"),
            *("diagnosis", "inference.confidence"),
        ),
        files=("prompts", "judging"),
    )

    def check(self, models: Mapping[str, Any], source: Mapping[str, Row]) -> None:
        """Refuse motions without two equal sides, coaching of nobody, and a map without UMAP."""
        settings = self.settings
        check_projection(settings.map.projection)
        for name, motion in source.items():
            sides = [len(motion[side]) for side in SIDES]
            if not sides[0] or sides[0] != sides[1]:
                raise ResourceError(
                    f"{settings.motions}: the motion {name!r} has {sides[0]} speakers for it and "
                    f"{sides[1]} against it; give both sides equally many."
                )
            if COACHED in settings.arms and settings.epochs > 1 and not motion["students"]:
                raise ResourceError(
                    f"{settings.motions}: the motion {name!r} has no students, whom the arm "
                    f"{COACHED!r} of union.arms coaches; name one, or leave that arm out."
                )

    def stages(self, models: Mapping[str, Any]) -> Sequence[Stage]:
        return stages_of(self.settings)

    @cached_property
    def kinds(self) -> Sequence[Kind[UnionSettings, Any]]:
        settings = self.settings
        wording = Wording.read(settings.prompts, settings.judging)
        return [
            Style(settings, wording, settings.extractor),
            UnionDebate(settings, wording),
            Memo(settings, wording, settings.coach),
            Names(settings, wording, settings.map.namer or ""),
        ]

    def expected_inputs(self, folder: Path) -> Inputs:
        return ExpectedInputs(self.settings.protocol.max_tokens, folder)

    def embedded_first(self, folder: Path) -> list[str]:
        """The chunks of all speakers, and what is asked of them, for the passages."""
        return ExpectedInputs(None, folder).searched()

    def registered(self, source: Mapping[str, Row], seed: int) -> Registered:
        inference = self.settings.inference
        return Registered(
            self.summary(),
            estimands=[
                "The mean over draws of the coached epochs of the difference between coached and "
                "control debates, in the "
                f"{OUTCOMES[PRIMARY].over}. Population: further runs of these motions "
                "under these memos.",
            ],
            primary=OUTCOMES[PRIMARY].registered,
            tests=[
                f"A paired randomisation, {inference.resamples:,} draws, of pairs, and from six "
                "motions on of whole motions; Holm over this share, their side's share of blind "
                "votes, and the share of their rebuttals that demolish.",
                f"{100 * inference.confidence:g}% intervals clustered on the debate, and over "
                "motions from three on.",
                "The audit of the judges (position, length, side, agreement) is secondary.",
            ],
        )

    def summary(self) -> str:
        settings = self.settings
        return (
            f"{self.question} Personas made from corpora debate a motion in {settings.epochs} "
            f"epochs of {settings.runs} runs in each of {len(settings.arms)} arms. A rubric, an "
            "annotation with a tally, a blind panel in two passes with the sides swapped, and the "
            "survival of claims judge each debate; the judges are audited."
        )
