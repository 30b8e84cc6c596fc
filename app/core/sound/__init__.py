"""Requests become samples: the pipeline and its stages, lengths and pitches, the edits of a line, and measures of computed sound."""
