"""What was run before a plan was written, as far as the project's folder shows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from dissensus.report.escaping import line
from dissensus.report.labels import counted

#: Where Snakemake writes a log of each of its starts, which nothing deletes, and what it is called.
_LOGS, _NAME = Path(".snakemake/log"), "%Y-%m-%dT%H%M%S.%f.snakemake.log"


def looked_at(run: str, study: str, said: list[str]) -> Iterator[str]:
    """What a plan says was known of a study: sentences.

    Parameters
    ----------
    run : that is registered.
    study : its name.
    said : the author's own sentences.
    """
    counts = Counter(path.parts[-4] for path in Path("results").glob(f"*/{study}/journal/*.jsonl"))
    counts.pop(run, None)
    for name, count in sorted(counts.items()):
        yield f"Run {line(name)} in the same folder: replies of {counted(count, 'session')}."
    if not counts:
        yield "No other run in the same folder has replies of this study."
    if begun := starts(study):
        yield (
            f"By Snakemake's logs, sessions of this study were begun in this folder "
            f"{counted(len(begun), 'time')} before, first on {begun[0]:%Y-%m-%d at %H:%M}; their "
            "replies may have been deleted."
        )
    for sentence in said:
        yield f"By the author's word: {line(sentence)}"
    if not said:
        yield "The author states nothing else: no pilot, no other run, no other's results."


def starts(study: str) -> list[datetime]:
    """When sessions of a study were begun in the current folder, by Snakemake's logs, in order.

    Times are the machine's own. Who deletes the logs leaves none.
    """
    # The words of the rule that runs sessions.
    words = rf"^Job \d+: Run the sessions of shard \S+ of the {re.escape(study)} study$"
    ran = re.compile(words, re.MULTILINE)
    begun = []
    for path in sorted(_LOGS.glob("*.snakemake.log")):
        try:
            when = datetime.strptime(path.name, _NAME)
            has_run = ran.search(path.read_text("utf-8", errors="replace"))
        except (ValueError, OSError):
            continue
        if has_run:
            begun.append(when)
    return begun
