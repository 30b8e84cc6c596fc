"""Audition board and blind tests: many ways to speak a line side by side, and tests of the takes that were kept."""
