"""Looking for a value in the bytes of files: what a forget must have left nothing for.

Invariant: nothing here opens a database or keeps what it reads; it takes paths and patterns
and says where the patterns stand.
"""

from palimpsest.audit.needles import Needle, distinct_characters, needles, scannable
from palimpsest.audit.scan import Finding, Scan, scan

__all__ = ["Finding", "Needle", "Scan", "distinct_characters", "needles", "scan", "scannable"]
