"""The HTTP API: one table of operations that is served and described from the same rows."""
