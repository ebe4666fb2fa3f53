"""What may be done to a debate while it runs: critique, consistency checks, contentiousness."""
