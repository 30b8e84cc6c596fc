"""Reading aloud what other programs show: from the clipboard, the selection, a key or the command line."""
