"""Imports pyqtgraph in a third of the time, as the import runs in the GUI thread and would block the window.

pyqtgraph copies every name of QtCore, QtGui and QtWidgets into modules of its own, and PySide6 creates a class at its first use: seven
hundred of them, of which a chart needs some sixty. Here those modules look a name up at its first use. pyqtgraph also imports all of its
items and widgets, of which our chart needs eight: the others are empty during the import, and complete when they are imported later.

Library: pyqtgraph 0.14 with PySide6 6.11. Buys: 0.11 s of 0.23 s by the names (processor time of the import), 0.05 s of 0.08 s by the items
(on a machine twice as fast). Remove when tests/ui/workarounds/test_lazy_pyqtgraph.py finds that pyqtgraph creates few classes without it,
or the gain falls below 0.1 s (`python -m tests.benchmarks.start` prints it).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from PySide6 import QtCore, QtGui, QtWidgets

TRIMMED_PACKAGES = ("pyqtgraph.graphicsItems", "pyqtgraph.widgets", "pyqtgraph.imageview")
USED_ITEMS = {
    "AxisItem",
    "GraphicsItem",
    "GraphicsObject",
    "GraphicsView",
    "GraphicsWidget",
    "GraphicsWidgetAnchor",
    "ItemGroup",
    "ViewBox",
}
"""The items of our chart, and those that they need."""


def create_lazy_module(source: ModuleType, name: str) -> ModuleType:
    """Return a module with every name of `source`, each fetched at its first use."""
    module = ModuleType(name)

    def fetch_attribute(attribute: str) -> Any:
        value = getattr(source, attribute)
        # A stored value is found without calling `__getattr__` again.
        setattr(module, attribute, value)
        return value

    module.__getattr__ = fetch_attribute  # type: ignore[method-assign]
    return module


@contextmanager
def _hide_module_names(source: ModuleType) -> Iterator[None]:
    """Make `dir(source)` empty for a while."""
    # pyqtgraph copies the names that `dir` lists, and would create the class of each.
    names = source.__dir__
    source.__dir__ = list  # type: ignore[method-assign]
    try:
        yield
    finally:
        source.__dir__ = names  # type: ignore[method-assign]


def _install_lazy_modules(stack: ExitStack) -> None:
    for source in (QtCore, QtGui, QtWidgets):
        name = f"pyqtgraph.Qt.{source.__name__.rpartition('.')[2]}"
        sys.modules[name] = create_lazy_module(source, name)
        stack.enter_context(_hide_module_names(source))


class EmptyModuleFinder(MetaPathFinder, Loader):
    """Finds an empty module for each of pyqtgraph's unused items and widgets, while the finder is entered."""

    def __init__(self) -> None:
        self._modules: list[ModuleType] = []

    def find_spec(self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of an empty module for an unused one, else None."""
        room, _, name = fullname.rpartition(".")
        unused = fullname == TRIMMED_PACKAGES[-1] or (room in TRIMMED_PACKAGES and name not in USED_ITEMS)
        return ModuleSpec(fullname, self) if unused else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Create a module of which every name is None."""
        module = ModuleType(spec.name)
        module.__getattr__ = _find_no_attribute  # type: ignore[method-assign]
        self._modules.append(module)
        return module

    def exec_module(self, _module: ModuleType) -> None:
        """Execute nothing, as the module is empty."""

    def __enter__(self) -> EmptyModuleFinder:
        sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *_error: object) -> None:
        sys.meta_path.remove(self)
        # The empty modules are removed, so that a later import finds the real ones.
        for module in self._modules:
            del sys.modules[module.__name__]
            package, _, name = module.__name__.rpartition(".")
            vars(sys.modules[package]).pop(name, None)


def _find_no_attribute(name: str) -> None:
    if name.startswith("__"):
        raise AttributeError(name)


with ExitStack() as stack:
    if "pyqtgraph" not in sys.modules:
        _install_lazy_modules(stack)
        stack.enter_context(EmptyModuleFinder())
    import pyqtgraph

__all__ = ["pyqtgraph"]
