"""What was said and judged, as tables: claims, rebuttals, votes and verdicts."""
