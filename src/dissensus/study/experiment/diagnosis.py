"""An experiment diagnosed by its own simulated models: whole studies, from texts to intervals.

To play every simulated study anew would take hours. So sessions are played once, in a library: the
study's items, each several times, by its own manifest, steps, readers and measure. A simulated
study then draws whole clusters of it, with replacement, and is estimated by the study's own
contrasts. This is valid where clusters share nothing: an opening, a fork and material of the same
item stay within one. A study whose sessions read those of other items has no diagnosis. Its items
are all that there are to be drawn.

The null is derived, and so a behaviour needs no setting for it: in a second library every arm plays
the reference, and in a study of one arm every draw has the first level of each factor. There arms,
or levels, are alike whatever else is true, and may change places. That null is sharp. In another
one the mean effect is zero and clusters differ: in each cluster of the first library the arms, and
the levels, change places as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import HEADLINE, Options, compare_arms
from dissensus.design.diagnosis import HOLM, World, over_cores, run_worlds
from dissensus.design.manifest import stream
from dissensus.design.simulated_stop import SimulatedStop
from dissensus.design.stopping import ANYTIME
from dissensus.digests import seed_of
from dissensus.llm.journal import NoJournal
from dissensus.llm.providers.simulated import SimulatedModel
from dissensus.session.inputs import PlaceholderInputs
from dissensus.session.record import rows_of
from dissensus.session.runner import CallFailed, Limits, run_session
from dissensus.stats.results import NAN, Estimate
from dissensus.study.experiment.blocks import stopped_estimates
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import compare
from dissensus.study.experiment.measures import measure_sessions, turns_by_session
from dissensus.study.experiment.outcomes import Outcome
from dissensus.study.experiment.sharing import OPENING
from dissensus.study.own_code import naming_the_line

if TYPE_CHECKING:
    from dissensus.study.experiment.design import ExperimentDesign

Row = Mapping[str, Any]

#: Sessions of a library, about, and how often it has every item at least.
_SESSIONS, _LEAST = 3000, 4
#: Sign patterns of the tests at most: a p-value that is off by less than .01 changes no power.
_FLIPS = 1000
#: What a world is called in which clusters differ in what arms change, evenly about nothing.
_IN_THE_MEAN = ", null in the mean"


def diagnose(
    study: ExperimentDesign,
    items: Mapping[str, Row],
    models: Mapping[str, Row],
    seed: int,
    cores: int,
) -> list[dict[str, Any]]:
    """What the design and its estimators do in studies of some numbers of items.

    Parameters
    ----------
    study : with its settings.
    items : item_id -> item.
    models : name -> settings of the simulated model.
    seed : of every random choice.
    cores : processes that share the work; no result depends on it.

    Returns
    -------
    Rows of :data:`~dissensus.design.diagnosis.DIAGNOSIS`, of everything that the headline is of. In
    worlds of the study's own behaviours the true value is that of the library, and its standard
    error is that of the library as a sample of what the behaviours do.
    """
    given, design = study.settings.diagnosis, _primary(Compared.of(type(study)))
    options = Options(study.settings.inference.confidence, _FLIPS, seed)
    library = Library.play(study, items, models, seed, cores, is_null=False)
    libraries = {"": library}
    if len(design.arms) > 1 or design.factors:
        libraries[", null"] = Library.play(study, items, models, seed, cores, is_null=True)
        libraries[_IN_THE_MEAN] = library
    truth = _estimates(library.metrics, design, options)
    sizes = given.items or _sizes(len(items))
    worlds = [
        World(
            f"{size} items, {contrast}{kind}",
            0.0 if kind else of[HEADLINE].estimate,
            (
                *(name for name in of if not (kind and place and name.endswith(HOLM))),
                *[ANYTIME] * bool(study.settings.stop),
            ),
            0.0 if kind else of[HEADLINE].se,
            size,
        )
        for size in sizes
        for kind in libraries
        for place, (contrast, of) in enumerate(truth.items())
    ]
    settings = study.settings.model_dump()
    stop = SimulatedStop.of(settings["stop"], options.confidence, settings["block_size"])
    simulate = partial(
        _simulate, libraries=libraries, sizes=sizes, names=tuple(truth), design=design,
        options=options, stop=stop,
    )  # fmt: skip
    name = design.primary
    outcome = {**design.outcomes, **design.statistics}[name]
    return run_worlds(
        worlds, outcome.words(name), simulate, given.simulations, options.confidence, cores
    )


def _sizes(items: int) -> list[int]:
    """Half as many items, as many, and twice as many."""
    return sorted({max(2, items // 2), max(2, items), 2 * items})


def _primary(design: Compared) -> Compared:
    """What the headline is of: the primary outcome, and factors where there is one arm."""

    def first(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
        return {name: each for name, each in outcomes.items() if name == design.primary}

    factors = {} if design.compared or design.primary in design.statistics else design.factors
    return replace(
        design,
        outcomes=first(design.outcomes),
        statistics=first(design.statistics),
        factors=factors,
        sample="",
    )


@dataclass(frozen=True)
class Library:
    """Sessions that were played and measured once.

    Attributes
    ----------
    metrics : a row a session, draw by draw; ``draw_id``, ``item_id`` and the cluster are numbers,
        and those of one play of an item are those of no other.
    design : what is compared.
    items : how many of them a play of all has.
    is_null : whether all arms, or all levels, are played alike.
    """

    metrics: pd.DataFrame
    design: Compared
    items: int
    is_null: bool

    @classmethod
    def play(
        cls,
        study: ExperimentDesign,
        items: Mapping[str, Row],
        models: Mapping[str, Row],
        seed: int,
        cores: int,
        is_null: bool,
        is_whole: bool = False,
    ) -> Library:
        """Play all items some times.

        Parameters
        ----------
        study, items, models, seed, cores : as for :func:`diagnose`.
        is_null : whether all arms, or all levels, are played alike.
        is_whole : whether all that the study declares is estimated, and not its headline alone.
        """
        settings = study.settings.model_dump() | {"again": False, "stop": None}
        drawn = len(study.draw_manifest(items, settings, seed))
        times = max(_LEAST, ceil(_SESSIONS / drawn))
        seeds = [seed_of(seed, "library", is_null, time) for time in range(times)]
        play_once = partial(_played, study=study, items=items, models=models, is_null=is_null)
        design = Compared.of(type(study))
        design = design if is_whole else _primary(design)
        frames = []
        for time, metrics in enumerate(over_cores(play_once, seeds, cores)):
            frame = metrics.sort_values(["draw_id", "arm"], kind="stable").assign(time=time)
            frames.append(frame)
        every = pd.concat(frames, ignore_index=True)
        for name in dict.fromkeys(("draw_id", "item_id", design.cluster)):
            every[name] = every.groupby(["time", name], sort=False).ngroup()
        return cls(every, design, len(items), is_null)

    @cached_property
    def _clusters(self) -> list[np.ndarray]:
        """The rows of each cluster."""
        indices = self.metrics.groupby(self.design.cluster, sort=False).indices
        return [np.asarray(rows) for rows in indices.values()]

    def draw(self, items: int, rng: np.random.Generator, is_turned: bool = False) -> pd.DataFrame:
        """The metrics of a simulated study: clusters with so many items, about, with replacement.

        Where all is played alike, arms and levels change places at random.

        Parameters
        ----------
        items : of the study.
        rng : of what is drawn.
        is_turned : whether arms and levels change places in each cluster as a whole: effects of a
            cluster then stay as large as they are, and have a mean of 0 over all clusters.
        """
        plays = self.metrics["time"].nunique()
        count = max(2, round(items * len(self._clusters) / (self.items * plays)))
        drawn = [self._clusters[place] for place in rng.integers(len(self._clusters), size=count)]
        of = np.repeat(np.arange(count), [len(rows) for rows in drawn])
        study = self.metrics.iloc[np.concatenate(drawn)].reset_index(drop=True)
        width = len(self.metrics)
        for name in dict.fromkeys(("draw_id", "item_id", self.design.cluster)):
            study[name] = of * width + study[name].to_numpy()
        if is_turned:
            return self._turned(study, rng)
        return self._exchanged(study, rng) if self.is_null else study

    def _turned(self, study: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        """Arms and levels, each under the name of another one of its cluster."""
        _, cluster = np.unique(study[self.design.cluster].to_numpy(), return_inverse=True)
        named: dict[str, tuple[Any, ...]] = {"arm": tuple(self.design.arms)}
        named |= {name: factor.values for name, factor in self.design.factors.items()}
        turned = {}
        for name, labels in named.items():
            places = np.tile(np.arange(len(labels)), (int(cluster.max()) + 1, 1))
            others = rng.permuted(places, axis=1)
            at = pd.Index(labels).get_indexer(pd.Index(study[name]))
            turned[name] = np.asarray(labels, dtype=study[name].to_numpy().dtype)[
                others[cluster, at]
            ]
        return study.assign(**turned)

    def _exchanged(self, study: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        arms = study["arm"].to_numpy().reshape(-1, len(self.design.arms))
        exchanged = study.assign(arm=rng.permuted(arms, axis=1).ravel())
        for name, factor in self.design.factors.items():
            levels = exchanged[name].to_numpy().copy()
            groups = exchanged.groupby("item_id").indices.values() if factor.is_within else None
            for rows in groups or [np.arange(len(levels))]:
                levels[rows] = rng.permutation(levels[rows])
            exchanged[name] = levels
        return exchanged


@dataclass(frozen=True)
class _PlayedSessions(PlaceholderInputs):
    """What sessions that were played said.

    Attributes
    ----------
    turns_of : session_id -> its turns.
    """

    turns_of: Mapping[str, Sequence[Row]] = field(default_factory=dict)

    def turns(self, session_id: str, expected: Sequence[Row] = ()) -> Sequence[Row]:
        """The turns of another session.

        Raises
        ------
        CallFailed : it failed.
        """
        if not self.turns_of[session_id]:
            raise CallFailed(f"{session_id}, which it reads, failed")
        return self.turns_of[session_id]


def _played(
    seed: int,
    study: ExperimentDesign,
    items: Mapping[str, Row],
    models: Mapping[str, Row],
    is_null: bool,
) -> pd.DataFrame:
    """The metrics of a manifest that is drawn, played and measured."""
    turns, ended = played(seed, study, items, models, is_null)
    metrics, _ = measure_sessions(study, turns_by_session(turns, study.levels()), ended, items)
    return pd.DataFrame(metrics)


def played(
    seed: int,
    study: ExperimentDesign,
    items: Mapping[str, Row],
    models: Mapping[str, Row],
    is_null: bool = False,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The turns of a manifest that is drawn and played in memory, and how each session ended.

    Parameters
    ----------
    seed : of the manifest.
    study, items, models : as for :func:`diagnose`.
    is_null : whether all arms, or all levels, are played alike.
    """
    settings = study.settings.model_dump() | {"again": False, "stop": None}
    drawn = study.draw_manifest(items, settings, seed)
    people = {name: SimulatedModel(name, model) for name, model in models.items()}
    limits = Limits.of(study.settings.protocol.model_dump())
    (kind,) = study.kinds
    turns_of: dict[str, list[dict[str, Any]]] = {}
    turns, ended = [], []
    # What is read comes first: openings and forked arms in a draw, material in all draws.
    for row in sorted(drawn, key=lambda row: (kind.part_of(row), row["draw_id"], row["position"])):
        played = {**row, **_null_levels(study, row)} if is_null else row
        steps = kind.steps(
            kind.spec(played, items[row["item_id"]]), _PlayedSessions(turns_of=turns_of)
        )
        with naming_the_line(
            type(study).__module__, f"diagnosis of {row['session_id']}", is_paid=False
        ):
            session = run_session(row["seed"], steps, people, NoJournal(), limits)
        left = rows_of(session, {name: played[name] for name in study.ids})
        turns_of[row["session_id"]] = left.turns
        turns += left.turns
        ended.append({**{name: row[name] for name in study.ids}, "complete": bool(left.turns)})
    return turns, ended


