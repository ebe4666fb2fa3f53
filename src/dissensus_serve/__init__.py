"""``dissensus serve``: the simulated models behind real HTTP, for rehearsals and tests.

In go requests as providers have them, out come answers, faults and a count of what was asked. It
is a package beside dissensus, which it imports (``study``, ``report`` and what is below them) and
which does not import it. ``python -m dissensus_serve`` is the same command; without this package
all but that runs.
"""
