"""Judges of anybody's, audited from a file of their votes.

In goes a CSV with a row a vote, out come what judges favour beside what they judge (the place, the
length, the side), how far they agree, and what the file cannot tell. It needs no run. It imports
what is below: ``tables``, ``stats`` and ``report``.
"""
