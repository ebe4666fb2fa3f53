"""What a study is, and how its sessions are planned, run, gathered and paid for."""
