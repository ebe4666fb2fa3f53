"""Small debates for tests of the measures, written by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from ..measures.debate import Claim, Engagement, MeasuredDebate, Standing

OPTIONS = ("P", "Q", "R", "S")


def certain(stance: str, options: Sequence[str] = OPTIONS) -> tuple[float, ...]:
    return tuple(float(option == stance) for option in options)


def debate(
    rounds: Sequence[str],
    claims: Sequence[str] = (),
    engagements: Sequence[tuple[int, str, str, str]] = (),
    evidence: dict[str, tuple[str, ...]] | None = None,
    beliefs: dict[tuple[int, str], tuple[float, ...]] | None = None,
    **parts: Any,
) -> MeasuredDebate:
    """A debate whose agents are certain.

    ``rounds``: a letter an agent, its stance, "-" unknown. ``claims``: full ids; their option is
    the author's stance. ``engagements``: (round, source, relation, full id of a claim), all
    resolved but those with another status in place of the id.
    """
    agents = tuple(f"A{seat}" for seat in range(1, len(rounds[0]) + 1))
    standings = {
        (round_, agent): Standing(stance, (beliefs or {}).get((round_, agent), certain(stance)))
        for round_, letters in enumerate(rounds, start=1)
        for agent, stance in zip(agents, letters, strict=True)
        if stance != "-"
    }
    made = []
    for name in claims:
        agent, round_ = name.split(".")[0], int(name.split(".")[1])
        option = standings.get((round_, agent), Standing()).stance
        made.append(Claim(name, agent, round_, option, (evidence or {}).get(name, ())))
    edges = [
        Engagement(round_, source, relation, "resolved", target.split(".")[0], target)
        if "." in target
        else Engagement(round_, source, relation, target, "", "")
        for round_, source, relation, target in engagements
    ]
    return MeasuredDebate(
        agents, len(rounds), OPTIONS, standings, tuple(made), tuple(edges), **parts
    )


@st.composite
def debates(draw: st.DrawFn) -> MeasuredDebate:
    """Any debate of up to four agents and rounds, with its references in order."""
    agents, rounds = draw(st.integers(2, 4)), draw(st.integers(1, 4))
    letters = [
        "".join(draw(st.sampled_from("PQRS-")) for _ in range(agents)) for _ in range(rounds)
    ]
    claims = [
        f"A{agent}.{round_}.c{number}"
        for round_ in range(1, rounds + 1)
        for agent in range(1, agents + 1)
        for number in range(draw(st.integers(0, 2)))
    ]
    edges = []
    for name in claims:
        author, made = name.split(".")[0], int(name.split(".")[1])
        for round_ in range(made + 1, rounds + 1):
            for source in range(1, agents + 1):
                if f"A{source}" != author and draw(st.booleans()):
                    relation = draw(st.sampled_from(["rebut", "concede", "question", "support"]))
                    edges.append((round_, f"A{source}", relation, name))
    cited = {name: ("e1",) for name in claims if draw(st.booleans())}
    return debate(letters, claims, edges, cited)


def permuted(given: MeasuredDebate, order: Sequence[int]) -> MeasuredDebate:
    """The same debate with its agents called otherwise: A1 becomes A(order[0])."""
    new = {agent: f"A{order[seat]}" for seat, agent in enumerate(given.agents)}

    def named(full: str) -> str:
        return ".".join([new[full.split(".")[0]], *full.split(".")[1:]]) if full else ""

    return MeasuredDebate(
        given.agents,
        given.rounds,
        given.options,
        {(round_, new[agent]): one for (round_, agent), one in given.standings.items()},
        tuple(
            Claim(named(c.id), new[c.agent], c.round, c.option, c.evidence) for c in given.claims
        ),
        tuple(
            Engagement(
                e.round, new[e.source], e.relation, e.status, new.get(e.agent, ""), named(e.claim)
            )
            for e in given.engagements
        ),
    )


def reply(stance: str, text: str = "", **parts: Any) -> str:
    """A debater's whole reply."""
    said = {
        "stance": stance,
        "probabilities": dict(zip(OPTIONS, certain(stance), strict=True)),
        "confidence": 0.5,
        "claims": [],
        "engagements": [],
        **parts,
    }
    return f"{text}\n{json.dumps(said)}"
