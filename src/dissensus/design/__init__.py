"""What studies randomise and estimate alike: draws, contrasts, equal tokens, diagnosis.

In go outcomes with their draw and arm, out come estimates. It may import ``stats`` and ``tables``.
"""
