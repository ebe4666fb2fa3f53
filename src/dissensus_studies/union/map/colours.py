"""The colours of clusters, the same on the map's page and in the study's figure."""

from __future__ import annotations

#: Each with a contrast of 4.5 or more to white, so that white numbers can stand on it.
COLOURS = (
    *("#1f5a96", "#a8480f", "#2a7548", "#8e3b8a", "#746000", "#b0305c"),
    *("#00707d", "#6b4c9a", "#7d4a2f", "#467000", "#c2271e", "#4a5f78"),
)


def colour_of(number: int) -> str:
    """The colour of the cluster of a number, from 1; they come round after twelve."""
    return COLOURS[(number - 1) % len(COLOURS)]
