"""A toy debate whose turns a test decides."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dissensus.llm.call import Message
from dissensus.llm.model_files import OWN_MODELS, SETTING, ModelFiles
from dissensus.session.protocol import Call, Decoding, Parsed, Steps, Turn
from dissensus.session.runner import Limits, Session
from dissensus.study.registry import STUDIES, package_of
from dissensus.user_files import read_yaml

ROOT = Path(__file__).parent.parent

#: Limits with nothing unusual about them.
LIMITS = Limits(repairs=2, session_attempts=3)
DECODING = Decoding(temperature=0.2, max_tokens=512)


def default_configuration() -> dict[str, Any]:
    """config.yaml with its simulated models in place, as plain data of which nothing is shared."""
    values = read_yaml(ROOT / "config.yaml")
    values["studies"] = [name for name in values if name in STUDIES]
    values[SETTING] = {
        name: str(ROOT / "studies" / name / OWN_MODELS) for name in values["studies"]
    }
    values = ModelFiles.of(values, "config.yaml", package_of).merged
    # Else each study brings its file.
    values[SETTING] = dict.fromkeys(values["studies"])
    for study in values["studies"]:
        values[study]["diagnosis"] = _in_place(values[study]["diagnosis"], values["models"])
    made: dict[str, Any] = json.loads(json.dumps(values))
    return made


def _in_place(block: Any, models: dict[str, Any]) -> Any:
    """A block with models for their names."""
    if isinstance(block, dict):
        return {name: _in_place(value, models) for name, value in block.items()}
    if isinstance(block, list):
        return [_in_place(value, models) for value in block]
    return models.get(block, block) if isinstance(block, str) else block


class NoBad:
    """The one rule of a toy debate: do not say "bad". Its value is the text in capitals."""

    def read(self, text: str) -> Parsed[str]:
        return Parsed(text.upper(), ("bad word",) if "bad" in text else ())


def toy_call(number: int, speaker: str = "A", prompt: str = "", model: str = "m") -> Call:
    """A call with the prompt ``prompt``, asked again with the violations appended."""
    content = prompt or f"turn {number}"

    def again(violations: tuple[str, ...]) -> tuple[Message, ...]:
        return (Message("user", f"{content} REPAIR {'; '.join(violations)}"),)

    return Call(
        number=number,
        speaker=speaker,
        role=f"role {speaker}",
        round_label=f"round {number}",
        model=model,
        messages=(Message("user", content),),
        format=NoBad(),
        again=again,
        decoding=DECODING,
        purpose="debate",
    )


def left_by(session: Session) -> tuple[object, ...]:
    """All that a session left behind, but for the checks and prompts that its calls carry."""
    attempts = [
        (
            *(a.session_attempt, a.call.number, a.call.speaker, a.call.messages, a.attempt),
            *(a.request.sha256, a.provider, a.asked_model, a.reply, a.violations, a.accepted),
        )
        for a in session.attempts
    ]
    return attempts, session.turns, session.session_attempts, session.failure


def toy_debate(*steps: Sequence[str]) -> Callable[[], Steps]:
    """A debate with these speakers in each step; everyone is shown all that was said before."""

    def start() -> Steps:
        said: list[Turn] = []
        for number, speakers in enumerate(steps, start=1):
            heard = " | ".join(turn.text for turn in said)
            said += yield [
                toy_call(number, name, f"turn {number} of {name}: {heard}") for name in speakers
            ]

    return start
