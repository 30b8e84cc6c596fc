"""Listening: many ways to speak a line side by side, and blind tests of what was kept."""
