"""The interface of a session in a few fixed sizes, for the sessions that fall back to the CPU and do not load the code that opens one."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, Protocol

from app.adapters.ort.graph_session import GraphSession, RunnableSession


class SizedSession(RunnableSession, Protocol):
    """A session that runs on its device for the sizes that are open there: `FixedShapeSession`.

    Attributes:
        cpu: runs every other size.
        cpu_reason: why the graph stays on the CPU, in the language of the user; None while it does not.
        has_failed: something failed there; else the graph has no room or no form.
        settled_event: set when no further size will be opened.
    """

    cpu: GraphSession
    cpu_reason: str | None
    has_failed: bool
    settled_event: threading.Event

    @property
    def open_sizes(self) -> list[int]:
        """Return the open sizes."""

    @property
    def is_half_precision(self) -> bool:
        """Return whether the device computes in half precision."""

    def find_device_inputs(self, values: dict[str, Any]) -> tuple[Path, dict[str, Any], dict[str, int]] | None:
        """Return the graph that runs on the device for these values, its inputs, and its fixed size; None for values that it does not take."""

    def has_size_for(self, values: dict[str, Any]) -> bool:
        """Return whether a size is open that fits."""
