"""Readers of chat logs that other programs wrote: one file a format, pure, streaming.

A reader turns a ``Source`` into ``Talk`` records and says of everything that it leaves where
it stood and why. Invariant: nothing here knows a store, and no reader holds more than one
conversation at a time.
"""

from palimpsest.importers.formats import FORMATS, Format, format_of
from palimpsest.importers.recognise import OWN, recognised
from palimpsest.importers.records import Left, Node, Talk
from palimpsest.importers.source import Source

__all__ = [
    "FORMATS",
    "OWN",
    "Format",
    "Left",
    "Node",
    "Source",
    "Talk",
    "format_of",
    "recognised",
]
