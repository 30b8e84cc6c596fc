"""The Lab window: the parts of `koebako lab`, with their tables and pictures."""
