"""``dissensus serve``: the simulated models behind real HTTP, for rehearsals and tests.

In go requests as providers have them, out come answers, faults and a count of what was asked. It
may import ``study``, ``report`` and what is below them.
"""
