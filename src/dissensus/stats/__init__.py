"""Inference as pure functions on numpy arrays: randomisation, intervals, agreement, power.

Nothing here reads a file, knows a study or holds a global random state: the same arrays and the
same seed give the same numbers. Import from the modules (`from dissensus.stats.location import
paired_t`); this file stays empty so that no caller pays for an import that it does not use.
"""
