"""Turns a DeBERTa of any exporter into the lean graph: the same function with two thirds of the nodes folded away, in float32 or int8.

`open_weights` reads exported graphs and weights; `lean_deberta` writes, with `int8_products` for processors without VNNI. What `deberta_weights` computes, and the float32 copies of `onnx_index`, are compared with the result.
"""
