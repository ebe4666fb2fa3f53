"""The schemas of what is read from transcripts, and of what is measured on it."""

from __future__ import annotations

from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import chance, common, count, flag, number, share, text, texts

from ..design.manifest import MANIFEST

_IDS = MANIFEST.pick("session_id", "draw_id", "topic_id", "arm")
_AGENT = {"agent": text("Seat of the agent, as in A2.")}

CLAIMS = Schema(
    name="claims",
    row="claim",
    columns={
        **_IDS,
        "claim_id": text("Name of the claim: its agent, round and own id, as in A2.1.c1."),
        **_AGENT,
        **common("round"),
        "option": text("Option that its author holds in the same turn; empty where unknown."),
        "text": text("The claim in its author's words."),
        "evidence": texts("Ids of the items of evidence that it cites."),
    },
    key=("session_id", "claim_id"),
)

ENGAGEMENTS = Schema(
    name="engagements",
    row="reference of a turn to a claim: the edges of the debate graph",
    columns={
        **_IDS,
        **common("round"),
        "source": text("Agent that refers to the claim."),
        "index": Column("int", "Place of the reference in the turn, from 0."),
        "target_agent": text(
            "Agent that the reference names, as written; empty where it names none."
        ),
        "target_claim": text(
            "Claim that the reference names, as written; empty where it names none."
        ),
        "relation": text("What the reference does: rebut, concede, question or support."),
        "quote": text("Words that the reference quotes; empty where it quotes none."),
        "status": text(
            "What the reference comes to: resolved, self, future, ambiguous or dangling."
        ),
        "resolved_agent": text("Author of the claim that is meant; empty unless resolved."),
        "resolved_claim": text("Name of the claim that is meant; empty unless resolved."),
    },
    key=("session_id", "round", "source", "index"),
)

STANCES = Schema(
    name="stances",
    row="agent and round",
    columns={
        **_IDS,
        **common("round"),
        **_AGENT,
        **common("model"),
        "stance": text("Option that the agent holds after the round; empty where unknown."),
        "probabilities": Column(
            "floats",
            "Belief in each option, in the topic's order; no entry where unknown.",
            "probability, 0 to 1",
        ),
        "confidence": chance("Confidence that the agent states; missing where it states none."),
        **common("parsed"),
        "abstained": flag(
            "Whether a judge rejected the agent's last reply, so that its turn counts for nothing."
        ),
        "declined": flag("Whether the agent itself abstains: it takes none of the options."),
        "switched": flag("Whether the stance changed from the round before, both known."),
        "conclusion": text(
            "Option that the agent's own reasoning comes to; empty where undecided."
        ),
        "consistent": Column(
            "bool?", "Whether the stance follows from the reasoning; missing where undecided."
        ),
    },
    key=("session_id", "round", "agent"),
)

JUDGEMENTS = Schema(
    name="judgements",
    row="reply of a judge",
    columns={
        **_IDS,
        **common("round"),
        **_AGENT,
        **MANIFEST.pick("judge"),
        "kind": text("What was asked of the judge: crit for scores, rca for consistency."),
        **common("attempt"),
        "gamma": number(
            "CRIT score: mean of validity times credibility over reasons and rivals.",
            "score, 0.01 to 1",
        ),
        "signed": number(
            "Strength of the reasons less that of the rival reasons, over their sum.",
            "score, -1 to 1",
        ),
        "reasons": Column(
            "floats", "Validity times credibility of each reason.", "score, 0.01 to 1"
        ),
        "rivals": Column(
            "floats", "Validity times credibility of each rival reason.", "score, 0.01 to 1"
        ),
        "accepted": Column(
            "bool?", "Whether the judge finds that the stance follows; missing for crit."
        ),
        **common("parsed"),
    },
    key=("session_id", "round", "agent", "kind", "attempt"),
)

ROUNDS = Schema(
    name="rounds",
    row="session and round",
    columns={
        **_IDS,
        **common("round"),
        "entropy": number(
            "Entropy of the mean of the agents' distributions over the options.", "bits"
        ),
        "entropy_mm": number(
            "Entropy of that mean with the Miller-Madow correction for few agents.", "bits"
        ),
        "js": number("Generalised Jensen-Shannon divergence of the agents' distributions.", "bits"),
        "retention": number("Divergence of the round over that of the first round.", "ratio"),
        "alert": text("Lowest threshold that the retention is below; empty where below none."),
        "density": share("Share of ordered pairs of agents in which the one rebuts the other."),
        "claim_engagement": share(
            "Share of the opposing claims before each agent that it engages."
        ),
        "compliance": share(
            "Share of the references that name one earlier claim of another agent."
        ),
        "evidence_overlap": share("Mean Jaccard similarity of the evidence that two agents cite."),
        "quality": number("Mean CRIT score of the turns.", "score, 0.01 to 1"),
        "quality_signed": number("Mean signed score of the turns.", "score, -1 to 1"),
        "contentiousness": number(
            "How contentious agents are told to be; missing without a schedule.", "0 to 1"
        ),
        "error": number(
            "What the controller corrects: target less quality, plus 1 if sycophantic."
        ),
        "control": number("What the controller adds to the contentiousness for the next round."),
        "frozen": flag("Whether the slope guard froze the controller after the round."),
        "quadrant": text(
            "Divergence and quality in one word: stuck, chaotic, converged or healthy."
        ),
    },
    key=("session_id", "round"),
)

