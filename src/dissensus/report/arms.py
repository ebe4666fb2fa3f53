"""Arms of any study by its contrasts: a forest with a panel for each outcome, and a table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from dissensus.design.contrasts import HEADLINE, RANDOMISATION
from dissensus.design.stopping import ANYTIME, SYMMETRY
from dissensus.report.escaping import label
from dissensus.report.forms import forest, value_margins
from dissensus.report.frames import Column, Record, keyed, limits, records, tabulate
from dissensus.report.labels import listed, number, p_value, signed, wrapped
from dissensus.report.style import GREY, Mark, marks, new_figure, notice, styled, zero_line
from dissensus.report.tables import Table
from dissensus.report.view import Artefacts, Drawn, View

#: Inches that an arm takes, what stands above and below a panel, and a further line of its title.
ROW, FRAME, LINE = 0.26, 0.62, 0.14
LONGEST = 28

#: What names an estimate among those of a method, as far as a table has it.
_NAMES_OF_ESTIMATE = {"outcome", "arm", "reference", "factor", "level", "base", "round"}
#: How intervals and p-values come about, for the notes of tables.
METHOD = (
    "Intervals and p are cluster-robust (CR2, Satterthwaite); the sign-flip test flips whole "
    "clusters: of G of them it has no p below 2/2^G, and none where two sides have other weights."
)


@styled
def plot(artefacts: Artefacts, view: View) -> Drawn:
    """The mean of every arm, and beside it what arms differ in; a row an outcome."""
    contrasts = stated(artefacts.frame("contrasts"))
    contrasts = contrasts[contrasts["estimate"].notna() & (contrasts["factor"] == "")]
    titles, arms = view["outcomes"], view["arms"]
    shown = [name for name in titles if (contrasts["outcome"] == name).any()]
    if not shown:
        return Drawn(notice("No session has an outcome.", view.simulated), {})
    deep = max(len(arms), len(view["contrasts"])) + len(_run_again(view))
    has_differences = bool((contrasts["reference"] != "").any())
    heads = {name: panel_title(titles[name], beside=has_differences) for name in shown}
    lines = sum(head.count("\n") for head in heads.values())
    height = len(shown) * (FRAME + ROW * deep) + LINE * lines + 0.2
    figure = new_figure(height, view.simulated)
    mark = marks(arms, arms[0])[arms[0]]
    grid = figure.add_gridspec(len(shown), 2)
    for place, name in enumerate(shown):
        rows = contrasts[contrasts["outcome"] == name]
        differences = rows[rows["reference"] != ""]
        # A panel without a row would be empty.
        left = figure.add_subplot(grid[place, 0] if len(differences) else grid[place, :])
        _means(left, rows[rows["reference"] == ""], name, mark, view)
        left.set_title(heads[name])
        if len(differences):
            shared = None if is_declared(view) else left
            _differences(figure.add_subplot(grid[place, 1], sharey=shared), differences, mark, view)
    return Drawn(figure, _facts(artefacts, shown, view))


def stated(contrasts: pd.DataFrame) -> pd.DataFrame:
    """The row that stands for each estimate: of the headline's method.

    Of a contrast by which a study may have stopped, the one that holds at all looks together.
    """
    names = pd.MultiIndex.from_frame(
        contrasts[[name for name in contrasts if name in _NAMES_OF_ESTIMATE]]
    )
    is_anytime = contrasts["method"] == ANYTIME
    has_anytime = names.isin(names[is_anytime])
    return contrasts[is_anytime | ((contrasts["method"] == HEADLINE) & ~has_anytime)]


def at_all_looks(contrasts: pd.DataFrame) -> str:
    """What is said of contrasts by which a study may stop, after a space; "" without any."""
    if not (contrasts["method"] == ANYTIME).any():
        return ""
    return (
        " Contrasts of the primary outcome that the study may stop by have intervals and p that "
        f"hold at all looks (anytime-valid; {SYMMETRY}), and no p of a sign flip, which is of a "
        "number of draws that is fixed before."
    )


def looks_of_contrasts(view: View) -> dict[tuple[str, str], Mark]:
    """Arm and reference -> its look: an arm's against the first; of declared ones, others."""
    arms, contrasts = view["arms"], view["contrasts"]
    if not is_declared(view):
        looks = marks(arms, arms[0])
        return {(arm, of): looks[arm] for _, arm, of in contrasts}
    names = [name for name, _, _ in contrasts]
    # No arm of this figure may have a contrast's name.
    every = list(marks([f"arm {arm}" for arm in arms[1:]] + names, arms[0]).values())
    return {(arm, of): every[place] for place, (_, arm, of) in enumerate(contrasts, len(arms))}


