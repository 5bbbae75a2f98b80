"""Recall by meaning: a worker that embeds, an index that follows the store, one deadline."""
