"""What the core is told about the language study's sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from dissensus.digests import code_digest
from dissensus.language.design.manifest import MANIFEST, read_manifest
from dissensus.language.design.pool import read_pool
from dissensus.language.protocol import Prompts, debate
from dissensus.language.settings import ROLES, LanguageStudy
from dissensus.llm.providers import identity
from dissensus.session.protocol import Steps
from dissensus.tables.artefact import Column

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Debates:
    """The study's sessions; see :class:`dissensus.study.sessions.Debates`.

    Attributes
    ----------
    folder : the study's.
    study : its settings.
    rows : session_id -> row of the manifest.
    motions : motion_id -> row of the pool.
    identities : model -> digest of what its replies depend on.
    """

    folder: Path
    study: LanguageStudy
    rows: Mapping[str, Row]
    motions: Mapping[str, Row]
    identities: Mapping[str, str]

    IDS: ClassVar[dict[str, Column]] = MANIFEST.pick("session_id", "draw_id", "language")
    ARM: ClassVar[str] = "language"

    @classmethod
    def read(cls, folder: Path, study: LanguageStudy, models: Mapping[str, Row]) -> Debates:
        """Those whose pool and manifest are in a folder; ``models``: name -> its settings."""
        known = {name: identity(name, models[name]) for name in study.panel}
        rows = read_manifest(folder / "manifest.parquet")
        return cls(folder, study, rows, read_pool(folder / "pool.parquet"), known)

    def spec(self, row: Row) -> dict[str, Any]:
        """All that a session depends on; ``row`` is one of the manifest."""
        condition = self.study.languages[row["language"]]
        return {
            **row,
            "topic": self.motions[row["motion_id"]][condition.motion],
            "prompts": condition.prompts,
            "prompts_sha256": _prompts(condition.prompts).sha256,
            "script": condition.script,
            "protocol": self.study.protocol.model_dump(),
            "code": _protocol_code(),
            "models": {row[role]: self.identities[row[role]] for role in ROLES},
        }

    def kind(self, row: Row) -> tuple[str, ...]:
        """Language, motion and cast."""
        return (row["language"], row["motion_id"], *(row[role] for role in ROLES))

    def steps(self, spec: Row, placeholder: str | None = None) -> Callable[[], Steps]:
        """The eight turns of a debate, which needs no other."""
        return debate(
            _prompts(spec["prompts"]),
            spec["topic"],
            {role: spec[role] for role in ROLES},
            script=spec["script"],
            words_per_sentence=spec["protocol"]["words_per_sentence"],
            system_message=spec["protocol"]["system_message"],
        )

    def before(self, row: Row) -> list[str]:
        """The session of the same draw that comes before this one, for their order in time."""
        if row["position"] == 1:
            return []
        language = row["language_order"].split(">")[row["position"] - 2]
        return [f"{row['draw_id']}-{language}"]


@cache
def _protocol_code() -> str:
    """Digest of the protocol, its rules and the runner: a session edited that way is held again.

    That costs nothing where the requests stay the same, since its journal answers them.
    """
    return code_digest("dissensus.language.protocol", "dissensus.session.runner")


@cache
def _prompts(path: str) -> Prompts:
    return Prompts.read(path)
