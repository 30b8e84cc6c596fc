"""Long work in processes of its own: imports, downloads, measurements."""
