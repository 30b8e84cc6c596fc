"""Runs in the frozen program before anything else: empty modules in the place of some that are imported, but never used.

pyqtgraph imports Qt's OpenGL modules for plots in three dimensions, pictures, trees of parameters and plots of other processes; pyopenjtalk
a voice of its own (and what `app/adapters/openjtalk/stub_tsqyomi.py` leaves out everywhere); uvicorn a command line and several processes. Left out
they save 20 MB, and time at every start.
"""

import sys
from types import ModuleType


class StandIn(ModuleType):
    """A module whose every public name is a class without anything."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("_"):
            raise AttributeError(name)
        return type(name, (), {})


PLOTS = ("imageview", "widgets.ColorMapWidget", "widgets.DataFilterWidget", "widgets.RemoteGraphicsView", "widgets.ScatterPlotWidget")
QT = ("QtOpenGL", "QtOpenGLWidgets", "QtTest")
TEXT = ("htsengine",)

SERVER = ("uvicorn.main",)

for name in (
    *SERVER,
    *(f"pyqtgraph.{part}" for part in PLOTS),
    *(f"PySide6.{part}" for part in QT),
    *(f"pyopenjtalk.{part}" for part in TEXT),
):
    sys.modules[name] = StandIn(name)
