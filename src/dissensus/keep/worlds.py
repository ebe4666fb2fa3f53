"""``dissensus worlds``: the level, the power and the coverage of what a study declares."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dissensus.errors import SettingError
from dissensus.report.escaping import say

if TYPE_CHECKING:
    from dissensus.study.experiment.study import Experiment
    from dissensus.study.experiment.worlds import World


def add_worlds_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("study", help="of one's own, whose models are simulated")
    parser.add_argument(
        "--null", action="store_true", help="nothing has an effect: sharply, and in the mean"
    )
    parser.add_argument("--n", type=int, default=500, help="simulated studies in each world (500)")
    parser.add_argument("--items", type=int, default=0, help="of a study; as many as it has")
    parser.add_argument("--cores", type=int, default=1, help="processes that share the work (1)")
    parser.add_argument("--seed", type=int, default=1, help="another one draws other studies (1)")
    parser.add_argument(
        "--configfile", nargs="+", default=[], metavar="FILE", help="over config.yaml"
    )


def worlds(chosen: argparse.Namespace) -> int:
    """Print what a study's analysis does in simulated worlds."""
    say(worlds_lines(chosen))
    return 0


def worlds_lines(chosen: argparse.Namespace) -> list[str]:
    """Play simulated studies, and say what their analysis did.

    Raises
    ------
    DissensusError : the study is unknown, no experiment, or asks real models; or a number is none.
    """
    from dissensus.keep.reading import CONFIGURATION, configured
    from dissensus.study.experiment.study import Experiment
    from dissensus.study.experiment.worlds import worlds as simulated

    for name, least in (("n", 1), ("items", 0), ("cores", 1)):
        if getattr(chosen, name) < least:
            raise SettingError(f"--{name} is {getattr(chosen, name)}; it must be {least} or more.")
    settings = configured([*CONFIGURATION, *chosen.configfile])
    if chosen.study not in settings.studies:
        raise SettingError(
            f"The configuration runs no study {chosen.study!r}; it runs "
            f"{', '.join(settings.studies)}. Name the file that has it by --configfile."
        )
    study = settings.study(chosen.study)
    if not isinstance(study, Experiment):
        raise SettingError(
            f"{chosen.study} is no Experiment, so that its analysis is not declared as one's own "
            "is; `snakemake diagnosis` says what it does in simulated worlds."
        )
    if not study.sharing.is_within_items:
        raise SettingError(
            f"{chosen.study} has sessions that read those of other items, so that no simulated "
            "study can be drawn from items that are played once."
        )
    models = {name: dict(model) for name, model in settings.models_of(study.all_models).items()}
    real = [name for name, model in models.items() if model.get("provider") != "simulated"]
    if real:
        raise SettingError(
            f"{chosen.study} asks {', '.join(real)}, which no simulation can stand for; name a "
            "configuration with simulated models."
        )
    ((_, rows),) = study.collect(study.settings.model_dump(), settings.seed).values()
    items = {str(row["item_id"]): row for row in rows}
    made = simulated(
        study, items, models, chosen.n, chosen.seed, chosen.cores, chosen.null, chosen.items
    )
    count = chosen.items or len(items)
    return [
        line
        for world in made
        for line in _lines(world, chosen, count, 1.0 - study.settings.inference.confidence)
    ] + list(_left_out(study))


def _left_out(study: Experiment) -> Iterator[str]:
    if outcomes := study.round_outcomes():
        yield f"Outcomes by round ({', '.join(outcomes)}) are left out."
    yield (
        "In square brackets: what the number of simulated studies leaves open (95%, Clopper and "
        "Pearson). Simulated models: the numbers say nothing about any real one."
    )


def _lines(world: World, chosen: argparse.Namespace, items: int, alpha: float) -> Iterator[str]:
    from dissensus.study.experiment.worlds import WORDS

    yield WORDS[world.name]
    yield (
        f"{chosen.n:,} simulated studies of {items:,} items, drawn from {world.sessions:,} "
        "sessions that were played once."
    )
    what = "found at" if not chosen.null else "level at"
    head = ("outcome", "contrast", "method", "truth", f"{what} {alpha:g}", "coverage")
    rows = [
        (
            each.outcome, each.contrast, each.method, f"{each.truth:.3g}",
            _cell(*each.rejection()), _cell(*each.coverage()),
        )
        for each in world.told
    ]  # fmt: skip
    yield from _table([head, *rows])
    for (family, method), (found, of) in world.families.items():
        yield (
            f"Anything of the family of {_FAMILIES[family]} after Holm, by {method}: "
            f"{found:,} of {of:,} studies ({found / of:.3f})."
        )
    if chosen.null:
        above = [
            f"{each.outcome}, {each.contrast}, {each.method}"
            for each in world.told
            if each.tested and each.rejection()[1] > alpha
        ]
        yield (
            f"More often than {alpha:g}, beyond what chance of simulation leaves open: "
            f"{'; '.join(above) or 'nothing'}. Of {len(world.told):,} tests with their level about "
            f"{0.025 * len(world.told):.1f} would stand here by chance alone."
        )
    yield ""


_FAMILIES = {"headline": "the headline", "others": "all others"}


def _cell(share: float, low: float, high: float) -> str:
    return "" if share != share else f"{share:.3f} [{low:.3f}, {high:.3f}]"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
