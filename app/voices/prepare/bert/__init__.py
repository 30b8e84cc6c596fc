"""Turns a DeBERTa of any exporter into the lean graph: the same function with two thirds of the nodes folded away, in float32 or int8.

`source.Tensors` is what is read (`onnx_source`, `safetensors_source`), `lean` what is written, with the products of `products` and the
positions of `distances`. `float32_copy` and `plain` are what the result is compared with.
"""
