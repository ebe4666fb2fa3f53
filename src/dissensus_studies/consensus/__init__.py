"""The consensus study: ten strategies for a debate of stakeholders, compared on one design.

In goes a block of the configuration, out come manifest, debates, measures, estimates and figures.
It may import every room but ``keep``, and no other study.
"""
