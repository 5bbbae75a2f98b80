"""What the engine knows about natural language: sentences, carriers, invisible characters."""
