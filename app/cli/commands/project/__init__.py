"""`koebako project`: projects as files."""
