"""dissensus: multi-agent debates as designed experiments, and how they lose disagreement."""

__version__ = "0.3.0"
