"""What is randomised: the questions, who sits where, and which job holds what, when."""
