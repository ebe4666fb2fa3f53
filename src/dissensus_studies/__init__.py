"""The studies that dissensus comes with, a folder each.

Each is loaded as any study is (:mod:`dissensus.study.registry`) and could stand anywhere: its
modules name each other relatively, and no study imports another. ``study.py`` declares it;
``captions/``, ``prompts/``, ``simulated.yaml``, ``docs.md`` and ``tests/`` are its own. Delete a
folder, and all other studies still run.
"""
