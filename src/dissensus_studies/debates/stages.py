"""What the study of imported debates makes of its sessions, in the order data takes."""

from __future__ import annotations

from dissensus.study.stages import Stage


def stages_of(*, is_paired: bool) -> list[Stage]:
    """The measures of each shard, all together, and the contrasts.

    Parameters
    ----------
    is_paired : whether arms are compared item by item.
    """
    return [
        Stage(
            f"{__package__}.measures:measure_shard",
            ("tokenizer", "embedder"),
            name="measure_debates",
            named={"calls": "embedding_calls.parquet"},
            message="Measure the imported sessions of shard {wildcards.shard}",
            each_shard=True,
            on_node=True,
        ),
        Stage(
            f"{__package__}.inference:gather_measures",
            ("arms",),
            name="gather_debates_measures",
            message="Put the measures of all imported sessions together",
        ),
        Stage(
            f"{__package__}.inference:compare_debates",
            ("arms", "inference", "primary"),
            computed={"is_paired": is_paired},
            message="Compare the arms of the imported debates",
        ),
    ]
