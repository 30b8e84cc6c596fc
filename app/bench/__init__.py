"""Measures how fast the program speaks: stage by stage, against what the processor could do, and against a reference configuration."""
