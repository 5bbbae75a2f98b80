"""Builds requests: strategies, notes, blocks, fitting, ledgers. Pure functions of a view."""
