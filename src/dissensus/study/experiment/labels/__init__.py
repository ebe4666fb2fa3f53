"""Labels that people give to what a judge of an experiment judges, or to whole sessions.

How far the judge agrees with people, and what the estimates are when people correct the judge.
"""
