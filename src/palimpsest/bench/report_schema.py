"""The version of every JSON report."""

SCHEMA = 1
