"""Figures and tables of the identity study."""

FIGURES = ()
TABLES = ()
