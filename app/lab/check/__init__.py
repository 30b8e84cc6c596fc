"""Whether a voice or BERT is what it should be: checks with limits, for people and for continuous integration."""
