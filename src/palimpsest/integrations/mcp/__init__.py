"""The MCP server: one user's memories as tools of whatever speaks the Model Context Protocol."""
