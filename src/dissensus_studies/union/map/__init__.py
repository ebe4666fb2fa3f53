"""The map of the arguments: where claims lie, in which clusters, and what becomes of these."""
