"""Files beside a sound: what was said, and when. One module a format; each gives text, which is written as UTF-8."""
