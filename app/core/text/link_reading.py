"""The choices for reading the address of a page."""

# A module of its own: settings are loaded long before any text is read.
from typing import Literal

LinkReading = Literal["host", "all", "skip"]
LINK_READINGS: tuple[LinkReading, ...] = ("host", "all", "skip")
