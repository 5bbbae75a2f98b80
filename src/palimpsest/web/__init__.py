"""Pages: contexts of plain records that are rendered to HTML."""
