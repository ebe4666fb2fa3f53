"""The identity study, declared: who said it, or what was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from dissensus.report.labels import counted, range_of
from dissensus.study.kind import Kind, Row
from dissensus.study.stages import Stage
from dissensus.study.study import Diagnosis, Manifest, Registered, Source, Study

from .design.graph import peers_in
from .design.manifest import IDS
from .figures import FIGURES, HEADLINE, TABLES
from .kinds import Opening, PromptFiles, Rounds
from .outcomes import OUTCOMES, PRIMARY
from .reader import READER
from .settings import IdentitySettings, TeamSettings
from .stages import stages_of

_DESIGN = f"{__package__}.design"


class Identity(Study[IdentitySettings]):
    """See :class:`dissensus.study.study.Study`."""

    name = "identity"
    Settings = IdentitySettings
    never_stops = (
        "its headline is of shares of all answers of a team, and not of paired differences that "
        "are known draw by draw"
    )
    question = "Do agents follow an answer because of who gave it?"
    outcomes = OUTCOMES
    ids = IDS
    arm = "condition"
    protocol = f"{__package__}.protocol"
    #: The debates of a draw wait for their opening and not for each other.
    sequential = False
    source = Source(
        f"{_DESIGN}.banks:collect",
        settings=("banks",),
        files=("banks",),
        artefact="questions",
        key="question_id",
        schema=f"{_DESIGN}.banks:QUESTIONS",
    )
    manifest = Manifest(
        f"{_DESIGN}.manifest:draw",
        settings=("teams", "agents", "rounds", "samples", "shard", "personas"),
        files=("personas",),
        schema=f"{_DESIGN}.manifest:MANIFEST",
    )
    view = ("inference.confidence", "inference.ibc_noise", "inference.resamples")
    figures = FIGURES
    tables = TABLES
    headline_rows = "coefficients"
    headline = HEADLINE
    truth = f"{__package__}.figures.truth:effects"
    reader = READER
    diagnosis = Diagnosis(
        f"{__package__}.inference.diagnosis:diagnose",
        settings=("diagnosis", "inference.confidence"),
    )

    def possible(self, row: Row) -> tuple[float, float] | None:
        # A coefficient is a difference already; what stands as its contrast is a team.
        return super().possible({**row, "contrast": ""})

    def stages(self, models: Mapping[str, Any]) -> Sequence[Stage]:
        return stages_of(self.settings)

    @cached_property
    def kinds(self) -> Sequence[Kind[IdentitySettings, Any]]:
        files = PromptFiles(self.settings)
        return [Opening(self.settings, files), Rounds(self.settings, files)]

    def registered(self, source: Mapping[str, Row], seed: int) -> Registered:
        inference = self.settings.inference
        level = f"{100 * inference.confidence:g}%"
        return Registered(
            self.summary(),
            estimands=[
                "For each team, the Identity Bias Coefficient of the first round: conformity less "
                "obstinacy with labels, less the same without labels, over answers that disagree "
                "with a peer. Population: questions of the banks that were drawn.",
            ],
            primary=f"{OUTCOMES[PRIMARY].registered} It is taken over all banks, in every team; a "
            "team is said to be biased by limits that hold for all teams together.",
            tests=[
                f"{level} percentile intervals of a bootstrap over whole questions, "
                f"{inference.resamples:,} resamples, both conditions in the same ones; of shares "
                "under one condition Student's over questions, on the logit scale.",
                "Comparisons of teams, graphs, rounds and labels: the same, paired by question, "
                "with p where the interval just reaches zero, after Holm over the rows of a kind.",
                f"An absolute coefficient below {inference.ibc_noise:g} is called noise.",
            ],
            exclusions=[
                "Answers that cannot be read after their repairs count in no estimate; how many "
                "they are is reported. Questions of which a debate failed are left out of both "
                "sides of a comparison.",
            ],
        )

    def summary(self) -> str:
        of_teams = self.settings.teams.items()
        teams = "; ".join(f"{name} ({self._team(each)})" for name, each in of_teams)
        return (
            f"{self.question} {self.settings.agents} agents answer a question, see their own "
            "answer and their peers', with labels that say whose it is (vanilla) or without "
            f"(anonymized), and answer again, {self.settings.rounds} times. The outcome is the "
            "Identity Bias Coefficient: how much more an agent follows a peer than itself when it "
            f"is told which is which. Teams: {teams}."
        )

    def _team(self, team: TeamSettings) -> str:
        """The model of a team, its personas if any, and how many peers an agent sees."""
        seen = {len(peers) for peers in peers_in(team.graph, self.settings.agents)}
        peers = counted(max(seen), "peer") if len(seen) == 1 else f"{range_of(seen)} peers"
        return f"{team.model}{', with personas' * team.personas}, {peers}"
