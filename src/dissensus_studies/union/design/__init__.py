"""What is randomised: orders, lenses, and what both arms of a draw share."""
