"""Runs in the frozen program before anything else: empty modules in the place of some that are imported, but never used.

pyqtgraph imports Qt's OpenGL modules for plots in three dimensions, and pyopenjtalk a second way to choose readings (with pydantic) and a
voice of its own; left out they save 20 MB.
"""

from __future__ import annotations

import sys
from types import ModuleType


class StandIn(ModuleType):
    """A module whose every public name is a class without anything."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("_"):
            raise AttributeError(name)
        return type(name, (), {})


for name in ("PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "pyopenjtalk.tsqyomi.model", "pyopenjtalk.htsengine"):
    sys.modules[name] = StandIn(name)
