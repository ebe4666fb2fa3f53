"""How long turns are in each arm."""

import pandas as pd

from dissensus.study.experiment import Column, Schema, makes

LENGTHS = Schema(
    "lengths",
    "arm",
    {
        "arm": Column("string", "The arm."),
        "words": Column("float", "Mean number of words of a turn.", "words"),
    },
    key=("arm",),
)


@makes(lengths=LENGTHS)
def mean_lengths(turns: pd.DataFrame, manifest: pd.DataFrame) -> pd.DataFrame:
    """The mean number of words of a turn, by arm."""
    arms = turns[["session_id", "text"]].merge(manifest[["session_id", "arm"]])
    arms["words"] = arms["text"].str.split().str.len().astype(float)
    return arms.groupby("arm", as_index=False)["words"].mean()
