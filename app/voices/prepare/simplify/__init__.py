"""A small simplifier of ONNX graphs, for graphs with batch 1, nothing masked and one axis of unknown length.

`subgraph.simplify_subgraph` reads the nodes of a part of a graph in order. Whatever does not depend on the text (sizes, masks of ones, constants)
is computed (`constant_folding`) and leaves no node; the other nodes pass a list of local rules (`local_rewrites`). `graph_finisher` removes dead nodes.
"""
