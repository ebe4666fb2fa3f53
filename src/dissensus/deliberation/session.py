"""What the core is told about the deliberation study's sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from dissensus.deliberation.controls.schedules import PRESETS
from dissensus.deliberation.design.manifest import MANIFEST, read_manifest
from dissensus.deliberation.design.topics import read_topics_artefact
from dissensus.deliberation.prompts import Note, Topic, Wording
from dissensus.deliberation.protocol import Arm, Cast, deliberate
from dissensus.deliberation.settings import ArmSettings, ControlSettings, DeliberationStudy
from dissensus.digests import code_digest
from dissensus.errors import ResourceError, SettingError
from dissensus.llm.providers import identity
from dissensus.session.protocol import Steps
from dissensus.tables.artefact import Column

Row = Mapping[str, Any]

#: When a session is held changes nothing about it; the hint is of account where it is given.
_LEFT_OUT = ("block", "arm_order", "position", "hint", "hint_option", "hint_round")


@dataclass(frozen=True)
class Debates:
    """The study's sessions; see :class:`dissensus.study.sessions.Debates`.

    Attributes
    ----------
    folder : the study's.
    study : its settings.
    rows : session_id -> row of the manifest.
    topics : topic_id -> row of the topics.
    identities : model -> digest of what its replies depend on.
    """

    folder: Path
    study: DeliberationStudy
    rows: Mapping[str, Row]
    topics: Mapping[str, Row]
    identities: Mapping[str, str]

    IDS: ClassVar[dict[str, Column]] = MANIFEST.pick("session_id", "draw_id", "topic_id", "arm")
    ARM: ClassVar[str] = "arm"

    @classmethod
    def read(cls, folder: Path, study: DeliberationStudy, models: Mapping[str, Row]) -> Debates:
        """Those whose topics and manifest are in a folder; ``models``: name -> its settings.

        Raises
        ------
        SettingError : a judge is a model of the panel under another name.
        ResourceError : an arm has hints, and no topic has a truth.
        """
        _judges_are_others(study, models)
        known = {name: identity(name, models[name]) for name in (*study.panel, *study.judges)}
        rows = read_manifest(folder / "manifest.parquet")
        topics = read_topics_artefact(folder / "topics.parquet")
        hinted = [name for name, arm in study.arms.items() if arm.hints]
        if hinted and not any(topic["truth"] for topic in topics.values()):
            raise ResourceError(
                f"{study.topics}: no topic has a truth, which the hints of deliberation.arms."
                f"{hinted[0]} need; give one, or leave that arm out."
            )
        return cls(folder, study, rows, topics, known)

    def spec(self, row: Row) -> dict[str, Any]:
        """All that a session depends on; ``row`` is one of the manifest.

        Of models and prompts, the judge's only where the arm asks one; the hint only where it is
        given; of the topic, not the truth, which no one is told; of the control, what the arm's
        schedule looks at.
        """
        study, topic = self.study, self.topics[row["topic_id"]]
        settings = study.arms[row["arm"]]
        judge = row["judge"] if settings.judged else ""
        note = (row["hint_option"], row["hint_round"]) if row["hint"] != "none" else ()
        return {
            **{name: value for name, value in row.items() if name not in _LEFT_OUT},
            "judge": judge,
            "topic": {
                "question": topic["question"],
                "options": topic["options"],
                "evidence": dict(zip(topic["evidence_ids"], topic["evidence"], strict=True)),
            },
            "held_as": {
                "topology": settings.topology,
                "crit": settings.crit,
                "assessed": settings.assessed,
                "retries": study.control.rca_retries if settings.rca else None,
                "schedule": settings.schedule,
                "control": _control(settings, study.control),
            },
            "note": list(note) if settings.hints else [],
            "prompts": study.prompts,
            "judging": study.judging,
            "wording_sha256": _wording(study.prompts, study.judging).sha256(settings.judged),
            "protocol": study.protocol.model_dump(),
            "code": _protocol_code(),
            "models": {name: self.identities[name] for name in (*row["cast"], judge) if name},
        }

    def kind(self, row: Row) -> tuple[str, ...]:
        """Arm, topic, cast, judge and hint."""
        hint = (row["hint_option"], str(row["hint_round"]))
        return (row["arm"], row["topic_id"], *row["cast"], row["judge"], *hint)

    def steps(self, spec: Row, placeholder: str | None = None) -> Callable[[], Steps]:
        """The rounds of a debate, which needs no other."""
        topic = spec["topic"]
        return deliberate(
            _wording(spec["prompts"], spec["judging"]),
            Topic(topic["question"], tuple(topic["options"]), topic["evidence"]),
            Cast({f"A{seat}": name for seat, name in enumerate(spec["cast"], 1)}, spec["judge"]),
            Arm(**spec["held_as"]),
            spec["rounds"],
            Note(*spec["note"]) if spec["note"] else None,
        )

    def before(self, row: Row) -> list[str]:
        """The session of the same draw that comes before this one, for their order in time."""
        if row["position"] == 1:
            return []
        arm = row["arm_order"].split(">")[row["position"] - 2]
        return [f"{row['draw_id']}-{arm}"]


def _judges_are_others(study: DeliberationStudy, models: Mapping[str, Row]) -> None:
    """Judges are other models than debaters, by the providers' names for them too."""
    panel = {models[name].get("model") or name: name for name in study.panel}
    for name in study.judges:
        model = models[name].get("model") or name
        if model in panel:
            raise SettingError(
                f"deliberation.judges holds {name!r}; it and {panel[model]!r} of the panel are "
                f"both {model!r}, and no model may judge a debate that it may be in: name another."
            )


def _control(arm: ArmSettings, control: ControlSettings) -> dict[str, Any]:
    """What an arm's schedule looks at; see :class:`dissensus.deliberation.controls.loop.Loop`."""
    if arm.schedule is None:
        return {}
    names = None if arm.schedule in PRESETS else {"start"}
    return control.model_dump(include=names, exclude={"rca_retries"})


@cache
def _protocol_code() -> str:
    """Digest of the protocol and the runner; see the language study's."""
    return code_digest("dissensus.deliberation.protocol", "dissensus.session.runner")


@cache
def _wording(debating: str, judging: str) -> Wording:
    return Wording.read(debating, judging)
