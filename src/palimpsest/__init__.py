"""palimpsest: a memory engine for long LLM conversations that proves what each request holds."""

__version__ = "0.1.0"
