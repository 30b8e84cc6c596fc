"""Whether two ways to compute the same graph agree, and where they first do not."""
