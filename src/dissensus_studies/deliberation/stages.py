"""What the deliberation study makes of its sessions, in the order data takes."""

from __future__ import annotations

from dissensus.study.stages import Stage

from .settings import DeliberationSettings

_MEASURES, _INFERENCE = f"{__package__}.measures", f"{__package__}.inference"
_LEVEL = "inference.confidence"


def stages_of(settings: DeliberationSettings) -> list[Stage]:
    """The graph of each debate, its measures, and the estimates."""
    reference = settings.reference
    return [
        Stage(
            f"{_MEASURES}.reconstruct:reconstruct_debates",
            message="Rebuild every debate's graph from its references",
            on_node=True,
        ),
        Stage(
            f"{_MEASURES}.sessions:measure_deliberation",
            (*("measures", "control", "arms", "rounds", "inference.resamples"), "seed"),
            message="Measure disagreement, influence and silence in every session",
            on_node=True,
        ),
        Stage(
            f"{_INFERENCE}.contrasts:contrast_arms",
            ("reference", "again", "compared", _LEVEL, "inference.flips"),
            name="estimate_arms",
            message=f"Compare the arms with {reference}",
        ),
        Stage(
            f"{_INFERENCE}.trajectories:follow_debates",
            ("reference", "compared", _LEVEL),
            message="Follow disagreement and claims from round to round",
        ),
        Stage(
            f"{_INFERENCE}.baselines:compare_baselines",
            ("reference", "arms", _LEVEL, "inference.resamples"),
            name="compare_deliberation_baselines",
            message="Compare debates with what their tokens find without debate",
        ),
        Stage(
            f"{_INFERENCE}.left_out:leave_one_out",
            ("reference", "arms", _LEVEL),
            message="Compare where agents end with and without each model",
        ),
        # Of any session, such as results/<run>/deliberation/graphs/t003-full.svg.
        Stage(
            f"{__package__}.figures.session_graph:plot_graph",
            named={"svg": "graphs/{session}.svg"},
            message="Draw the debate graph of session {wildcards.session}",
            each_session=True,
        ),
    ]
