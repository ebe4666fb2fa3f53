"""What the study found: who wins, what coaching changes, which judge is biased."""

from __future__ import annotations

from dissensus.report.claims.ranked import leaves_out_zero
from dissensus.report.findings import Bar, Card, Findings
from dissensus.report.labels import counted, listed
from dissensus.report.view import Artefacts, View

from ..outcomes import OUTCOMES
from . import coaching, judges, layers, verdicts


def state(artefacts: Artefacts, view: View) -> Findings:
    """The gain of coaching, win shares, the judges that are named, and what speaks against them."""
    shares = verdicts.describe(artefacts, view)
    coached = coaching.describe(artefacts, view)
    named = judges.describe(artefacts, view)
    agreed = layers.describe(artefacts, view)
    sentences = [
        coached["headline"],
        coached["beside"],
        f"The proposition wins {shares['proposition']} of debates, the opposition "
        f"{shares['opposition']}; {shares['contested']} are contested (per cent, with "
        f"{view.level} intervals). Complete: {shares['attrition']}.",
        f"Judges with a bias, after Holm: {named['named']}.",
        f"Votes go with length, which is no bias by itself, after Holm: {named['lengths']}.",
    ]
    against = [
        coached["power"],
        coached["note"],
        f"Krippendorff's alpha of the judges' blind votes is {agreed['alpha']}, where chance has 0 "
        "and full agreement 1; of the pairs of votes, these follow the slot rather than the side: "
        f"{named['follow']}.",
    ]
    return Findings(
        [sentence for sentence in sentences if sentence],
        [sentence for sentence in against if sentence],
        _planted(view),
        card=_card(artefacts, view, agreed["alpha"], named["named"]),
    )


def _card(artefacts: Artefacts, view: View, alpha: str, named: str) -> Card | None:
    """The study on the front page: what coaching changes, over all coached epochs."""
    rows = coaching.pooled(artefacts)
    head = next((row for row in rows if row["headline"]), None)
    if head is None:
        return None
    outcome = OUTCOMES[head["outcome"]]
    size = f"{Bar('', head).printed}, {counted(head['n'], 'draw')}"
    if not leaves_out_zero(head):
        finding = f"Coaching was not found to change the {outcome.named}: {size}."
    else:
        finding = f"With coaching, {outcome.changed(head['estimate'])}: {size}."
    judges = "" if named == "none" else f", and judges were found to be biased: {named}"
    but = f"But Krippendorff's alpha of the judges' votes is {alpha}{judges}."
    bars = [Bar(coaching.outcome_words(row["outcome"]), row) for row in rows]
    floor = coaching.floor(artefacts, head, view)
    bars += [Bar("Before any memo", floor.row, is_null=True)] if floor and floor.has_limits else []
    axis = "Share as named, coached − control"
    return Card(finding, but, bars, axis, floor.sentence if floor else "")


def _planted(view: View) -> str:
    """What is planted, in the simulated models' own terms."""
    sentences = []
    for model, speech in view.planted_facts.items():
        if "coached" in speech:
            sides = listed(f"{name} {value:g}" for name, value in speech["sides"].items())
            sentences.append(f"coaching adds {speech['coached']:g} logits to a speaker's answers")
            sentences.append(f"sides add {sides}" if sides else "")
        biases = [
            f"{name.removesuffix('_bias')} {speech[name]:g}"
            for name in ("slot_bias", "length_bias", "side_bias")
            if speech.get(name)
        ]
        sentences += [f"{model} has a bias of {listed(biases)} logits"] * bool(biases)
    kept = [sentence for sentence in sentences if sentence]
    return f"Planted in the simulated models: {'; '.join(kept)}." if kept else ""
