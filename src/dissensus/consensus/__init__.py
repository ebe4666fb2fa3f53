"""The consensus study: ten strategies for a debate of stakeholders, compared on one design."""
