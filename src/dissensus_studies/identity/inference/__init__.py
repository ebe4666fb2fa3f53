"""Identity study: from answers to estimates."""
