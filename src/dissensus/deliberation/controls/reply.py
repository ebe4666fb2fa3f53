"""The JSON object of a judge's reply, whatever stands around it."""

from __future__ import annotations

from typing import Any, TypeVar

import json_repair
from pydantic import BaseModel, ConfigDict, ValidationError

Reply = TypeVar("Reply", bound=BaseModel)


class Part(BaseModel):
    """Base of what a judge writes: unknown keys are ignored, numbers may come as text."""

    model_config = ConfigDict(extra="ignore", frozen=True)


def read_reply(text: str, model: type[Reply]) -> tuple[Reply | None, tuple[str, ...]]:
    """The last JSON object of a reply, validated.

    Parameters
    ----------
    text : the whole reply.
    model : what the object must be.

    Returns
    -------
    The object and no problems, or None and what is wrong with it, a sentence each.
    """
    try:
        found: Any = json_repair.loads(text)
    except (ValueError, RecursionError):
        found = None
    objects = [part for part in _parts(found) if isinstance(part, dict) and part]
    if not objects:
        return None, ("The reply has no JSON object.",)
    try:
        return model.model_validate(objects[-1]), ()
    except ValidationError as error:
        return None, tuple(
            f"{'.'.join(map(str, fault['loc'])) or 'The object'}: {fault['msg']}."
            for fault in error.errors()
        )


def _parts(found: Any) -> list[Any]:
    return found if isinstance(found, list) else [found]
