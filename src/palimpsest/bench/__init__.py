"""The benchmark: which current, replaced and forgotten facts reach a request."""
