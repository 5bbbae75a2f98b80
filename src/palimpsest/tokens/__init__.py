"""Counting: chat templates, exact counters, and the preparation of pinned tokenizers."""
