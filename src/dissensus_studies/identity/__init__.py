"""The identity study: do agents follow an answer because of who gave it?

In goes a block of the configuration, out come manifest, debates, measures, estimates and figures.
It may import every room but ``keep``, and no other study.
"""
