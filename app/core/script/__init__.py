"""The script of a user as values: lines, characters, takes, presets, the project that holds them, and all of it as plain data."""
