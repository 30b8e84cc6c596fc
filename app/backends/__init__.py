"""Finds out by measuring which backend speaks fastest here, and that it speaks right."""
