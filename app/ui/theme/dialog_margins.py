"""Margins that all dialogs share."""

DIALOG_MARGINS = (18, 16, 18, 14)  # pixels around the content of a dialog: left, top, right, bottom
