"""What is randomised: the questions, the seats, the shards, and the order of sessions."""
