"""What is measured of every team: what the primary outcome counts, said once."""

from __future__ import annotations

from dissensus.report.declared import Outcome

#: Declared before any data: the measure of the estimates.
PRIMARY = "ibc"

OUTCOMES = {
    PRIMARY: Outcome(
        "Conformity less obstinacy with labels, less the same without labels, over answers that "
        "disagree with a peer.",
        "Identity Bias Coefficient, round 1",
        noun="Identity Bias Coefficient, round 1",
        short="IBC",
        each="answers that disagree with a peer",
        # A difference of two differences of shares.
        bounds=(-2.0, 2.0),
    )
}
