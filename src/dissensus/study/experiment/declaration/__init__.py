"""What an experiment may not declare: each mistake is a sentence with its file and the mend."""
