"""The extractors: what reads an answered turn and proposes memories. They decide nothing."""
