"""Shows which operators of a voice or a BERT each backend could run, before the backend is there, and which it was truly given."""
