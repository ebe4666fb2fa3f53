"""CCAgent: what agents learn from the best and the worst of earlier debates."""
