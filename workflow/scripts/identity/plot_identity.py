"""Draw the figures of the identity study and write their captions."""

from typing import Any

from dissensus.identity.figures import conformity, ibc_power, peers, rounds
from dissensus.identity.figures.frames import Estimates, View, read_teams
from dissensus.report.captions import write_caption
from dissensus.report.frames import read_frame
from dissensus.report.style import save
from dissensus.study.stage import Stage, run


def main(inputs: Any, outputs: Any, stage: Stage) -> None:
    view = View.of(stage.settings, stage.simulated)
    found = Estimates.of(read_frame(inputs.estimates))
    teams = read_teams(read_frame(inputs.manifest), found.teams)
    power = read_frame(inputs.power)
    drawn = {
        "conformity": (conformity.draw(found, view), conformity.describe(found, view)),
        "peers": (peers.draw(found, teams, view), peers.describe(found, teams, view)),
        "rounds": (rounds.draw(found, view), rounds.describe(found, view)),
        "ibc_power": (ibc_power.draw(power, view), ibc_power.describe(power, view)),
    }
    for name, (figure, said) in drawn.items():
        svg, png, caption = (
            getattr(outputs, f"{name}_{kind}") for kind in ("svg", "png", "caption")
        )
        save(figure, svg, png)
        write_caption(caption, getattr(inputs, f"caption_{name}"), said, view.simulated)


if __name__ == "__main__":
    run(main, snakemake)  # type: ignore[name-defined]  # noqa: F821
