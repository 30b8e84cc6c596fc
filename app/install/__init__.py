"""Brings voices and BERTs into the library: prepared, verified against their source, stored at once or not at all."""
