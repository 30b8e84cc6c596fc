"""Candidates to run instead of the graphs that are there: made, measured side by side, and kept only when chosen."""
