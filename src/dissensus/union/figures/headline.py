"""What the study found: who wins, what coaching changes, which judge is biased."""

from __future__ import annotations

from dissensus.report.artefacts import Artefacts
from dissensus.report.findings import Findings
from dissensus.report.labels import listed
from dissensus.report.view import View
from dissensus.union.figures import coaching, judges, layers, verdicts


def state(artefacts: Artefacts, view: View) -> Findings:
    """The gain of coaching, win shares, the judges that are named, and what speaks against them."""
    won, wins, manifest, gains, audited = artefacts.frames(
        "verdicts", "wins", "manifest", "coaching", "judges"
    )
    shares = verdicts.describe(won, wins, manifest, view)
    coached = coaching.describe(gains, view)
    named = judges.describe(audited, view)
    agreed = layers.describe(audited, won, view)
    said = [
        coached["headline"],
        coached["beside"],
        f"The proposition wins {shares['proposition']} of debates, the opposition "
        f"{shares['opposition']}; {shares['contested']} are contested (per cent, with "
        f"{view.level} intervals). Complete: {shares['attrition']}.",
        f"Judges with a bias, after Holm: {named['named']}.",
    ]
    against = [
        coached["power"],
        coached["note"],
        f"The judges hardly agree with each other: Krippendorff's alpha is {agreed['alpha']}; of "
        f"the pairs of votes, these follow the slot rather than the side: {named['follow']}.",
    ]
    return Findings(
        [sentence for sentence in said if sentence],
        [sentence for sentence in against if sentence],
        _planted(view),
    )


def _planted(view: View) -> str:
    """What is planted, in the simulated models' own terms."""
    said = []
    for model, speech in view.planted.items():
        if "coached" in speech:
            sides = listed(f"{name} {value:g}" for name, value in speech["sides"].items())
            said.append(f"coaching adds {speech['coached']:g} logits to a speaker's answers")
            said.append(f"sides add {sides}" if sides else "")
        biases = [
            f"{name.removesuffix('_bias')} {speech[name]:g}"
            for name in ("slot_bias", "length_bias", "side_bias")
            if speech.get(name)
        ]
        said += [f"{model} has a bias of {listed(biases)} logits"] * bool(biases)
    kept = [sentence for sentence in said if sentence]
    return f"Planted in the simulated models: {'; '.join(kept)}." if kept else ""
