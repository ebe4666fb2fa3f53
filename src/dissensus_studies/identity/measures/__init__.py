"""From what agents said to what they answered, changed and kept."""
