"""The engine inside other people's tools: each in its framework's own idiom, behind an extra."""
