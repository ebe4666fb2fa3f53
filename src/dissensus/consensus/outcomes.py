"""What is measured of every debate: what each outcome counts, said once."""

from __future__ import annotations

from functools import partial

from dissensus.report.declared import Outcome

_Of = partial(Outcome, each="debates")
_Share = partial(_Of, is_share=True, in_percent=True)

#: Declared before any data.
PRIMARY = "agreement"
#: The paper's nine measures and their variants, as its tables order them.
OUTCOMES = {
    "consensus_round": _Of(
        "First round in which all agents had one vote; the most rounds where there is none, which "
        "is a lower bound.",
        "Rounds to consensus",
        noun="number of rounds to consensus",
        short="Consensus round",
    ),
    "majority_round": _Of(
        "First round in which more than half had one vote.",
        "Rounds to a majority",
        noun="number of rounds to a majority",
        short="Majority round",
    ),
    "switches": _Of(
        "How often agents changed their votes.",
        "Vote switches of a debate",
        noun="number of vote switches of a debate",
        short="Vote switches",
    ),
    PRIMARY: _Share(
        "Share of a debate's agents that are in its largest group in the last round.",
        "Share of agents in the largest group at the end",
        noun="share of agents in the largest group at the end",
        short="Agreement",
    ),
    "compromise": _Share(
        "Mean distance between an agent's first and last vote, over 4.",
        "Way from first to last vote, of the whole scale",
        noun="way from first to last vote, as a share of the scale",
        short="Compromise",
    ),
    "cosine": _Of(
        "Mean cosine of agents' first and last explanations.",
        "Cosine of first and last explanation",
        noun="cosine of an agent's first and last explanation",
        short="Cosine",
    ),
    "dogmatic": _Share(
        "Share of agents that never switched and ended outside the mode.",
        "Share of agents that never switch and end outside the mode",
        noun="share of agents that never switch and end outside the mode",
        short="Dogmatic",
    ),
    "sycophancy": _Share(
        "Switches to the mode of the round before, over agents and rounds.",
        "Switches to the mode, of all opportunities",
        noun="share of opportunities at which an agent switches to the mode",
        short="Sycophancy, of opportunities",
    ),
    "match": _Share(
        "1 where the mode at the end is what the public prefers, else 0.",
        "Share of debates that match the public",
        noun="share of debates whose mode at the end is what the public prefers",
        short="GT match",
    ),
    "consensus": _Share(
        "Whether all agents had one vote in any round, at which the debate ends.",
        "Share of debates that end in one vote of all agents",
        noun="share of debates that end in one vote of all agents",
        short="Consensus",
    ),
    "sycophancy_of_switches": _Share(
        "Share of switches to the mode of the round before.",
        "Switches to the mode, of all switches",
        noun="share of switches that go to the mode",
        short="Sycophancy, of switches",
    ),
    "match_levels": _Share(
        "The same at three levels: against, neutral, for.",
        "Share of debates that match the public at three levels",
        noun="share of debates whose mode is what the public prefers, at three levels",
        short="GT match, three levels",
    ),
}
#: Measures of one strategy alone.
OWN = {
    "alignment": _Of(
        "Share on the expert's position at the end, minus that in round 1.",
        "Alignment with the expert",
    ),
    "weighted_match": _Share(
        "As match, of ReConcile's confidence-weighted vote.", "Match by the weighted vote"
    ),
}
#: All of them, the primary one first.
DECLARED = {PRIMARY: OUTCOMES[PRIMARY], **OUTCOMES, **OWN}


def header(outcome: str, factor: float) -> str:
    """What a column of a table is called, as in the paper: "Agreement %" of a factor of 100."""
    name, comma, of = OUTCOMES[outcome].column.partition(",")
    return f"{name} %{comma}{of}" if factor == 100.0 else f"{name}{comma}{of}"
