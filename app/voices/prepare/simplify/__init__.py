"""A small simplifier of ONNX graphs, for graphs with batch 1, nothing masked and one axis of unknown length.

`subgraph` reads the nodes of a part of a graph in order. Whatever does not depend on what is said (sizes, masks of ones, constants)
is worked out (`constant_folding`) and leaves no node; the rest passes a list of local rules (`local_rewrites`). Nodes that nothing
needs are dropped at the end.
"""
