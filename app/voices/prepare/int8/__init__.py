"""A decoder in 8-bit integers, made from the exact one and from what its tensors were seen to hold."""
