"""Listening and deciding: takes that are kept, the board, and blind tests whose statistics are right. Nothing here knows a window."""
