"""A suite from one's own conversations: masked, labelled by an extractor, corrected by a person.

The order is the point: personal values are masked first, so whatever proposes labels, checks
or shows them never sees a real one.
"""
