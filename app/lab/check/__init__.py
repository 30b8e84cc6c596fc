"""Checks of a voice or BERT against limits, for people and for continuous integration."""
