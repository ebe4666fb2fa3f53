"""Which sessions are rendered in the other languages, to measure the instrument."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dissensus.digests import digest


def rendered_draws(draws: Iterable[str], number: int | None, seed: int) -> set[str]:
    """The draws whose sessions are rendered.

    Parameters
    ----------
    draws : names of the manifest's draws.
    number : how many; None for all. A larger number has those of a smaller one among them.
    seed : of the run.
    """
    ordered = sorted(dict.fromkeys(draws), key=lambda name: digest([seed, "rendered", name]))
    return set(ordered if number is None else ordered[:number])


def renderings_of(languages: Sequence[str], reference: str) -> list[tuple[str, str]]:
    """(language of the debate, language that it is rendered in), both ways for every contrast."""
    others = [name for name in languages if name != reference]
    return [pair for name in others for pair in ((reference, name), (name, reference))]


def rendering_id(draw_id: str, language: str, into: str) -> str:
    """How a rendering is named, such as d007-en-as-zh."""
    return f"{draw_id}-{language}-as-{into}"


def is_debate(row: Mapping[str, Any]) -> bool:
    """Whether a session of the manifest is a debate, and no rendering of one."""
    return not row["rendered_from"]