def keys_of(view: View) -> list[Mark]:
    """What a legend names: arms where there are several, and contrasts that are declared."""
    arms = list(marks(view["arms"], view["arms"][0]).values()) if len(view["arms"]) > 1 else []
    return arms + list(looks_of_contrasts(view).values()) * is_declared(view)


def is_declared(view: View) -> bool:
    """Whether contrasts are others than every arm against the first."""
    arms = view["arms"]
    return [[arm, of] for _, arm, of in view["contrasts"]] != [[arm, arms[0]] for arm in arms[1:]]


def title_of_contrasts(view: View) -> str:
    """What a panel of contrasts is called."""
    if is_declared(view):
        return "Contrasts of arms"
    return f"Difference from {label(view['arms'][0], LONGEST)}"


def is_unpaired(view: View) -> bool:
    """Whether the sessions of different arms have nothing in common, so that means are compared."""
    return bool(view.settings.get("unpaired"))


def difference_of(view: View) -> str:
    """What an axis of differences is called."""
    return "Difference of means" if is_unpaired(view) else "Paired difference"


def _statistics(view: View) -> Sequence[str]:
    """Outcomes that are one number of all sessions of an arm."""
    named: Sequence[str] = view.settings.get("statistics", ())
    return named


def over_sessions(view: View) -> str:
    """What is said of outcomes that are no means, after a space; "" without any."""
    names = [str(view["outcomes"][name]) for name in _statistics(view)]
    if not names:
        return ""
    verb = "is one number" if len(names) == 1 else "are each one number"
    return (
        f" {listed(names)} {verb} of all sessions of an arm, and no mean: intervals and p are "
        "from a bootstrap of whole clusters, of which those of the kind of case that has fewest "
        "are counted, and the test by signs lets arms change places in whole clusters."
    )


def _run_again(view: View) -> list[str]:
    """The arm that is the reference once more, where there is one."""
    return [view["again"]] if view["again"] else []


def panel_title(title: str, *, beside: bool) -> str:
    """What an outcome's panel is called, in lines that end before the panel beside it, if any."""
    return wrapped(label(title, 60), 36 if beside else 60)


def _means(axes: Axes, rows: pd.DataFrame, name: str, mark: Mark, view: View) -> None:
    arms = [*view["arms"], *_run_again(view)]
    forest(axes, {arm: label(arm, LONGEST) for arm in arms}, [(mark, keyed(rows, "arm"))])
    null = view["nulls"].get(name)
    if null is not None:
        axes.axvline(null, color=GREY, linewidth=0.6, linestyle=(0, (4, 2)), zorder=0)
    value_margins(axes)
    what = "Over all sessions" if name in _statistics(view) else "Mean"
    axes.set_xlabel(f"{what}, {view.level} interval")


def _differences(axes: Axes, rows: pd.DataFrame, mark: Mark, view: View) -> None:
    reference = view["arms"][0]
    if is_declared(view):
        names = {(arm, of): label(name, LONGEST) for name, arm, of in view["contrasts"]}
        names |= {(arm, reference): label(arm, LONGEST) for arm in _run_again(view)}
        forest(axes, names, [(mark, keyed(rows, "arm", "reference"))])
    else:
        arms = [*view["arms"], *_run_again(view)]
        names_of_arms = {arm: label(arm, LONGEST) for arm in arms}
        forest(axes, names_of_arms, [(mark, keyed(rows, "arm"))], reference=reference)
        axes.tick_params(labelleft=False)
    axes.set_title(title_of_contrasts(view))
    zero_line(axes, vertical=True)
    value_margins(axes)
    axes.set_xlabel(f"{difference_of(view)}, {view.level} interval")


