"""Times the graphs of a voice or BERT in several ways, in turns: backends, precisions, levels of optimisation, formats."""
