"""What people read of a run: any debate as a whole, the memos, and what all debates come to."""
