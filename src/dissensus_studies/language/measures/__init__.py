"""Transcripts to numbers: lexical and semantic similarity, anchors, and the Homogeneity Index."""
