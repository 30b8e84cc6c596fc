"""A key that works in every program, one module a system."""
