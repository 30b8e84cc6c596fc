"""What each backend could run of a voice or a BERT, before one is there, and what it was truly given."""
