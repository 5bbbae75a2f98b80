"""Answers of real models to the requests of a suite: recorded once, graded again offline."""
