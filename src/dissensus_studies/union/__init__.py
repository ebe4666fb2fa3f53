"""The union study: a 3v3 debate of personas from corpora, and three layers of judging.

In goes a block of the configuration, out come manifest, debates, measures, estimates and figures.
It may import every room but ``keep``, and no other study.
"""
