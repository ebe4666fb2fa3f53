"""From the metrics of a run to its estimates: contrasts between arms, trajectories, diagnosis.

Functions take frames and settings and return rows that conform to the schema beside them. What a
small or degenerate run leaves undefined (one draw, one topic, an outcome that does not vary) is
missing in its row, never an error.
"""
