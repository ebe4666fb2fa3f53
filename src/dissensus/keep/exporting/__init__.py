"""A run's sessions for other tools, from its artefacts alone.

In goes the folder of a study, out comes one file in another tool's form. It may import what
``keep`` may.
"""
