"""Plain stand-ins for what a strategy sees and counts with."""
