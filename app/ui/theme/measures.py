"""Distances that all windows share."""

DIALOG_MARGINS = (18, 16, 18, 14)
"""Pixels around what a dialog holds: left, top, right, bottom."""
