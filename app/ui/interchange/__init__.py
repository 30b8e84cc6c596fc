"""Scripts from other programs and for them: asking what columns and names mean, adding the lines, writing texts and tables."""
