"""What the arms of the deliberation study are called for readers, from their settings."""

from __future__ import annotations

from collections.abc import Mapping

from .settings import ArmSettings

#: A setting of an arm and its value -> what its agents are told or shown, in a sentence and in a
#: figure or a table.
WORDS = {
    ("topology", "full"): ("told to answer everyone", "answer everyone"),
    ("topology", "one_target"): ("told to answer one agent", "answer one agent"),
    ("schedule", "pid"): ("steered in tone by their quality", "steered in tone"),
    ("crit", True): ("shown a judge’s assessment", "see assessments"),
    ("rca", True): ("sent back where a stance does not follow", "sent back"),
    ("hints", True): ("given a hint", "given a hint"),
    ("sees", "own"): ("shown their own answers alone", "own answers alone"),
    ("sees", "nothing"): ("shown no earlier answer", "no earlier answer"),
    ("abstain", True): ("free to abstain", "may abstain"),
}
#: The same of an arm that has the default of every setting.
FREE = ("free to choose whom to answer", "free choice")


def words_of(arm: ArmSettings) -> tuple[str, str] | None:
    """In a sentence, and in a figure or a table; None where several settings are no default."""
    usual = ArmSettings().model_dump()
    changed = [pair for pair in arm.model_dump().items() if pair[1] != usual[pair[0]]]
    if len(changed) > 1:
        return None
    return WORDS.get(changed[0]) if changed else FREE


def named(arms: Mapping[str, ArmSettings]) -> dict[str, str]:
    """Arm -> its words in figures and tables, of the arms that have such.

    Of several arms with the same settings the first has them, and those that are called like it
    with something behind it, such as ``emergent_again``.
    """
    first: dict[str, str] = {}
    words = {}
    for name, arm in arms.items():
        short = (words_of(arm) or ("", ""))[1]
        of = first.setdefault(short, name)
        if short and name.startswith(of):
            words[name] = short + name.removeprefix(of).replace("_", " ")
    return words
