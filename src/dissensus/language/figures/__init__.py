"""What readers see of the language study: figures, tables, captions, and two speeches side by side.

Every function takes frames and hands back a figure, a table or a text; nothing here estimates.
"""

FIGURES = ()
TABLES = ()
