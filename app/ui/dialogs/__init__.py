"""Dialogs."""

MARGINS = (18, 16, 18, 14)
"""Pixels around what a dialog holds, as in all of them."""
