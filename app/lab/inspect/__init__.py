"""What the graphs of a voice or BERT are made of, and what preparing them changed."""
