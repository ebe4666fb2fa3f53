"""The session that describes how the speakers of a motion speak, from samples of their corpora."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dissensus.session.inputs import Inputs
from dissensus.session.protocol import PLACEHOLDER, Decoding, Steps, restartable
from dissensus.session.quoting import block, one_line
from dissensus.session.replies import JsonReply
from dissensus.session.runner import CallFailed

from ..prompts import Wording
from ..replies import Style
from ..tables import CHUNKS
from .asking import Asking, ask

#: The artefact of the corpora.
CHUNKS_FILE = "chunks.parquet"
#: Chunks that a speaker is judged by.
SAMPLES = 12
#: What a description is taken to be where calls are counted before a run.
EXPECTED = json.dumps(
    {
        "register": PLACEHOLDER,
        "opening_patterns": [PLACEHOLDER],
        "devices": [PLACEHOLDER],
        "disagreement_style": PLACEHOLDER,
        "signature_phrases": [PLACEHOLDER],
        "closing_patterns": [PLACEHOLDER],
    }
)


@restartable
def describe(
    wording: Wording, speakers: Sequence[str], model: str, decoding: Decoding, inputs: Inputs
) -> Steps:
    """The session as a protocol: one call for each speaker, all at once.

    Parameters
    ----------
    wording : of all prompts.
    speakers : who is described.
    model : that is asked.
    decoding : of its replies.
    inputs : the corpora.
    """
    calls = []
    for speaker in speakers:
        chunks = inputs.rows_of(CHUNKS_FILE, CHUNKS, {"speaker": speaker}, SAMPLES)
        texts = [block(str(chunks[place]["text"])) for place in spread(len(chunks), SAMPLES)]
        prompt = wording.told("style", SPEAKER=one_line(speaker), SAMPLES="\n\n".join(texts))
        calls.append(
            ask(
                speaker,
                "style",
                model,
                prompt,
                JsonReply(Style),
                wording.debating.repair,
                decoding,
                "extract",
                expected=EXPECTED,
            )
        )
    for turn in (yield from Asking().step("style", calls)):
        if turn.value is None:
            raise CallFailed(f"the style of {turn.speaker} cannot be read")


def spread(available: int, wanted: int) -> list[int]:
    """So many places from 0, as even as can be; all of them where there are not more."""
    count = min(available, wanted)
    return [number * available // count for number in range(count)]
