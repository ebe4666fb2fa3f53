"""The kinds of session of the identity study: an opening, and the debates that go on from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from dissensus.session.inputs import Inputs
from dissensus.session.prompt_files import ANGLED, check_filled
from dissensus.session.protocol import PLACEHOLDER, Steps, assumed_calls
from dissensus.study.kind import Kind, Needs, Row, Spec

from .design.banks import write_question
from .design.graph import peers_in, read_peers
from .protocol import (
    AGENT,
    AnswerFormat,
    Prompts,
    TeamDebate,
    read_personas,
)
from .settings import IdentitySettings
from .terms import DEBATED


@dataclass(frozen=True)
class PromptFiles:
    """The files that the study's settings name, each read once."""

    settings: IdentitySettings

    @cached_property
    def prompts(self) -> Prompts:
        return Prompts.read(self.settings.prompts)

    @cached_property
    def personas(self) -> Mapping[str, str]:
        """Name -> system message."""
        return read_personas(self.settings.personas)


@dataclass(frozen=True)
class TeamSpec:
    """A question before a team.

    Attributes
    ----------
    question : as a prompt states it.
    format : how its answers are read.
    model : of every agent.
    seats : persona of each agent, or :data:`AGENT`.
    systems : system message of each agent, "" for none.
    prompts_sha256 : of the wording under the session's condition.
    """

    question: str
    format: AnswerFormat
    model: str
    seats: tuple[str, ...]
    systems: tuple[str, ...]
    prompts_sha256: str


@dataclass(frozen=True)
class DebateSpec:
    """How a debate goes on from its opening; see :meth:`TeamDebate.goes_on` of the protocol.

    Attributes
    ----------
    opening : id of the session.
    graph : whose answers each agent is shown, as the manifest writes it.
    """

    team: TeamSpec
    condition: str
    opening: str
    graph: str
    rounds: int
    seed: int


@dataclass(frozen=True)
class _OfATeam(Kind[IdentitySettings, Spec]):
    """What an opening and a debate share; ``files``: what is asked."""

    files: PromptFiles

    def cast(self, row: Row) -> list[str]:
        return [row["model"]]

    def alike(self, row: Row) -> tuple[object, ...]:
        """With personas, whoever has which."""
        return tuple(row[n] for n in ("condition", "question_id", "model", "personas", "graph"))

    def _team(self, row: Row, item: Row) -> TeamSpec:
        options = item["options"] if item["kind"] == "choice" else []
        seats = tuple(row["seats"]) or (AGENT,) * row["agents"]
        return TeamSpec(
            write_question(item["kind"], item["text"], options),
            AnswerFormat(item["kind"], tuple(options)),
            row["model"],
            seats,
            tuple(self.files.personas[seat] if row["seats"] else "" for seat in seats),
            self.files.prompts.sha256(row["condition"]),
        )

    def _debate(self, team: TeamSpec) -> TeamDebate:
        return TeamDebate(
            prompts=self.files.prompts,
            question=team.question,
            format=team.format,
            decoding=self.decoding,
            model=team.model,
            seats=team.seats,
            systems=team.systems,
        )

    def _check_filled(self, start: Callable[[TeamDebate], list[Steps]]) -> None:
        """Render what some sessions ask, without personas and with all that there are."""
        settings = self.settings
        for systems in ({AGENT: "", "another": ""}, self.files.personas):
            numeric, seats = AnswerFormat("numeric", ()), tuple(systems)
            team = TeamSpec(PLACEHOLDER, numeric, PLACEHOLDER, seats, tuple(systems.values()), "")
            for steps in start(self._debate(team)):
                files = f"{settings.prompts}, {settings.personas}"
                check_filled(assumed_calls(steps), files, ANGLED)


@dataclass(frozen=True)
class Opening(_OfATeam[TeamSpec]):
    """Round 0: every agent answers by itself."""

    def holds(self, row: Row) -> bool:
        return not row["opening"]

    def spec(self, row: Row, item: Row) -> TeamSpec:
        return self._team(row, item)

    def steps(self, spec: TeamSpec, inputs: Inputs) -> Callable[[], Steps]:
        return self._debate(spec).opening

    def compile_prompts(self) -> None:
        self._check_filled(lambda debate: [debate.opening()])


@dataclass(frozen=True)
class Rounds(_OfATeam[DebateSpec]):
    """The rounds after an opening, under one condition."""

    def holds(self, row: Row) -> bool:
        return bool(row["opening"])

    def spec(self, row: Row, item: Row) -> DebateSpec:
        drawn = (row[name] for name in ("condition", "opening", "graph", "rounds", "seed"))
        return DebateSpec(self._team(row, item), *drawn)

    def needs(self, row: Row) -> Needs:
        return Needs(sessions=(row["opening"],))

    def steps(self, spec: DebateSpec, inputs: Inputs) -> Callable[[], Steps]:
        return partial(_go_on, self._debate(spec.team), spec, inputs)

    def compile_prompts(self) -> None:
        """A round of every condition."""

        def rounds(debate: TeamDebate) -> list[Steps]:
            count = len(debate.seats)
            openings, peers = [PLACEHOLDER] * count, peers_in("star", count)
            return [debate.goes_on(name, openings, peers, rounds=1, seed=0) for name in DEBATED]

        self._check_filled(rounds)


def _go_on(debate: TeamDebate, spec: DebateSpec, inputs: Inputs) -> Steps:
    """The rounds after an opening."""
    agents = [f"A{number}" for number, _ in enumerate(debate.seats, start=1)]
    texts = inputs.texts(spec.opening, agents)
    peers = read_peers(spec.graph)
    return debate.goes_on(spec.condition, texts, peers, spec.rounds, spec.seed)
