"""Artefacts: the schema of each, checked when written and when read, written all or nothing."""
