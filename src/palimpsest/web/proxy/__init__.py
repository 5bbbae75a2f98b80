"""The OpenAI-compatible proxy: a client changes its base URL and has a memory."""
