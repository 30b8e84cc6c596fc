"""Exporting a script: which files are written, what they are called, what stands beside them, and how loud they are."""