def _facts(artefacts: Artefacts, shown: Sequence[str], view: View) -> dict[str, str]:
    """What the caption says."""
    reference = view["arms"][0]
    rows = artefacts.facts("contrasts").rows(method=HEADLINE, outcome=shown, factor="")
    counts = sorted(
        {row["n"] for row in rows if row["reference"] and row["estimate"] == row["estimate"]}
    )
    n = listed(f"{count:,}" for count in counts)
    compared = f"Right: its mean difference from {reference}, draw by draw ({n} draws)."
    if is_unpaired(view):
        compared = f"Right: its mean less that of {reference} ({n} sessions), which are not paired."
    if is_declared(view):
        named = listed(f"{name} is {versus(arm, of)}" for name, arm, of in view["contrasts"])
        compared = f"Right: contrasts of arms, draw by draw ({n} draws): {named}."
    if artefacts.facts("contrasts").rows(method=ANYTIME, outcome=shown):
        compared += (
            f" That of the primary outcome has an interval that holds at all looks ({SYMMETRY})."
        )
    for arm in _run_again(view):
        compared += f" {arm} is {reference} once more: any difference between them is chance."
    has_null = any(view["nulls"].get(name) is not None for name in shown)
    null = "A dashed line is the value that the study tests a mean against."
    return {
        "level": view.level,
        "reference": reference,
        "cluster": view["cluster"],
        "n": n,
        "compared": compared if counts else "",
        "left": "Left: the mean of each arm." if counts else "The mean of each arm.",
        "null": (null if has_null else "") + over_sessions(view),
    }


def table(artefacts: Artefacts, view: View) -> Table:
    """Means of the arms and their contrasts, with both tests."""
    names = {(arm, of): name for name, arm, of in view["contrasts"]} if is_declared(view) else {}

    def contrast(arm: str, reference: str) -> str:
        name = names.get((arm, reference))
        return f"{name}: {versus(arm, reference)}" if name else versus(arm, reference)

    columns = (
        Column("Outcome", "outcome", lambda name: str(view["outcomes"][name])),
        Column("Arm or contrast", ("arm", "reference"), contrast),
        *estimate_columns(view, "reference"),
    )
    what = "the difference of their means" if is_unpaired(view) else "their mean paired difference"
    note = (
        f"A row with two arms is {what}. {METHOD} Holm's adjustment is over "
        "the contrasts of the primary outcome, and over all others. A mean has a p-value only "
        "where the study names a value to test it against, and is then among these others, or "
        "alone in its family where it is what the study is about."
    )
    contrasts = artefacts.frame("contrasts")
    note += over_sessions(view) + at_all_looks(contrasts)
    of_arms = contrasts[contrasts["factor"] == ""]
    rows = [
        row
        for name in view["outcomes"]
        for row in sorted(
            with_flips(of_arms[of_arms["outcome"] == name], "arm", "reference"),
            key=lambda row: bool(row["reference"]),
        )
    ]
    return tabulate("table_contrasts", "Outcomes by arm", columns, rows, note, view)


def versus(arm: str, reference: str) -> str:
    """A contrast in words; an arm alone without a reference."""
    return f"{arm} − {reference}" if reference else arm


def estimate_columns(view: View, signed_by: str) -> tuple[Column, ...]:
    """Columns of an estimate with both tests.

    Parameters
    ----------
    signed_by : the entry of a row that is empty where the estimate is no difference.
    """
    return (
        Column("Estimate", ("estimate", signed_by), lambda x, of: (signed if of else number)(x)),
        limits(view),
        Column("p", "p_value", p_value),
        Column("p (Holm)", "p_adjusted", p_value),
        Column("p (sign flip)", "flipped", p_value),
        Column("n", "n"),
        Column("Clusters", "n_clusters"),
    )


def with_flips(rows: pd.DataFrame, *key: str) -> list[Record]:
    """The rows that :func:`stated` has, each with the p-values of the sign-flip test.

    They are ``flipped`` and ``flipped_adjusted``; None where a study may stop by the contrast.

    Parameters
    ----------
    key : the columns that name an estimate among the rows.
    """
    flips = {
        tuple(row[name] for name in key): row
        for row in records(rows)
        if row["method"] == RANDOMISATION
    }

    def flipped(row: Record) -> Record:
        flip = {} if row["method"] == ANYTIME else flips.get(tuple(row[name] for name in key), {})
        return {"flipped": flip.get("p_value"), "flipped_adjusted": flip.get("p_adjusted")}

    return [{**row, **flipped(row)} for row in records(stated(rows))]
