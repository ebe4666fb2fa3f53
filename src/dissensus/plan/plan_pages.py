"""A plan for people: in Markdown, and as a page that prints well.

Both say what is fixed, what is free, and what had been looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dissensus.plan.confirmation import prediction_words
from dissensus.plan.materials import Material
from dissensus.plan.registering.direction import TWO_SIDED, expected
from dissensus.report.escaping import html, line
from dissensus.study.run_settings import EligibleSettings

if TYPE_CHECKING:
    from dissensus.plan.registered import Plan

_FREE = (
    "When and where sessions run, how many at once, and how they are divided among jobs: no result "
    "depends on it.",
    "How results are shown: the code of figures, tables and pages is not in this plan.",
    "What answers under a model's name, which is its provider's to change; each reply keeps the "
    "name that answered.",
    "Further analyses. They are exploratory, and are to be called so.",
)
_STYLE = (
    "body{max-width:46em;margin:2em auto;padding:0 1em;font:11pt/1.45 serif}"
    "pre{font-size:8pt;white-space:pre-wrap;overflow-wrap:anywhere}"
    "@page{margin:2cm}h2,h3,h4{break-after:avoid}"
)


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it.

    Attributes
    ----------
    level : of the heading, 2 or more.
    title : of the section.
    sentences : below it; several are a list.
    listing : lines as they are, behind these; "" without.
    """

    level: int
    title: str
    sentences: Sequence[str] = ()
    listing: str = ""


def plan_sections(plan: Plan, question: str) -> list[Section]:
    """All that a plan says; ``question``: what the study asks."""
    values = "\n".join(
        f"{path}: {json.dumps(value, ensure_ascii=False)}" for path, value in plan.settings.items()
    )
    fixed = [Section(3, title, sentences) for title, sentences in _fixed(plan) if any(sentences)]
    return [
        Section(2, "Question", [question]),
        Section(2, "What is fixed"),
        *fixed,
        Section(3, "All settings", (), values),
        Section(3, "Exploratory", [*_exploratory(plan)]),
        *_texts(plan.materials),
        Section(2, "What is free", _FREE),
        Section(2, "What had been looked at", plan.looked_at),
        *_digests(plan),
    ]


def _fixed(plan: Plan) -> Iterator[tuple[str, Sequence[str]]]:
    registered = plan.analysis
    changed = ", ".join(f"`{name}`" for name in plan.uncommitted)
    yield (
        "Design",
        [
            registered.design,
            f"{plan.draws:,} draws, {plan.sessions:,} sessions, seed {plan.seed}. All "
            "randomisation is in the manifest, which anyone can draw again.",
            *_written(plan),
            f"Code: commit `{plan.commit}`"
            + (f", with changes that are in no commit: {changed}" if changed else ""),
        ],
    )
    yield "Estimands", registered.estimands
    yield "Hypothesis", [*_hypothesis(plan)]
    yield "Confirmatory: the primary outcome", [registered.primary]
    yield "Tests", registered.tests
    yield "Exclusions", registered.exclusions
    yield "Power", registered.power
    yield "Noise floor", [registered.noise_floor]
    yield "Prediction", prediction_words(plan.prediction) if plan.prediction else ()
    eligible = EligibleSettings.model_validate(plan.eligible).words if plan.eligible else ""
    yield "The next model", [eligible]


def _written(plan: Plan) -> Iterator[str]:
    """When and by whom, as the machine and the settings say it."""
    if plan.written:
        author = line(plan.author) if plan.author else "an author who is not stated"
        yield f"Written {plan.written}, by {author}."


def _hypothesis(plan: Plan) -> Iterator[str]:
    """What is expected, and on which side; that nothing is said where that is so."""
    said, direction = plan.hypothesis.get("hypothesis"), plan.hypothesis.get("direction")
    if said:
        yield line(said)
    if direction:
        where = expected(direction)
        yield f"Expected direction: the difference of the primary outcome is {where}. {TWO_SIDED}"
    else:
        yield (
            "No direction is registered: a difference either way is a finding, and tests are "
            "two-sided."
        )


def _exploratory(plan: Plan) -> Iterator[str]:
    """All that is not confirmatory, by name where the study names it."""
    if plan.exploratory:
        yield f"Outcomes other than the primary one: {', '.join(map(line, plan.exploratory))}."
    yield (
        "No claim of confirmation is made for these, nor for any analysis that is not named above; "
        "their tests have a family of their own, or none."
    )


def _texts(materials: Mapping[str, Material]) -> Iterator[Section]:
    """The texts of the study's own prompts and code."""
    if any(each.text is not None for each in materials.values()):
        yield Section(3, "Prompts and code of the study")
    for name, each in materials.items():
        if each.text is not None:
            yield Section(4, line(name), (), each.text)


def _digests(plan: Plan) -> Iterator[Section]:
    """At the end, since nobody reads them: digests of all files, and versions of packages."""
    files = [f"{each.sha256}  {each.kind}  {line(name)}" for name, each in plan.materials.items()]
    rows = [f"{plan.manifest_sha256}  data  rows of the manifest", *files]
    yield Section(
        2, "Digests", ["SHA-256 of each file of prompts, data and code:"], "\n".join(rows)
    )
    versions = "\n".join(f"{name} {number}" for name, number in plan.versions.items())
    if versions:
        yield Section(3, "Packages", (), versions)


def as_markdown(title: str, sections: Sequence[Section]) -> str:
    """The plan in Markdown. What is listed is indented, whatever marks it has in it."""
    blocks = [f"# {title}"]
    for each in sections:
        many = len(each.sentences) > 1
        body = "\n".join(f"{'- ' * many}{sentence}" for sentence in each.sentences)
        blocks.append(f"{'#' * each.level} {each.title}\n{body}".rstrip())
        if each.listing:
            blocks.append("\n".join(f"    {row}" for row in each.listing.splitlines()))
    return "\n\n".join(blocks) + "\n"


def as_html(title: str, sections: Sequence[Section]) -> str:
    """The same as a page without a script, to be printed or saved as PDF."""
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html(title)}</title>',
        f"<style>{_STYLE}</style><h1>{html(title)}</h1>",
    ]
    for each in sections:
        parts.append(f"<h{each.level}>{html(each.title)}</h{each.level}>")
        if len(each.sentences) > 1:
            items = "".join(f"<li>{html(sentence)}</li>" for sentence in each.sentences)
            parts.append(f"<ul>{items}</ul>")
        else:
            parts += [f"<p>{html(sentence)}</p>" for sentence in each.sentences]
        if each.listing:
            rows = "\n".join(html(row) for row in each.listing.splitlines())
            parts.append(f"<pre>{rows}</pre>")
    return "\n".join([*parts, "</html>"]) + "\n"
