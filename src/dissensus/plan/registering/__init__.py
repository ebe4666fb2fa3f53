"""What a registration rests on: settings and their defaults, texts without comments, and stamps.

In go a configuration, files and answers of outside witnesses; out come plain data and sentences.
"""
