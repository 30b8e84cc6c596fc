"""The Lab window: the commands of `koebako lab` with their tables and pictures."""
