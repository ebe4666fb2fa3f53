"""What studies randomise and estimate alike."""
