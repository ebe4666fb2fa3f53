"""Text to numbers: sentences, words, tokens, embeddings, divergences, reuse."""
