"""The few-shot block: the examples that agents of the ccagent arms read before they debate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.session.inputs import Inputs
from dissensus.session.prompt_files import read_prompts
from dissensus.session.quoting import one_line
from dissensus.session.runner import CallFailed
from dissensus.session.templates import render
from dissensus.study.makes import makes
from dissensus.tables.artefact import write_text

from .tables import FEWSHOT, FEWSHOT_FILE
from .wording import BAD, GOOD, OTHER, LearningWords

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Shown:
    """What an arm is shown of the examples.

    Attributes
    ----------
    labels : of the examples that are shown.
    rationale, counterfactual : whether these are.
    told : whether summaries and rounds are; else their measures.
    """

    labels: tuple[str, ...] = (GOOD, BAD)
    rationale: bool = True
    counterfactual: bool = True
    told: bool = True


#: Strategy -> what it is shown.
SHOWN = {
    "ccagent": Shown(),
    "ccagent_without_good": Shown(labels=(BAD,)),
    "ccagent_without_bad": Shown(labels=(GOOD,)),
    "ccagent_without_rationale": Shown(rationale=False),
    "ccagent_without_counterfactual": Shown(counterfactual=False),
    "ccagent_metrics_only": Shown(rationale=False, counterfactual=False, told=False),
    "ccagent_transferred": Shown(),
}


@dataclass(frozen=True)
class Lesson:
    """What the agents of a session learn from.

    Attributes
    ----------
    strategy : one of :data:`.wording.LEARNED`.
    domain : that the examples are of.
    examples : how many there are of each label, at most.
    """

    strategy: str
    domain: str
    examples: int

    def block(self, words: LearningWords, inputs: Inputs) -> str:
        """The few-shot block of a session.

        Raises
        ------
        CallFailed : there are no examples, so that nothing can be learned.
        """
        shown = SHOWN[self.strategy]
        rows = [
            row
            for label in shown.labels
            for row in inputs.rows_of(
                FEWSHOT_FILE, FEWSHOT, {"domain": self.domain, "label": label}, self.examples
            )
        ]
        if not rows:
            raise CallFailed(f"there are no examples of {self.domain} to learn from")
        return block_of(rows, shown, words)


def block_of(rows: Sequence[Row], shown: Shown, words: LearningWords) -> str:
    """Examples as agents read them.

    Parameters
    ----------
    rows : of :data:`~.learning.tables.FEWSHOT`.
    shown : what is shown of them.
    words : the wording.
    """
    entries = [_entry(number, row, shown, words) for number, row in enumerate(rows, start=1)]
    return render(words.block, EXAMPLES="\n\n".join(entries)).rstrip("\n")


def _entry(number: int, row: Row, shown: Shown, words: LearningWords) -> str:
    label, other = (str(words.labels[name]) for name in (row["label"], OTHER[row["label"]]))
    told, why, how = shown.told, row["rationale"], row["counterfactual"]
    summary = render(words.example_summary, TEXT=row["summary"])
    measures = render(words.example_measures, TEXT=row["measures"])
    because = render(words.example_rationale, LABEL=label, TEXT=one_line(why))
    instead = render(words.example_counterfactual, OTHER=other, TEXT=one_line(how))
    return render(
        words.example,
        NUMBER=str(number),
        LABEL=label,
        STATEMENT=one_line(row["statement"]),
        SUMMARY=summary if told else "",
        COURSE=row["course"] if told else "",
        MEASURES="" if told else measures,
        RATIONALE=because if shown.rationale and why else "",
        COUNTERFACTUAL=instead if shown.counterfactual and how else "",
    ).rstrip("\n")


@makes(fewshot=FEWSHOT, page=write_text)
def write_fewshot(
    turns: list[dict[str, Any]], profiles: list[dict[str, Any]], prompts: Path
) -> tuple[list[dict[str, Any]], str]:
    """The examples with what was said of them, and a page to read them on."""
    reflections: dict[str, dict[tuple[str, str], str]] = {}
    for turn in turns:
        of_agent = reflections.setdefault(turn["domain"], {})
        of_agent[turn["speaker"], turn["role"]] = turn["text"]
    rows = list(gather_examples(profiles, reflections))
    return rows, readable(rows, read_prompts(LearningWords, prompts))


def gather_examples(
    profiles: Sequence[Row], reflections: Mapping[str, Mapping[tuple[str, str], str]]
) -> Iterator[dict[str, Any]]:
    """The examples with what was said of them, of domains whose reflection ran to its end.

    Parameters
    ----------
    profiles : rows of :data:`~.learning.tables.PROFILES`.
    reflections : domain -> (example, role) -> text.

    Returns
    -------
    Rows of :data:`~.learning.tables.FEWSHOT`, the good ones of a domain first.
    """
    taken = [row for row in profiles if row["label"] and row["domain"] in reflections]
    order = {GOOD: 0, BAD: 1}
    for row in sorted(taken, key=lambda r: (r["domain"], order[r["label"]], r["place"])):
        texts = reflections[row["domain"]]
        shared = {name: row[name] for name in FEWSHOT.columns if name in row}
        name = example_id(row["label"], row["place"])
        yield shared | {
            role: texts.get((name, role), "").strip() for role in (RATIONALE, COUNTERFACTUAL)
        }


#: What is said of an example; the roles of the turns that say it.
RATIONALE, COUNTERFACTUAL = "rationale", "counterfactual"


def example_id(label: str, place: int) -> str:
    """How the turns about an example are known, such as good-1."""
    return f"{label}-{place}"


def readable(rows: Sequence[Row], words: LearningWords) -> str:
    """The blocks of all domains as a page of Markdown, each as the agents read it."""
    domains = list(dict.fromkeys(row["domain"] for row in rows))
    if not domains:
        return "# What CCAgent learns from\n\nNo training debate ran to its end.\n"
    parts = [
        "# What CCAgent learns from",
        "Agents of the arm ccagent read this before their debates; below each heading stands the "
        "block of a domain, word for word. Other arms are shown parts of it.",
    ]
    for domain in domains:
        of_domain = [row for row in rows if row["domain"] == domain]
        parts += [f"## {domain}", _fenced(block_of(of_domain, SHOWN["ccagent"], words))]
    return "\n\n".join(parts) + "\n"


def _fenced(text: str) -> str:
    """A text that Markdown shows as it stands, whatever it holds."""
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())
