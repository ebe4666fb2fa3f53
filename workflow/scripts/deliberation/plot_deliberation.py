"""Draw the figures of the deliberation study, each with its caption."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from dissensus.deliberation.figures import contrasts, control, graph, ignored, trajectories
from dissensus.deliberation.figures.frames import View
from dissensus.deliberation.figures.names import FIGURES
from dissensus.report.captions import write_caption
from dissensus.report.frames import read_frame
from dissensus.report.style import save
from dissensus.study.stage import Stage, run

FRAMES = (
    "rounds",
    "metrics",
    "contrasts",
    "claims",
    "engagements",
    "stances",
    "manifest",
    "topics",
)


def draw(inputs: Any, target: float, view: View) -> dict[str, tuple[Figure, Mapping[str, str]]]:
    """Name -> figure and what its caption says."""
    held = {name: read_frame(getattr(inputs, name)) for name in FRAMES}
    rounds, manifest = held["rounds"], held["manifest"]
    told = held["claims"], held["engagements"], held["stances"]
    return {
        "trajectories": (
            trajectories.draw(rounds, manifest, view),
            trajectories.describe(rounds, held["metrics"], manifest, view),
        ),
        "control": (
            control.draw(rounds, manifest, target, view),
            control.describe(rounds, manifest, target, view),
        ),
        "ignored_claims": (ignored.draw(*told, view), ignored.describe(*told, view)),
        "contrasts": (
            contrasts.draw(held["contrasts"], view),
            contrasts.describe(held["contrasts"], view),
        ),
        "debate_graph": graph.example(*told, manifest, held["topics"], view),
    }


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    drawn = draw(inputs, stage.settings["target"], view)
    for name in FIGURES:
        figure, said = drawn[name]
        save(figure, getattr(outputs, f"{name}_svg"), getattr(outputs, f"{name}_png"))
        template = getattr(inputs, f"caption_{name}")
        write_caption(getattr(outputs, f"{name}_caption"), template, said, view.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
