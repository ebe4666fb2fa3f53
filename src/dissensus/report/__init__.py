"""What figures, tables and captions of every study share: one look, one way with numbers."""
