"""A user's project: how it is made and started, and which studies it can run.

Where dissensus is an installed package, a project is any folder with a config.yaml. Imports what is
below: ``study`` for the studies that are known. The folder ``template`` is what a new project has.
"""
