"""Afterwards: what a run left is read, verified, counted and archived.

In goes a run's folder, out come pages, findings of damage and one file to share. It may import
``run``, ``study``, ``report`` and what is below them.
"""