METRICS = Schema(
    name="metrics",
    row="session; without measures where it failed for good",
    columns={
        **_IDS,
        **common("complete"),
        "debater_calls": count("How many turns debaters took, retries not counted."),
        "judge_calls": count("How many replies judges gave."),
        "retry_calls": count("How many turns were taken again because a judge rejected them."),
        "entropy_first": number("Entropy of the first round.", "bits"),
        "entropy_last": number("Entropy of the last round.", "bits"),
        "entropy_drop": number("Entropy of the first round less that of the last.", "bits"),
        "collapse_round": Column(
            "int?", "First round whose entropy has collapsed; missing where none has."
        ),
        "premature": Column(
            "bool?", "Whether the shared evidence fell in the round of the collapse."
        ),
        "retention_last": number("Divergence of the last round over that of the first.", "ratio"),
        "density_mean": share("Mean rebuttal density over the rounds from the second."),
        **ROUNDS.pick("claim_engagement?", "compliance?"),
        "rival_coverage": share(
            "Share of the rival options before each agent for which it engages a claim."
        ),
        "groupthink": number(
            "Share of the disagreement lost, times the share of rival options not engaged.",
            "0 to 1",
        ),
        "dangling": share("Share of the references that fit no claim."),
        "ambiguous": share("Share of the references that fit several earlier claims."),
        "silent_share": share(
            "Share of the opposing claims before each agent that it never engages."
        ),
        "silence_effect": number(
            "How much likelier agents move to claims that they leave unanswered.",
            "difference of shares, -1 to 1",
        ),
        "dominance": number(
            "Gini coefficient of how often each agent's claims are engaged.", "0 to 1"
        ),
        "top_influencer": text("Agent with the most total influence; empty where several have it."),
        "marginalisation_max": share("Largest marginalisation of any agent."),
        "ignored_share": share("Share of the claims that nobody engages within two rounds."),
        "sycophancy_per_switch": share(
            "Share of the switches that go to the majority of the round before."
        ),
        "sycophancy_per_opportunity": share(
            "Share of the agents outside that majority who join it."
        ),
        "switches": Column(
            "int?", "How often an agent changes its stance from a round to the next.", "count"
        ),
        "consistency": share("Share of the decided stances that follow from the reasoning."),
        "undecidable": share("Share of the stances of which neither rule nor judge decides it."),
        **common("parsed_share?"),
        "quality_last": number(
            "Mean CRIT score of the turns of the last round.", "score, 0.01 to 1"
        ),
        "contentiousness_last": number(
            "Contentiousness of the last round; missing without a schedule.", "0 to 1"
        ),
        "agreement_last": share("Share of the stances at the end that are the most frequent one."),
        "abstained_last": share("Share of the agents who give no stance by choice at the end."),
        "correct_last": share("Share of the stances at the end that are the right option."),
        "hint_accepted": share("Share of those not yet of a valid hint's option who take it."),
        "hint_rejected": share(
            "Share of those not yet of an invalid hint's option who do not take it."
        ),
    },
    key=("session_id",),
)

INFLUENCE = Schema(
    name="influence",
    row="session and agent",
    columns={
        **MANIFEST.pick("session_id", "arm"),
        **_AGENT,
        "direct_in": number(
            "How much likelier it moves to the stance of agents whose claims it takes up.",
            "difference of shares, -1 to 1",
        ),
        "direct_out": number(
            "How much likelier others move to its stance if they take up its claims.",
            "difference of shares, -1 to 1",
        ),
        "katz": Column(
            "float",
            "Total influence: Katz sum over paths in time, over the greatest possible.",
            "share, 0 to 1",
        ),
        "claims": count("How many claims the agent makes."),
        "ignored": count("How many of its claims nobody engages within two rounds."),
        "marginalisation": share(
            "Share of its claims, the last round's apart, that nobody ever engages."
        ),
    },
    key=("session_id", "agent"),
)

PAIRS = Schema(
    name="pairs",
    row="arm, round and pair of models, over the sessions that they share",
    columns={
        **MANIFEST.pick("arm"),
        "round": text("The first or the last round of the debates."),
        "agent_a": text("Name of the first model of the pair."),
        "agent_b": text("Name of the second model of the pair."),
        "kl": number(
            "Mean Kullback-Leibler divergence of agent_a from agent_b, 1% spread evenly.", "bits"
        ),
        "jsd": number("Mean Jensen-Shannon divergence of the two models' distributions.", "bits"),
        "wasserstein": number(
            "Mean Wasserstein distance of the two, over topics with ordered options.", "0 to 1"
        ),
        "tv": number(
            "Mean total variation distance of the two, over topics without an order.", "0 to 1"
        ),
        "nmi": number("Normalised mutual information of the two models' stances.", "0 to 1"),
        "nmi_p": chance(
            "Permutation p-value of the mutual information; whole topics change places."
        ),
        "n": count("How many sessions both stances are known in."),
    },
    key=("arm", "round", "agent_a", "agent_b"),
)