def _null_levels(study: ExperimentDesign, row: Row) -> dict[str, Any]:
    """What a session plays where nothing has an effect."""
    if row["arm"] == OPENING:
        return {}
    if len(study.arms) > 1:
        return {"arm": study.arms[0]}
    return {name: factor.values[0] for name, factor in study.declared_factors().items()}


def _simulate(
    number: int,
    libraries: Mapping[str, Library],
    sizes: Sequence[int],
    names: Sequence[str],
    design: Compared,
    options: Options,
    stop: SimulatedStop | None,
) -> list[dict[str, Estimate]]:
    """One simulated study in every world, estimated; see :data:`run_worlds`."""
    worlds = []
    for size in sizes:
        for kind, library in libraries.items():
            rng = stream(options.seed, "study", size, kind, number)
            seeded = replace(options, seed=seed_of(options.seed, size, kind, number))
            drawn = library.draw(size, rng, is_turned=kind == _IN_THE_MEAN)
            estimates = _estimates(drawn, design, seeded)
            if stop:
                for name, estimate in stopped_estimates(drawn, design, stop).items():
                    estimates[name][ANYTIME] = estimate
            if kind:
                _of_the_family(estimates)
            worlds += [estimates.get(name, {}) for name in names]
    return worlds


def _estimates(
    metrics: pd.DataFrame, design: Compared, options: Options
) -> dict[str, dict[str, Estimate]]:
    """Contrast -> method -> estimate, of all that the headline is of."""
    # Means and factors beside contrasts of arms are nothing that the headline is of.
    rows = (
        compare_arms(metrics, design.compared, list(design.outcomes), options, design.columns)
        if design.compared and design.outcomes
        else compare(metrics, design, options)
    )
    main = [row["contrast"] for row in rows if row["headline"]]
    estimates: dict[str, dict[str, Estimate]] = {name: {} for name in main}
    (outcome,) = [*design.outcomes.values(), *design.statistics.values()]
    for row in rows:
        is_tested = row["p_value"] is not None or row["method"] == HEADLINE
        if row["contrast"] not in estimates or not is_tested:
            continue
        # A mean is tested against its null, from which it is counted.
        shift = 0.0 if row["reference"] or row.get("factor") else outcome.null or 0.0
        numbers = [
            NAN if row[name] is None else row[name]
            for name in ("estimate", "se", "ci_low", "ci_high", "p_value", "p_adjusted")
        ]
        estimate, se, low, high, p_value, adjusted = numbers
        of = estimates[row["contrast"]]
        of[row["method"]] = Estimate(estimate - shift, se, low - shift, high - shift, p_value)
        if len(main) > 1:
            of[row["method"] + HOLM] = Estimate(NAN, p_value=adjusted)
    return estimates


def _of_the_family(estimates: Mapping[str, dict[str, Estimate]]) -> None:
    """Where no arm has an effect, what counts is the smallest adjusted p-value of all."""
    for name in {name for of in estimates.values() for name in of if name.endswith(HOLM)}:
        p_values = [of[name].p_value for of in estimates.values() if name in of]
        for of in estimates.values():
            of[name] = Estimate(NAN, p_value=float(np.fmin.reduce(p_values)))
