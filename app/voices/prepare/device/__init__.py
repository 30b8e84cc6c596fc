"""Forms of prepared graphs that graphics processors like: few fixed sizes, nothing read back, half precision."""
