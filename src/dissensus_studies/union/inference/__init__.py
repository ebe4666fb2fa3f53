"""From verdicts, votes and claims to estimates: judges, wins, survival, coaching, diagnosis.

Functions take frames and settings and return rows that conform to the schema beside them. What a
small or degenerate run leaves undefined (one run, one arm, votes that nobody could read) is missing
in its row, with a note that says why, never an error.
"""
