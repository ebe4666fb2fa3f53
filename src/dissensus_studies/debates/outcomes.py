"""What is measured of every imported debate: the outcomes of a session, and those by round."""

from __future__ import annotations

from dissensus.study.experiment.outcomes import Outcome

#: What is primary where no truth is known.
LEXICAL = "s_lex"
#: What is primary where one is: the first that all arms have.
TRUTH_BASED = ("right_last", "decided_right")
OUTCOMES = {
    "s_lex": Outcome(
        "Lexical similarity of the speakers: 1 - JSD / log of their number, of their token "
        "distributions.",
        "Lexical similarity of speakers",
        is_share=True,
    ),
    "s_sem": Outcome(
        "Mean cosine similarity of any two turns' embeddings.", "Semantic similarity of turns"
    ),
    "vendi": Outcome(
        "Vendi score: how many different turns the turns are worth.", "Vendi score", "turns"
    ),
    "reuse": Outcome(
        "Mean share of a turn's tokens, and of those of the turn before it by another speaker, "
        "that match in order.",
        "Reuse of the turn before",
        is_share=True,
    ),
    "turns": Outcome("How many turns say something.", "Turns", "count"),
    "speakers": Outcome("How many say something.", "Speakers", "count"),
    "words": Outcome("Mean length of a turn.", "Length of a turn", "words"),
    "changed": Outcome(
        "Share of the speakers with two values or more whose last is another than their first.",
        "Speakers who change their value, of those who have two",
        is_share=True,
    ),
    "agreement_first": Outcome(
        "Share of the pairs of speakers whose first values are equal.",
        "Agreement of first values",
        is_share=True,
    ),
    "agreement_last": Outcome(
        "Share of the pairs of speakers whose last values are equal.",
        "Agreement of last values",
        is_share=True,
    ),
    "right_first": Outcome(
        "Share of the speakers whose first value is the truth.",
        "Speakers who begin right",
        is_share=True,
    ),
    "right_last": Outcome(
        "Share of the speakers whose last value is the truth.",
        "Speakers who end right",
        is_share=True,
    ),
    "discovery": Outcome(
        "1 where somebody's last value is the truth though nobody's first is, 0 where nobody's is "
        "either; not defined where somebody begins right.",
        "Groups that find what nobody had",
        is_share=True,
    ),
    "gain": Outcome(
        "Of the speakers with two values or more: the share from a wrong first value to a right "
        "last one, less the share from right to wrong.",
        "Gain in right values of speakers who have two",
        null=0.0,
    ),
    "decided_right": Outcome(
        "1 where what the group decides is the truth.", "Groups that decide right", is_share=True
    ),
    "score": Outcome("Score that the file gives the session.", "Score"),
    "model_tokens": Outcome(
        "Tokens that the models read and wrote in all turns, as the file has them.",
        "Tokens of models",
        "tokens",
    ),
    "cost": Outcome("What all turns cost, as the file has it.", "Cost", "US dollars"),
}
#: A round is the one that the file gives, or else each speaker's n-th turn.
BY_ROUND = {
    "lexical": Outcome(
        "Lexical similarity of those who speak in the round.",
        "Lexical similarity of speakers",
        by="round",
    ),
    "semantic": Outcome(
        "Mean cosine similarity of any two turns of the round.",
        "Semantic similarity of turns",
        by="round",
    ),
    "length": Outcome("Mean length of a turn.", "Length of a turn", "words", by="round"),
    "agreement": Outcome(
        "Share of the pairs of speakers whose last values until the end of the round are equal.",
        "Agreement of values",
        by="round",
    ),
}


def primary_first(primary: str) -> dict[str, Outcome]:
    """The outcomes of a session, the primary one of a run first."""
    return {primary: OUTCOMES[primary], **OUTCOMES}
