"""pyqtgraph, imported in a third of the time: it is imported in the GUI thread, which must not stand still for it.

It copies every name of QtCore, QtGui and QtWidgets into modules of its own, and PySide6 makes a class when somebody first looks at it: seven
hundred of them, of which a chart needs some sixty. Here those modules look a name up when it is asked for. It also imports all of its items and
widgets, of which our chart is made of eight: the others are empty meanwhile, and themselves again when anybody imports them later.

Library: pyqtgraph 0.14 with PySide6 6.11. Buys: 0.11 s of 0.23 s by the names (processor time of the import), 0.05 s of 0.08 s by the items (on a
machine twice as fast). Remove when tests/ui/workarounds/test_lazy_pyqtgraph.py finds that pyqtgraph makes few classes without it, or the gain falls
below 0.1 s (`python -m tests.benchmarks.start` prints it).
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

ROOMS = ("pyqtgraph.graphicsItems", "pyqtgraph.widgets", "pyqtgraph.imageview")
USED = {"AxisItem", "GraphicsItem", "GraphicsObject", "GraphicsView", "GraphicsWidget", "GraphicsWidgetAnchor", "ItemGroup", "ViewBox"}
"""What our chart is made of, and what that needs."""


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


class Empty(MetaPathFinder, Loader):
    """Gives an empty module for each of pyqtgraph's items and widgets that is not used, while it is entered."""

    def __init__(self) -> None:
        self._made: list[ModuleType] = []

    def find_spec(self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> ModuleSpec | None:
        """Ours for those modules, else None."""
        room, _, name = fullname.rpartition(".")
        unused = fullname == ROOMS[-1] or (room in ROOMS and name not in USED)
        return ModuleSpec(fullname, self) if unused else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A module of which every name is None."""
        module = ModuleType(spec.name)
        module.__getattr__ = _none  # type: ignore[method-assign]
        self._made.append(module)
        return module

    def exec_module(self, _module: ModuleType) -> None:
        """Nothing."""

    def __enter__(self) -> Empty:
        sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *_error: object) -> None:
        sys.meta_path.remove(self)
        for module in self._made:
            del sys.modules[module.__name__]
            package, _, name = module.__name__.rpartition(".")
            vars(sys.modules[package]).pop(name, None)


def _none(name: str) -> None:
    if name.startswith("__"):
        raise AttributeError(name)


with ExitStack() as stack:
    if "pyqtgraph" not in sys.modules:
        _put_mirrors(stack)
        stack.enter_context(Empty())
    import pyqtgraph

__all__ = ["pyqtgraph"]
