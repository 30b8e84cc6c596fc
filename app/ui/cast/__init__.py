"""The cast: its window, and the commands that give lines a character."""
