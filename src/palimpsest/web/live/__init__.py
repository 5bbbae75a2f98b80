"""The live pages of a store: contexts from the core, rendered as HTML or as JSON."""
