"""Whether agents answer as those whom they stand for would (the paper's Table 1)."""
