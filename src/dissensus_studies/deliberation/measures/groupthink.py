"""Agreement that nobody examined: which rival options agents engage, and what is lost unengaged."""

from __future__ import annotations

from .debate import MeasuredDebate, share
from .graph import Material, available


def rival_coverage(debate: MeasuredDebate, material: Material) -> float | None:
    """Share of the rival options before each agent that it engages.

    A rival option of an agent in a round is one that another agent holds after the round before,
    that is not the agent's own stance then, and that a material claim of another agent speaks for.
    It is covered if the agent engages such a claim in the round, whatever the relation. Where
    :func:`~.measures.graph.claim_engagement` counts claims, this counts what
    they speak for: who answers one claim of each other camp covers all of them. CRIT asks for rival
    reasons beside an agent's own (Chang, 2023, IEEE CCWC, "Prompting large language models with the
    Socratic method"), and the protocol names rival exposure as what topologies differ in; the
    measure is the project's.

    Parameters
    ----------
    debate : the session.
    material : which claims count, all or those that cite evidence.

    Returns
    -------
    Over all agents and rounds from the second, in [0, 1]; None where no agent has a rival. An agent
    that gave no stance in the round before has no rivals, and its option is nobody's rival.
    """
    covered = rivals = 0
    for round_ in range(2, debate.rounds + 1):
        stances = set(debate.stances(round_ - 1).values())
        faced: dict[tuple[str, str], bool] = {}
        for agent, claim in available(debate, round_, material):
            if claim.option in stances:
                key = agent, claim.option
                engaged = (agent, claim.id, round_) in debate.answered
                faced[key] = faced.get(key, False) or engaged
        covered += sum(faced.values())
        rivals += len(faced)
    return share(covered, rivals)


def groupthink(retention: float | None, coverage: float | None) -> float | None:
    """How much disagreement was lost without the rival options being engaged.

    Groupthink is striving for unanimity that overrides the appraisal of alternatives (Janis, 1972,
    Victims of Groupthink, Houghton Mifflin). The index is the project's, and takes that at its
    word: the share of divergence lost, times the share of rival options that nobody engaged.

    Parameters
    ----------
    retention : JS divergence of the last round over that of the first.
    coverage : :func:`rival_coverage`.

    Returns
    -------
    max(0, 1 - retention) (1 - coverage), in [0, 1]: 0 where disagreement stays or every rival was
    engaged, 1 where all of it goes and none was; None where either is unknown.
    """
    if retention is None or coverage is None:
        return None
    return max(0.0, 1.0 - retention) * (1.0 - coverage)
