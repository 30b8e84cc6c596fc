"""Shows the contents of the graphs of a voice or BERT, and the changes that preparation made to them."""
