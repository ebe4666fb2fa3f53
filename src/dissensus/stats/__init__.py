"""Inference as pure functions on numpy arrays: randomisation, intervals, agreement, power.

Nothing here reads a file, knows a study or keeps a global random state: the same arrays and the
same seed give the same numbers. Import from the modules (`from dissensus.stats.location import
paired_t`), so that no caller pays for an import that it does not use. It imports no other room.
"""
