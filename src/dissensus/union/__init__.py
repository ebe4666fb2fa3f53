"""The union study: a 3v3 debate of personas from corpora, and three layers of judging."""
