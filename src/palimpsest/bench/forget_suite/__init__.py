"""The forget suite: twelve kinds of forgets, each with cases of two splits; see ``made``."""
