"""CCAgent's composite loss for models with open weights: scoring a model by it, and training one.

`python -m dissensus_studies.consensus.training score --help` lists what it takes. Torch and its
like come with `pip install 'dissensus[train]'`; only :mod:`.scoring` and :mod:`.fitting` need them.
"""
