"""Part `scale`: whole runs of 200, 2,000 and 20,000 sessions, phase by phase."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace

from bench import Bench, cpu, largest, memory, seconds
from table import Row, Target
from timing import Took

from project import LIGHT, RESULTS, Project

#: Draws; each is a session in English and one in Chinese. Costs are compared with the middle size.
SIZES = (100, 1_000, 10_000)
QUICK = (2, 4, 8)
#: A run of the largest size takes long: once is enough, and an hour too much.
_LIMIT_S = 3600.0


@dataclass(frozen=True)
class Phase:
    """One command of a run.

    Attributes
    ----------
    name : in words.
    arguments : of snakemake.
    seconds, memory : targets for 20,000 sessions.
    """

    name: str
    arguments: tuple[str, ...]
    seconds: Target | None = None
    memory: Target | None = None


PLAN = Phase("planning: `snakemake plan`", ("plan",), Target(60), Target(1024))
RUN = Phase("sessions run and gathered", (str(RESULTS / "turns.parquet"),), None, Target(2048))
#: Its arguments are the shards' embeddings, whose names are known once the turns are gathered.
EMBED = Phase("turns embedded", (), None, Target(2048))
ANALYSE = Phase("metrics, inference, figures and tables", (), Target(180), Target(2048))
NOTHING = Phase("`snakemake` that finds nothing to do", (), Target(2), Target(2048))
PHASES = (
    PLAN,
    Phase("dry run before any session", ("--dry-run",), Target(60), Target(1024)),
    RUN,
    EMBED,
    ANALYSE,
    NOTHING,
    Phase("cost, its manifest drawn: `snakemake cost`", ("cost",)),
)
#: What the whole of a run is made of.
WHOLE = (PLAN, RUN, EMBED, ANALYSE)
#: Seconds that a whole run may take, MB of its largest process, and files that a session may leave.
_WHOLE = {200: Target(60), 20_000: Target(12 * 60)}
_LARGEST, _FILES = {20_000: Target(1024)}, Target(3)

Taken = dict[Phase, Took]


def measure(bench: Bench) -> None:
    """Run each size, then compare what a session costs in each."""
    sizes = QUICK if bench.quick else SIZES
    whole: dict[int, list[Took]] = {}
    for draws in sizes:
        runs = 1 if draws == SIZES[-1] else bench.runs
        taken = [_run(bench, draws) for _ in range(runs)]
        _rows(bench, 2 * draws, taken)
        whole[2 * draws] = _sums(taken, WHOLE)
    _costs(bench, whole, 2 * sizes[1], 2 * sizes[2])


def _run(bench: Bench, draws: int) -> Taken:
    """A run from nothing, phase by phase, as far as it comes."""
    more = LIGHT if bench.quick else {}
    project = Project(bench.folder / "project", {"language": {"draws": draws, **more}})
    taken: Taken = {}
    try:
        for phase in PHASES:
            what = f"{2 * draws:,} sessions, {phase.name}"
            bench.say(f"{what} ...")
            with bench.attempt(what):
                run = project.idle if phase is NOTHING else project.snakemake
                arguments = _embeddings(project) if phase is EMBED else phase.arguments
                taken[phase] = run(*arguments, limit_s=_LIMIT_S)
            if phase in WHOLE and phase not in taken:
                break
        if draws == SIZES[-1]:
            _count_files(bench, project, 2 * draws)
    finally:
        shutil.rmtree(project.folder)
    return taken


def _count_files(bench: Bench, project: Project, sessions: int) -> None:
    files = sum(path.is_file() for path in (project.folder / RESULTS).rglob("*"))
    bench.add(Row(f"{sessions:,} sessions, files a session", "", [files / sessions], target=_FILES))


def _embeddings(project: Project) -> tuple[str, ...]:
    """What embedding every turn makes."""
    shards = sorted((project.folder / RESULTS / "shards").iterdir())
    return tuple(str(RESULTS / f"shards/{shard.name}/embeddings.parquet") for shard in shards)


def _rows(bench: Bench, sessions: int, taken: list[Taken]) -> None:
    """A size's phases in the order they ran, then their sums."""
    of = f"{sessions:,} sessions, "
    for phase in PHASES:
        runs = _sums(taken, (phase,))
        if runs:
            asked = (phase.seconds, phase.memory) if sessions == 2 * SIZES[-1] else (None, None)
            bench.add(Row(of + phase.name, "s", seconds(runs), target=asked[0]))
            alone = ("its largest process", largest(runs))
            bench.add(Row(f"{of}{phase.name}, memory", "MB", memory(runs), *alone, asked[1]))
    if runs := _sums(taken, WHOLE):
        bench.add(Row(of + "whole run", "s", seconds(runs), target=_WHOLE.get(sessions)))
        largest_process = Row(f"{of}whole run, largest process", "MB", largest(runs))
        bench.add(replace(largest_process, target=_LARGEST.get(sessions)))


def _costs(bench: Bench, whole: dict[int, list[Took]], middle: int, most: int) -> None:
    """What one session of a whole run costs at each size, beside the middle one."""
    for kind, numbers in (("CPU", cpu), ("wall clock", seconds)):
        base = numbers(whole.get(middle, []), 1000 / middle)
        for sessions, runs in whole.items():
            if not runs:
                continue
            row = Row(
                f"{sessions:,} sessions, whole run a session, {kind}",
                "ms",
                numbers(runs, 1000 / sessions),
                target=Target(1.3, "ratio") if sessions == most else None,
            )
            if sessions != middle and base:
                row = replace(row, beside=f"{middle:,} sessions", beside_values=base)
            bench.add(row)


def _sums(taken: list[Taken], phases: tuple[Phase, ...]) -> list[Took]:
    """Some phases one after the other, of each run that came so far."""
    whole = [[one[phase] for phase in phases] for one in taken if all(p in one for p in phases)]
    return [
        Took(
            sum(run.seconds for run in runs),
            sum(run.cpu_s for run in runs),
            max(run.largest_mb for run in runs),
            max(run.together_mb for run in runs),
        )
        for runs in whole
    ]
