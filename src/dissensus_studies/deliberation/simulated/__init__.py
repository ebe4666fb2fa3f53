"""Simulated deliberators: debaters with known stance dynamics, and judges who read their turns.

They see only the messages that they are sent, like any other model: where each agent stands, what
it claimed and where a debater itself stood they read from the transcript in the prompt, and the
topic they know by its question. With p_i the distribution of agent i over the K options, s_i its
most probable option, b the contentiousness that the prompt asks for in words, d = 1 - |heat| b and
h = heat (b - 1/2), or d = 1 and h = 0 where it asks for none, a debater does this.

**Round 1.** A favourite f is drawn with odds 1 + (items of evidence for the option), and p from
the Dirichlet distribution with the parameters 1 + opinion * [k = f]. The topic and the agent's name
fix both, so that they are the same in every arm.

**Round t.** From p = p_i(t - 1) and the others' p_j(t - 1):

1. Bounded confidence (Hegselmann and Krause, 2002): it hears H = {j : TV(p, p_j) <= epsilon} and
   itself, each with the weight w_j = heeds[j], or 1; where a judge's assessments are shown, times
   the quality of the turn relative to the mean. m being the weighted mean, p <- p + (1 -
   stubbornness) d (m - p).
2. Silent acceptance: of the n opposing claims of round t - 1, each is left unanswered with
   probability silence * d, but those of an agent with w_j > 1 never are. With S those unanswered,
   y = yields d |S| / n and o the mean of their authors' options as unit vectors, p <- (1 - y) p +
   y o. Only where the prompt leaves the choice whom to engage.
3. Conviction: p is proportional to p^(1 + d q / 2), q being the share of the others that it hears
   and that have its own stance.
4. Recognition: where another agent holds the topic's truth, p <- (1 - recognises) p + recognises *
   (the truth). With 0 it goes by who says what, and by how much it believes.
5. In the round of a moderator's note, p <- (1 - hint_trust) p + hint_trust * (its option). A
   stance that only the note brought about differs, with probability 1/2, from the text's own
   conclusion.
6. p is proportional to max(p + noise z, .001), z standard normal.

**The turn.** An answered claim is conceded where the new stance is its author's, or, for w_j
> 1 and a movement towards it, with probability 1 - 1 / w_j; else rebutted (.85) or questioned. An
agent of the same stance is supported with probability .25, or 1 - 1 / w_j if that is more. The
evidence of what is conceded or supported is cited. Where the prompt leaves the choice whom to
engage, each older claim (of a round before t - 1) of an agent of another stance is rebutted with
probability returns, unless it is for the debater's own option; that moves nobody. A second claim
cites what the first has not, as far as there is more. Each claim has a strength u = U(0, 1) + h:
below 1/3 it is called weak and cites nothing, below 2/3 fair and cites one item for its option,
else strong and cites two. So contentiousness raises what a judge finds and slows movement: a
positive plant gain; with a negative heat it lowers what a judge finds.

Where the prompt says that it may, it abstains with probability abstains: it writes its turn as ever
but for stance and probabilities, and goes on from those it stated last, as the others do.

The text concludes another option than the stance with probability inconsistent_rate. A reference
names no claim with probability dangling_rate, and with a claim another agent than its author with
probability ambiguous_rate. A reply's object is broken with probability bad_json_rate, a quarter of
that when it is asked for again. Sent back by a judge, a debater leaves a note out of account.

**A judge** gives a reason's validity by its word (weak 4, fair 7, strong 9.5) and its credibility
by the number of items that it cites (0: 4, 1: 7, 2: 9.5), and a rival reason's validity by the
word in the quotation and its credibility 6, each plus scoring_sd times a standard normal,
rounded, from 1 to 10. Asked whether the stance follows from the text, it compares the two and
errs with misjudgement_rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.digests import code_digest, digest, file_digest
from dissensus.llm.call import Message
from dissensus.llm.providers.behaviours import speech_of

from .debater import debate
from .judge import judge
from .speech import SpeechSettings

__all__ = ["SpeechSettings", "identity", "speak"]


def identity(settings: Mapping[str, Any]) -> str:
    """Digest of all that a model's words depend on besides its settings: topics and code."""
    return _resources_digest(settings["speech"]["topics"])


def speak(
    messages: Sequence[Message], settings: Mapping[str, Any], rng: np.random.Generator
) -> str:
    """Compose one reply.

    Parameters
    ----------
    messages : prompts of the deliberation study, for a debater or for a judge.
    settings : the model's entry of the configuration, with ``speech``.
    rng : source of every random choice but the first beliefs.
    """
    speech = speech_of(SpeechSettings, settings["speech"])
    if speech.role == "judge":
        return judge(messages, speech, rng)
    return debate(messages, speech, rng)


@cache
def _resources_digest(topics: str) -> str:
    return digest([file_digest(Path(topics)), code_digest(__name__)])
