"""What simulated agents make of the examples that stand before their debates."""

from __future__ import annotations

import re
from functools import cache

from ..domains import read_statements
from ..learning.block import SHOWN

#: How an agent knows where the examples end, and which parts they have.
END_OF_EXAMPLES = "Here end the examples, and your own debate begins."
PARTS = {
    "good": re.compile(r"\nExample \d+, a strong one"),
    "bad": re.compile(r"\nExample \d+, a weak one"),
    "told": re.compile(r"\nRound 1\. It voted"),
    "rationale": re.compile(r"\nWhy it is (strong|weak): "),
    "counterfactual": re.compile(r"\nWhat would have made it (strong|weak): "),
}
_STATEMENT = re.compile(r"\nExample \d+, .+? The statement was: (.+)")
#: Domains as name and folder.
Domains = tuple[tuple[str, str], ...]


def parts_of(examples: str) -> list[str]:
    """The parts that some examples have, as a prompt shows them."""
    return [part for part, mark in PARTS.items() if mark.search(f"\n{examples}")]


def shown_parts(strategy: str) -> list[str]:
    """The parts that a strategy shows, where nothing of them is lost."""
    shown = SHOWN[strategy]
    return [
        *shown.labels,
        *(part for part in ("told", "rationale", "counterfactual") if getattr(shown, part)),
    ]


def taught_by(examples: str, domains: Domains) -> set[str]:
    """The domains whose statements some examples are of; "" for one that is not known."""
    homes = _homes(domains)
    return {homes.get(statement, "") for statement in _STATEMENT.findall(f"\n{examples}")}


def domain_of(statement: str, domains: Domains) -> str:
    """The domain of a statement that is known."""
    return _homes(domains)[statement]


@cache
def _homes(domains: Domains) -> dict[str, str]:
    """Statement -> its domain."""
    return {
        row["statement"]: name for name, folder in domains for row in read_statements(name, folder)
    }
