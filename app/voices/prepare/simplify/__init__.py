"""A small simplifier of ONNX graphs, for graphs with batch 1, nothing masked and one axis of unknown length.

`piece.simplify` reads the nodes of a part of a graph in order. Whatever does not depend on what is said (sizes, masks of ones, constants)
is worked out (`values`) and leaves no node; the rest passes a list of local rules (`rules`). `finish` drops what is dead.
"""
