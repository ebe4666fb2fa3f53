"""Who sees whom: the peers of every agent, and how an artefact writes them in one text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

#: The peers of agents 1, 2, 3, ..., in the order in which their opinions are shown.
Peers = tuple[tuple[int, ...], ...]

#: Graphs that have a name.
NAMED = ("ring", "full", "star")


def peers_in(graph: str | Mapping[int, Sequence[int]], agents: int) -> Peers:
    """The peers of every agent.

    Parameters
    ----------
    graph : ring (each sees the next), full (each sees all others), star (agent 1 and the others
        see each other), or agent -> its peers, numbered from 1.
    agents : how many.

    Raises
    ------
    ValueError : an agent is missing, unknown, sees nobody, itself, or somebody twice.
    """
    everyone = range(1, agents + 1)
    if graph == "ring":
        return tuple((agent % agents + 1,) for agent in everyone)
    if graph == "full":
        return tuple(tuple(peer for peer in everyone if peer != agent) for agent in everyone)
    if graph == "star":
        return (tuple(everyone[1:]), *((1,) for _ in everyone[1:]))
    if isinstance(graph, str):
        raise ValueError(f"it may be one of {', '.join(NAMED)}, or the peers of each agent")
    for agent in everyone:
        peers = list(graph.get(agent, ()))
        if not peers:
            raise ValueError(f"agent {agent} of {agents} needs at least one peer")
        if len(set(peers)) < len(peers) or not set(peers) <= set(everyone) - {agent}:
            raise ValueError(
                f"the peers of agent {agent} must be different others of 1 to {agents}"
            )
    if len(graph) > agents:
        raise ValueError(f"it must name agents 1 to {agents} only")
    return tuple(tuple(graph[agent]) for agent in everyone)


def write_peers(peers: Peers) -> str:
    """One text for a graph: the peers of agents 1, 2, ..., such as ``2|3|1`` or ``2+3|1+3|1+2``."""
    return "|".join("+".join(map(str, each)) for each in peers)


def read_peers(text: str) -> Peers:
    """The peers, numbered from 1, that :func:`write_peers` wrote; none for "" (an opening's)."""
    each = text.split("|") if text else []
    return tuple(tuple(int(peer) for peer in peers.split("+")) for peers in each)
