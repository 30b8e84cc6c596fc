"""pyqtgraph, imported in half of the time: the window has to wait for it.

It copies every name of QtCore, QtGui and QtWidgets into modules of its own, and PySide6 makes a class when somebody first looks at it: seven
hundred of them, of which a chart needs some sixty. Here those modules look a name up when it is asked for.

Library: pyqtgraph 0.14 with PySide6 6.11. Buys: 0.11 s of 0.23 s (processor time of the import). Remove when
tests/ui/workarounds/test_lazy_pyqtgraph.py finds that pyqtgraph makes few classes without it, or the gain falls below 0.1 s
(`python -m tests.benchmarks.start` prints it).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any

from PySide6 import QtCore, QtGui, QtWidgets


def mirror(source: ModuleType, name: str) -> ModuleType:
    """A module with every name that `source` has, each fetched when it is first asked for."""
    module = ModuleType(name)

    def look_up(wanted: str) -> Any:
        value = getattr(source, wanted)
        setattr(module, wanted, value)  # it is found without us from now on
        return value

    module.__getattr__ = look_up  # type: ignore[method-assign]
    return module


@contextmanager
def _nothing_to_copy(source: ModuleType) -> Iterator[None]:
    """`dir(source)` is empty meanwhile."""
    names = source.__dir__
    source.__dir__ = list  # type: ignore[method-assign]
    try:
        yield
    finally:
        source.__dir__ = names  # type: ignore[method-assign]


def _put_mirrors(stack: ExitStack) -> None:
    for source in (QtCore, QtGui, QtWidgets):
        name = f"pyqtgraph.Qt.{source.__name__.rpartition('.')[2]}"
        sys.modules[name] = mirror(source, name)
        stack.enter_context(_nothing_to_copy(source))


with ExitStack() as stack:
    if "pyqtgraph" not in sys.modules:
        _put_mirrors(stack)
    import pyqtgraph

__all__ = ["pyqtgraph"]
