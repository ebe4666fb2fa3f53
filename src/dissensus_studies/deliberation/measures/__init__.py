"""From transcripts to numbers: the debate graph, and what becomes of disagreement on it."""
