"""The manifest: every session of the study, drawn once from a seed before any debate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from dissensus.design.manifest import stream
from dissensus.digests import seed_of
from dissensus.errors import SettingError
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, count, flag, text, texts

from ..protocol import read_personas
from ..settings import TeamSettings
from ..terms import CONDITIONS, OPENING, SAMPLED
from .graph import peers_in, write_peers

MANIFEST = Schema(
    name="manifest",
    row="session",
    columns={
        **common("session_id", "draw_id", "block"),
        "team": text("Name of the team in the configuration."),
        "bank": text("Name of the question bank; all where banks are pooled."),
        "question_id": text("Name of the question; see the artefact questions."),
        "condition": text(
            "opening, vanilla, anonymized, or a control of the team such as again; difference for "
            "vanilla less anonymized."
        ),
        "opening": text("Session that the debate continues; empty for an opening."),
        **common("position"),
        "job": text("Name of the job that runs the session."),
        **common("model"),
        "personas": flag("Whether the agents have personas."),
        "graph": text("Peers of agents 1, 2, ..., as in 2+3|1+3|1+2; empty for an opening."),
        "seats": texts("Persona of each agent; empty without personas."),
        **common("agents"),
        "rounds": count("How many rounds follow the opening; 0 for an opening."),
        **common("seed"),
    },
    key=("session_id",),
)

#: The columns that name a session.
IDS = MANIFEST.pick("session_id", "team", "bank", "question_id", "condition")


@dataclass(frozen=True)
class Drawing:
    """What the manifest is drawn from besides the questions.

    Attributes
    ----------
    seed : the run's.
    agents, rounds : of every debate.
    shard : questions in one job.
    teams : name -> settings.
    personas : names that an agent may have as its persona.
    samples : rounds of the control sampled; None for as many as of debates.
    """

    seed: int
    agents: int
    rounds: int
    shard: int
    teams: Mapping[str, TeamSettings]
    personas: Sequence[str]
    samples: int | None = None

    def rounds_of(self, condition: str) -> int:
        """How many rounds a session has after its opening."""
        if condition == OPENING:
            return 0
        return self.samples or self.rounds if condition == SAMPLED else self.rounds


@dataclass(frozen=True)
class _Placed:
    """A question with its shard."""

    question_id: str
    bank: str
    block: int
    shard: str


@dataclass(frozen=True)
class _Cast:
    """Teams of the same agents, which share their openings."""

    model: str
    personas: bool
    teams: tuple[str, ...]


def draw(
    questions: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any], seed: int
) -> list[dict[str, Any]]:
    """The manifest of a run; see :class:`dissensus.study.study.Manifest`."""
    drawing = Drawing(
        seed,
        settings["agents"],
        settings["rounds"],
        settings["shard"],
        {name: TeamSettings(**team) for name, team in settings["teams"].items()},
        list(read_personas(settings["personas"])),
        settings["samples"],
    )
    return draw_manifest(questions.values(), drawing)


def draw_manifest(questions: Iterable[Mapping[str, Any]], drawing: Drawing) -> list[dict[str, Any]]:
    """Draw every session of the drawing.

    For every question and cast, that is the teams of one model with or without personas: one
    opening (round 0), shared by all debates of the cast on the question; which agent has which
    persona; and a uniformly random order of the debates, each a team under a condition. For every
    bank, a uniformly random assignment of its questions to shards. Each of these has a random
    stream of its own, so that a further bank or cast changes nothing that is drawn for others.

    Parameters
    ----------
    questions : rows of the questions artefact.
    drawing : of what, from which seed.

    Returns
    -------
    Rows of :data:`MANIFEST`, in the order of their ids. ``position`` is the order in which the
    sessions of a draw run, the opening at 0; ``graph`` is "" and ``rounds`` 0 for an opening,
    which neither can change.

    Raises
    ------
    SettingError : a team has personas, and they are fewer than its agents.
    """
    wanted = any(team.personas for team in drawing.teams.values())
    if wanted and len(drawing.personas) < drawing.agents:
        raise SettingError(
            f"identity.agents holds {drawing.agents}, and there are {len(drawing.personas)} "
            "personas; add some to the file that identity.personas names, or have fewer agents."
        )
    rows = []
    for placed in _in_shards(questions, drawing):
        for cast in _casts(drawing.teams, placed.bank):
            rows += _draw(placed, cast, drawing)
    return sorted(rows, key=lambda row: row["session_id"])


def _in_shards(questions: Iterable[Mapping[str, Any]], drawing: Drawing) -> list[_Placed]:
    """Every question with its shard; blocks are numbered on from bank to bank."""
    ordered = sorted(questions, key=lambda row: (row["bank"], row["question_id"]))
    assigned: list[_Placed] = []
    blocks = 0
    for bank, group in groupby(ordered, key=lambda row: row["bank"]):
        ids = [row["question_id"] for row in group]
        shards = -(-len(ids) // drawing.shard)
        width = max(2, len(str(shards)))
        order = stream(drawing.seed, "shards", bank).permutation(len(ids))
        for rank, index in enumerate(order):
            number = rank // drawing.shard + 1
            assigned.append(_Placed(ids[int(index)], bank, blocks + number, f"{number:0{width}d}"))
        blocks += shards
    return assigned


def _casts(teams: Mapping[str, TeamSettings], bank: str) -> list[_Cast]:
    """The casts that debate a bank's questions; the first team of each owns the openings.

    First in the alphabet, since the order in the settings depends on the files they are in.
    """
    casts: dict[tuple[str, bool], list[str]] = {}
    for name, team in sorted(teams.items()):
        if team.debates(bank):
            casts.setdefault((team.model, team.personas), []).append(name)
    return [_Cast(*agents, tuple(names)) for agents, names in casts.items()]


def _draw(placed: _Placed, cast: _Cast, drawing: Drawing) -> list[dict[str, Any]]:
    """The opening of a cast on a question, and every debate that goes on from it."""
    agents, question = drawing.agents, placed.question_id
    stream_key = (drawing.seed, cast.model, cast.personas, agents, question)
    seats: list[str] = []
    if cast.personas:
        order = stream(*stream_key, "seats").permutation(len(drawing.personas))[:agents]
        seats = [drawing.personas[int(index)] for index in order]
    debates = [
        (team, condition)
        for team in cast.teams
        for condition in (*CONDITIONS, *drawing.teams[team].controls)
    ]
    in_order = [debates[int(i)] for i in stream(*stream_key, "order").permutation(len(debates))]
    draw_id = f"{cast.teams[0]}-{question}"
    opening = f"{draw_id}-{OPENING}"

    def row(team: str, condition: str, position: int) -> dict[str, Any]:
        session_id = f"{team}-{question}-{condition}"
        is_opening = condition == OPENING
        peers = peers_in(drawing.teams[team].graph, agents)
        return {
            "session_id": session_id,
            "draw_id": draw_id,
            "block": placed.block,
            "team": team,
            "bank": placed.bank,
            "question_id": question,
            "condition": condition,
            "opening": "" if is_opening else opening,
            "position": position,
            "job": f"{team}-{placed.bank}-{condition}-{placed.shard}",
            "model": cast.model,
            "personas": cast.personas,
            "graph": "" if is_opening else write_peers(peers),
            "seats": seats,
            "agents": agents,
            "rounds": drawing.rounds_of(condition),
            "seed": seed_of(drawing.seed, session_id),
        }

    return [
        row(cast.teams[0], OPENING, 0),
        *(row(team, condition, place) for place, (team, condition) in enumerate(in_order, start=1)),
    ]
