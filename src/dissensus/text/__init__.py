"""Text to numbers: sentences, words, tokens, embeddings, divergences, reuse.

In go texts, out come arrays. It may import settings alone.
"""
