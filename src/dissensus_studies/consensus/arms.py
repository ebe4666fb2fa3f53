"""What the arms of the consensus study are called for readers, by their strategies."""

from __future__ import annotations

from collections.abc import Mapping

#: What agents are told or shown, by strategy, in a sentence.
TOLD = {
    "debate": "told to debate",
    "discuss": "told to discuss",
    "consensus": "told to seek consensus",
    "compromise": "told to compromise",
    "reconcile": "told to weigh each other’s confidence",
    "moderator": "with a moderator",
    "nudger": "nudged towards the truth",
    "credible": "with an expert",
    "sentimental": "with an appeal to feelings",
    "alliance": "after talks with allies",
    "opposites": "after talks with opponents",
    "ccagent": "shown CCAgent’s examples",
}
#: The same in a figure or a table, where the strategy's own name is no plain word for it.
SHORT = {
    "nudger": "nudge to the truth",
    "credible": "expert",
    "sentimental": "appeal to feelings",
    "alliance": "talks with allies",
    "opposites": "talks with opponents",
    "reconcile": "weighed confidence",
    "ccagent": "CCAgent",
    "ccagent_without_good": "no good examples",
    "ccagent_without_bad": "no bad examples",
    "ccagent_without_rationale": "no rationale",
    "ccagent_without_counterfactual": "no counterfactual",
    "ccagent_metrics_only": "numbers alone",
    "ccagent_transferred": "from another domain",
}


def named(arms: Mapping[str, str]) -> dict[str, str]:
    """Arm -> its words in figures and tables, of the arms that are called like their strategy.

    Parameters
    ----------
    arms : arm -> strategy. The arm may have something behind the strategy's name, such as
        ``ccagent_other``, and the name need not begin with ``ccagent_``.
    """
    words = {}
    for arm, strategy in arms.items():
        short = SHORT.get(strategy, "")
        for name in (strategy, strategy.removeprefix("ccagent_")):
            if short and arm.startswith(name):
                words[arm] = short + arm.removeprefix(name).replace("_", " ")
    return words
