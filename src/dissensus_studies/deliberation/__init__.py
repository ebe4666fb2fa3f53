"""The deliberation study: debates without a set topology, and what may be done to them.

In goes a block of the configuration, out come manifest, debates, measures, estimates and figures.
It may import every room but ``keep``, and no other study.
"""
