"""Voices and BERTs of the public architectures with random weights, a few megabytes each, made here: no test needs what lies elsewhere."""
