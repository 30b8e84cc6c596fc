"""Notation in a text that is no word of it: readings of words (ruby) and notes.

The spoken text is the text without them; readings in it are counted over the text as it is written, so places are kept in both.
"""
