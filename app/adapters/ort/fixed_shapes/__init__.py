"""Graphs in a few fixed sizes, for backends that compile each size: DirectML, and TensorRT; imported through `app.compose.fixed_shape_opening` only."""
