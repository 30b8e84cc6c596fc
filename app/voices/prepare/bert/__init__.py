"""Turns a DeBERTa of any exporter into the lean graph: the same function with two thirds of the nodes folded away, in float32 or int8.

`open_weights` reads exported graphs, and with `deberta_safetensors` weights; `lean_deberta` writes, with the products of
`lean_products`. `float32_copy` and `reference_deberta` are compared with the result.
"""
