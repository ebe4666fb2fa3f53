"""What readers see of the deliberation study: figures, the graph of any debate, tables, captions.

Every function takes frames and hands back a figure, a table or a text; nothing here estimates but
means and their intervals.
"""

FIGURES = ()
TABLES = ()
