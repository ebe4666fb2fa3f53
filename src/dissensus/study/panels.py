"""Panels of models: one configuration that runs its design once with each of them.

A panel says which model answers in place of one that the studies' settings name. It is a run of its
own, ``results/<run>.<panel>``, and shares the budget, the limits and the lock of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dissensus.setting_faults import fault

#: The setting that has them, and that of a panel's configuration that names the whole run.
SETTING, PART_OF = "panels", "part_of"
#: Letters of a run's name, which is that of a folder.
LONGEST_RUN = 100
Panels = Mapping[str, Mapping[str, str]]


def panel_values(values: Mapping[str, Any], name: str, panel: Mapping[str, str]) -> dict[str, Any]:
    """The configuration of one panel, from that of all, as plain data.

    Parameters
    ----------
    values : all models in place (:attr:`dissensus.llm.model_files.ModelFiles.merged`).
    name : of the panel.
    panel : what a setting names -> the model that answers.
    """
    whole = {name: value for name, value in values.items() if name != SETTING}
    return {
        **whole,
        "run": f"{values['run']}.{name}",
        PART_OF: values["run"],
        # What the files hold is in models by now, and may be replaced there.
        "simulated_models": dict.fromkeys([*values["simulated_models"], *values["studies"]]),
        "models": _replaced(values["models"], panel),
    }


def with_first_panel(values: Any) -> Any:
    """A configuration whose models are those of its first panel; as it is where it has none.

    So the settings of studies may name what only panels have.
    """
    panels = values.get(SETTING) if isinstance(values, Mapping) else None
    some = panels.values() if isinstance(panels, Mapping) else ()
    first = next((panel for panel in some if isinstance(panel, Mapping)), None)
    models = values.get("models") if first else None
    if first is None or not isinstance(models, Mapping):
        return values
    existing = {name: model for name, model in first.items() if str(model) in models}
    return {**values, "models": _replaced(models, existing)}


def _replaced(models: Mapping[str, Any], panel: Mapping[str, str]) -> dict[str, Any]:
    """Models by the names that the studies use; what a provider calls them does not change."""
    made = dict(models)
    for name, model in panel.items():
        entry = models[model]
        is_asked_by_name = isinstance(entry, Mapping) and entry.get("provider") != "simulated"
        made[name] = {"model": model, **entry} if is_asked_by_name else entry
    return made


def panel_faults(
    run: str, panels: Panels, models: Sequence[str], named: Sequence[str]
) -> Iterator[str]:
    """What is wrong with panels, a sentence each.

    Parameters
    ----------
    run : its name.
    panels : panel -> what a setting names -> the model that answers.
    models : that the configuration has.
    named : the models that the settings of the run's studies name.
    """
    if len(panels) == 1:
        yield fault(SETTING, [*panels], "one panel is a run as it is; name a second, or none")
    before: dict[tuple[str, ...], str] = {}
    for name, panel in panels.items():
        where = f"{SETTING}.{name}"
        if not panel:
            may = f"it must say which model stands for one of {', '.join(named)}, such as"
            yield fault(where, dict(panel), f"{may} {{{(*named, 'agent')[0]}: {models[0]}}}")
        for role, model in panel.items():
            if role not in named:
                may = f"no setting of the run's studies names {role!r}; they name"
                yield fault(f"{where}.{role}", model, f"{may} {', '.join(named)}")
            elif model not in models:
                yield fault(f"{where}.{role}", model, f"models has {', '.join(models)}")
        asked = tuple(panel.get(role, role) for role in named)
        if panel and asked in before:
            may = f"{SETTING}.{before[asked]} comes to the same models; leave one of them out"
            yield fault(where, dict(panel), may)
        before.setdefault(asked, name)
        if len(f"{run}.{name}") > LONGEST_RUN:
            may = f"run {run}.{name} would have more than {LONGEST_RUN} letters; shorten a name"
            yield fault(where, dict(panel), may)
