"""Embedders: each a plug-in that turns texts into vectors; none of them is needed."""
