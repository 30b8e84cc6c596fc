"""Scripts as files: our own projects, and what other programs read and write. Whatever is read here may be a stranger's."""
