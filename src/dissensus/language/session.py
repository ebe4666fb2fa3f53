"""One session of the language study, from its specification to its artefacts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from dissensus.debate.record import SessionPaths, write_session
from dissensus.debate.runner import Limits, hold_session
from dissensus.fingerprint import code_digest, digest
from dissensus.language.protocol import Prompts, debate
from dissensus.language.settings import ROLES, LanguageStudy
from dissensus.tables.provenance import provenance
from dissensus.talk.journal import Journal
from dissensus.talk.shared import claimed
from dissensus.talk.switchboard import Switchboard


def specify(
    row: Mapping[str, Any],
    motions: Mapping[str, Mapping[str, Any]],
    study: LanguageStudy,
    identities: Mapping[str, str],
) -> dict[str, Any]:
    """All that a session depends on, as plain data: held again exactly when this changes.

    Parameters
    ----------
    row : the session's row of the manifest.
    motions : motion_id -> row of the pool.
    study : settings.
    identities : model -> digest of what its replies depend on.
    """
    condition = study.languages[row["language"]]
    return {
        **row,
        "topic": motions[row["motion_id"]][condition.motion],
        "prompts": condition.prompts,
        "prompts_sha256": _prompts(condition.prompts).sha256,
        "script": condition.script,
        "protocol": study.protocol.model_dump(),
        "code": _protocol_code(),
        "models": {row[role]: identities[row[role]] for role in ROLES},
    }


def hold(
    spec: Mapping[str, Any],
    switchboard: Switchboard,
    journal: Path,
    paths: SessionPaths,
) -> str:
    """Hold the session of a specification, or finish it from its journal, and write it down.

    Parameters
    ----------
    spec : see :func:`specify`.
    switchboard : the run's models.
    journal, paths : where its replies and its artefacts are kept.

    Returns
    -------
    Why it failed for good, "" where it did not.
    """
    cast = {role: spec[role] for role in ROLES}
    speakers = {name: switchboard.model(name) for name in cast.values()}
    protocol = spec["protocol"]
    steps = debate(
        _prompts(spec["prompts"]),
        spec["topic"],
        cast,
        script=spec["script"],
        words_per_sentence=protocol["words_per_sentence"],
        system_message=protocol["system_message"],
    )
    limits = Limits(
        protocol["repairs"],
        protocol["session_attempts"],
        protocol["temperature"],
        protocol["max_tokens"],
        protocol["session_deadline_s"],
    )
    simulated = all(provider.simulated for provider in speakers.values())
    made_by = provenance("hold_session", simulated, spec)
    ids = {name: spec[name] for name in ("session_id", "draw_id", "language")}
    # A job that outlived its run may still hold this session: what it paid for is read after it.
    with claimed(journal):
        with Journal(journal) as kept:
            session = hold_session(spec["seed"], steps, speakers, kept, limits)
        write_session(paths, session, ids, made_by, digest(dict(spec)))
    return session.failure


@cache
def _protocol_code() -> str:
    """Digest of the protocol, its rules and the runner: a session edited that way is held again.

    That costs nothing where the requests stay the same, since its journal answers them.
    """
    return code_digest("dissensus.language.protocol", "dissensus.debate.runner")


@cache
def _prompts(path: str) -> Prompts:
    return Prompts.read(path)
