"""What is deliberated, by whom and in which arms, drawn before any debate."""
