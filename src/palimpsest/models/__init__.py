"""Chat models: who answers a request, over HTTP, in this process, or from a recording."""
