"""Which claims survive: the grounded labelling of a debate's attack graph.

Source: P. M. Dung (1995), "On the acceptability of arguments", Artificial Intelligence 77, 321-357.
Rebuttals answer earlier claims, so the graph has no circle, and its grounded extension is its only
preferred and its only stable one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from .tally import Claim, Rebuttal, counts


def fates(claims: Sequence[Claim], rebuttals: Sequence[Rebuttal]) -> dict[str, str]:
    """claim_id -> survives, contested or demolished.

    A demolition attacks. A claim is in if all its attackers are out, and out if one is in; a
    rebuttal that is no claim of its own attacks, and nothing attacks it. What is out is demolished.
    What is in is contested where any rebuttal of it is worth something, and survives otherwise.
    """
    claim_of = {claim.claim_id: claim for claim in claims}
    counted = [rebuttal for rebuttal in rebuttals if counts(rebuttal, claim_of)]
    attackers: dict[str, list[str]] = defaultdict(list)
    for rebuttal in counted:
        if rebuttal.demolishes:
            attackers[rebuttal.claim_id].append(rebuttal.by)
    is_in: dict[str, bool] = {}
    # Attackers speak later than what they attack: from the last speech back, each is known in time.
    for claim in sorted(claims, key=lambda claim: -claim.speech):
        is_in[claim.claim_id] = not any(
            _stands(by, claim, claim_of, is_in) for by in attackers.get(claim.claim_id, ())
        )
    answered = {rebuttal.claim_id for rebuttal in counted if rebuttal.points > 0}
    return {
        name: ("contested" if name in answered else "survives") if stands else "demolished"
        for name, stands in is_in.items()
    }


def _stands(by: str, target: Claim, claim_of: dict[str, Claim], is_in: dict[str, bool]) -> bool:
    """Whether an attacker is in: a later claim of the other side, or a rebuttal by itself."""
    claim = claim_of.get(by)
    if claim is None or claim.side == target.side or claim.speech <= target.speech:
        return True
    return is_in[by]
