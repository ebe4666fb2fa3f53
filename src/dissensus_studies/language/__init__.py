"""The language study: a randomised trial of prompt language on the homogeneity of debates.

In goes a block of the configuration, out come manifest, debates, measures, estimates and figures.
It may import every room but ``keep``, and no other study.
"""
