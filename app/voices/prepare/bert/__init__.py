"""Turns a DeBERTa of any exporter into the lean graph: the same function with two thirds of the nodes folded away, in float32 or int8.

`deberta_weights` reads (`deberta_onnx`, `deberta_safetensors`), `lean_deberta` writes, with the products of `lean_products` and the
positions of `position_buckets`. `float32_copy` and `reference_deberta` are compared with the result.
"""
