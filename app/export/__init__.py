"""Exporting a script: which files are written, what they are called, which sidecars they get, and how loud they are."""
