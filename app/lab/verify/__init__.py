"""Verifies that two ways to compute the same graph agree, and finds where they first do not."""
