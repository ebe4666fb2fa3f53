"""From the metrics of a run to its estimates: effects, domains, diagnostics, curve, power.

Functions take frames and settings and return rows that conform to the schema beside them. What a
small or degenerate run leaves undefined (one draw in a domain, one motion, an arm that does not
vary) is a row with NaN and its n, never an error; what has no data at all is left out.
"""
