"""What columns hold, in few words; and those that several artefacts have.

Of the shared ones, one name has one meaning everywhere.
"""

from __future__ import annotations

from functools import partial

from dissensus.tables.artefact import Column, pick

#: A column of each kind, from its sentence; numbers may be missing and take their unit too.
text, texts, flag, number = (partial(Column, k) for k in ("string", "strings", "bool", "float?"))
whole = partial(Column, "int")
count = partial(whole, unit="count")
share = partial(number, unit="share, 0 to 1")
chance = partial(number, unit="probability, 0 to 1")

COMMON = {
    # Which session, and which call of it.
    "session_id": text("Name of the session, unique in its study."),
    "draw_id": text("Name of the draw: the sessions that share what was drawn at random."),
    "block": Column("int", "Number of the group of draws that a measuring job takes whole."),
    "position": Column("int", "Place of the session in the order in which its draw is run."),
    "complete": flag("Whether the session ran to its end."),
    "attempts": count("How often the whole session was tried."),
    "repairs": count("How often a turn that stands was asked for again."),
    "compliant": flag("Whether all that was said keeps the format rules of the protocol."),
    "agents": count("How many agents debate."),
    "seed": Column("int", "Seed of everything random in the session."),
    "session_attempt": Column("int", "Number of the attempt at the whole session, from 1."),
    "turn": Column("int", "Number of the step of the session, from 1."),
    "round": Column("int", "Round of the debate, from 1; 0 is an opening."),
    "speaker": text("Seat of the speaker, such as P1, A2, or J:A2 for a judge of A2."),
    "role": text("What the speaker is: its place on a side, its persona, a debater or a judge."),
    "model": text("Name of the model in the configuration."),
    "embedder": text("Name of the embedder in the configuration."),
    "tokenizer": text("Name of the tokeniser in the configuration."),
    "attempt": Column("int", "Number of the attempt at the same turn, from 1."),
    "parsed": flag("Whether the reply could be read as the protocol asks for it."),
    "parsed_share": share("Share of the replies that could be read."),
    # What a call cost.
    "input_tokens": Column(
        "int", "Tokens sent, those in the cache among them, as the provider counted them.", "tokens"
    ),
    "cached_tokens": Column(
        "int", "Tokens sent that the provider had in its cache, as it counted them.", "tokens"
    ),
    "output_tokens": Column("int", "Tokens received, as the provider counted them.", "tokens"),
    "cost_usd": number("Price of the answer; missing where the model has no price.", "US dollars"),
    "faults": texts("What became of each failed try before the last, in order."),
    "faults_said": texts(
        "What the provider said of each failed try, that of a failed call's last one among them."
    ),
    "faults_usd": number("What failed tries cost, or may have cost.", "US dollars"),
    "latency_s": number("Time from the first try to the reply, retries included.", "seconds"),
    "queued_s": number(
        "Time that the call waited under the rate limits before its first try.", "seconds"
    ),
    "error": text("Why there is no usable reply; empty where there is one."),
    "answered_by": text("Model that answered, as the provider named it."),
    "request_id": text("The provider's id of the call; empty where it gave none."),
    # What an estimate or a test says.
    "contrast": text("What is compared, a condition with its reference, as in zh-en."),
    "outcome": text("Column of the metrics that is estimated or tested."),
    "method": text("Name of the estimator or test."),
    "test": text("Name of the test."),
    "estimate": number(
        "What is estimated; missing or NaN where the data define no number.", "of what is estimated"
    ),
    "se": number("Standard error of the estimate.", "of what is estimated"),
    "ci_low": number("Lower limit of the confidence interval.", "of what is estimated"),
    "ci_high": number("Upper limit of the confidence interval.", "of what is estimated"),
    "df": number("Degrees of freedom of the test's reference distribution."),
    "p_value": chance("P-value before any adjustment."),
    "p_adjusted": chance("P-value adjusted by Holm's method over its family of tests."),
    "family_low": number(
        "Lower limit that holds for all contrasts of the headline's family together, whichever of "
        "them is picked (Bonferroni); missing in no such family.",
        "of the estimate",
    ),
    "family_high": number("Upper limit of the same.", "of the estimate"),
    "p_bh": chance("P-value adjusted by Benjamini and Hochberg over its family of tests."),
    "simulation_error": chance("Standard error that simulation gives the p-value; 0 where exact."),
    "n": count("How many observations the numbers of the row rest on."),
    "n_clusters": count("How many independent clusters these observations form."),
}


def common(*names: str) -> dict[str, Column]:
    """Shared columns by name; see :func:`dissensus.tables.artefact.pick`."""
    return pick(COMMON, names)
