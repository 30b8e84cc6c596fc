"""Builds the graphs of a voice from its PyTorch weights, without PyTorch."""
