"""What a session of the identity study depends on, and how it is held."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

from dissensus.digests import code_digest, digest
from dissensus.identity.design.banks import read_questions, write_question
from dissensus.identity.design.graph import read_peers
from dissensus.identity.design.manifest import MANIFEST, read_manifest
from dissensus.identity.protocol import AGENT, Debate, Prompts, read_personas
from dissensus.identity.settings import IdentityStudy
from dissensus.identity.terms import OPENING
from dissensus.llm.providers import identity
from dissensus.session.protocol import Steps
from dissensus.session.record import transcript
from dissensus.session.runner import CallFailed
from dissensus.study.sessions import paths_in
from dissensus.tables.artefact import Column, read

Row = Mapping[str, Any]

#: When and by which job a session is held changes nothing about it.
_LOGISTICS = ("draw_id", "block", "position", "job")


@dataclass(frozen=True)
class Debates:
    """The study's sessions; see :class:`dissensus.study.sessions.Debates`.

    Attributes
    ----------
    folder : the study's, under the run's.
    study : settings.
    rows : session_id -> row of the manifest, in the order of ids.
    questions : question_id -> row.
    identities : model -> digest of what its replies depend on.
    """

    IDS: ClassVar[dict[str, Column]] = MANIFEST.pick(
        "session_id", "team", "bank", "question_id", "condition"
    )
    ARM: ClassVar[str] = "condition"

    folder: Path
    study: IdentityStudy
    rows: Mapping[str, Row]
    questions: Mapping[str, Row]
    identities: Mapping[str, str]

    @classmethod
    def read(
        cls, folder: Path, study: IdentityStudy, models: Mapping[str, Mapping[str, Any]]
    ) -> Debates:
        """Those whose manifest and questions are in a folder; ``models``: name -> settings."""
        asked = dict.fromkeys(team.model for team in study.teams.values())
        return cls(
            folder,
            study,
            read_manifest(folder / "manifest.parquet"),
            read_questions(folder / "questions.parquet"),
            {name: identity(name, models[name]) for name in asked},
        )

    def spec(self, row: Row) -> dict[str, Any]:
        """All that a session depends on, as plain data: held again exactly when this changes.

        A debate's names the digest of its opening's, so that a change to that travels on.
        """
        spec = {name: value for name, value in row.items() if name not in _LOGISTICS}
        question, model = self.questions[row["question_id"]], row["model"]
        options = question["options"] if question["kind"] == "choice" else []
        spec |= {
            "question": write_question(question["kind"], question["text"], options),
            "kind": question["kind"],
            "n_options": len(options),
            "systems": [self._personas[seat] for seat in row["seats"]],
            "prompts_sha256": self._prompts.sha256(row["condition"]),
            "protocol": self._protocol,
            "models": {model: self.identities[model]},
            "code": self._code,
        }
        if row["opening"]:
            spec["opening_spec"] = self._openings[row["opening"]]
        return spec

    def kind(self, row: Row) -> tuple[Any, ...]:
        """Condition, question, model and graph; with personas, whoever has which."""
        return tuple(row[n] for n in ("condition", "question_id", "model", "personas", "graph"))

    def steps(self, spec: Row, placeholder: str | None = None) -> Callable[[], Steps]:
        """The protocol of a specified session.

        A debate begins by reading its opening, or ``placeholder`` where that is given.
        """
        seats = spec["seats"] or [AGENT] * spec["agents"]
        debate = Debate(
            prompts=self._prompts,
            question=spec["question"],
            kind=spec["kind"],
            n_options=spec["n_options"],
            model=spec["model"],
            seats=tuple(seats),
            systems=tuple(spec["systems"] or [""] * len(seats)),
        )
        if spec["condition"] == OPENING:
            return debate.opening
        said = None if placeholder is None else [placeholder] * len(seats)
        return partial(self._go_on, debate, spec, said)

    def before(self, row: Row) -> list[str]:
        """A debate's opening; nothing for an opening."""
        return [row["opening"]] if row["opening"] else []

    def _go_on(self, debate: Debate, spec: Row, said: list[str] | None) -> Steps:
        if said is None:
            said = self._opening(spec["opening"])
        peers, rounds = read_peers(spec["graph"]), spec["rounds"]
        if spec["condition"] == "vanilla":
            return debate.vanilla(said, peers, rounds)
        return debate.anonymized(said, peers, rounds, spec["seed"])

    def _opening(self, session_id: str) -> list[str]:
        """What every agent said in round 0, in the order of the agents.

        Raises
        ------
        CallFailed : the opening failed, so no debate can go on from it.
        ArtefactError : its transcript is not there, or is not one.
        """
        path = paths_in(self.folder, session_id).transcript
        turns = read(path, transcript(self.IDS)).select(["speaker", "text"]).to_pylist()
        if not turns:
            raise CallFailed(f"its opening {session_id} failed")
        return [turn["text"] for turn in sorted(turns, key=lambda turn: int(turn["speaker"][1:]))]

    @cached_property
    def _openings(self) -> dict[str, str]:
        """Opening -> digest of its specification."""
        return {
            name: digest(self.spec(row))
            for name, row in self.rows.items()
            if row["condition"] == OPENING
        }

    @cached_property
    def _prompts(self) -> Prompts:
        return Prompts.read(self.study.prompts)

    @cached_property
    def _personas(self) -> dict[str, str]:
        return read_personas(self.study.personas)

    @cached_property
    def _protocol(self) -> dict[str, Any]:
        return self.study.protocol.model_dump()

    @cached_property
    def _code(self) -> str:
        """Digest of the protocol and the runner: a session edited that way is held again.

        That costs nothing where the requests stay the same, since its journal answers them.
        """
        return code_digest("dissensus.identity.protocol", "dissensus.session.runner")
