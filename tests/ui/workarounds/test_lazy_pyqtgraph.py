"""pyqtgraph sees all of Qt, and makes no class of it that nobody asked for."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from PySide6 import QtCore

from app.ui.workarounds.lazy_pyqtgraph import create_lazy_module, pyqtgraph

ROOT = Path(__file__).parents[3]


def test_names_are_fetched_when_they_are_asked_for() -> None:
    source = ModuleType("source")
    source.here = object()  # type: ignore[attr-defined]
    mirrored = create_lazy_module(source, "mirrored")
    assert "here" not in vars(mirrored)
    assert mirrored.here is source.here
    assert "here" in vars(mirrored), "and need not be looked up again"
    with pytest.raises(AttributeError):
        _ = mirrored.nowhere


def test_the_mirrors_are_what_pyqtgraph_uses() -> None:
    mirrored = importlib.import_module("pyqtgraph.Qt.QtCore")
    assert mirrored.QPointF is QtCore.QPointF
    assert issubclass(pyqtgraph.GraphicsObject, pyqtgraph.QtWidgets.QGraphicsObject)
    assert {"QPointF", "QTimer", "QVariantAnimation"} <= set(dir(QtCore)), "Qt's own modules are as they were"


def test_far_fewer_classes_are_made_than_there_are() -> None:
    code = """
from PySide6 import QtCore, QtGui, QtWidgets
import app.ui.workarounds.lazy_pyqtgraph
from pyqtgraph.Qt import QtCore as core, QtGui as gui, QtWidgets as widgets
print(*(sum(name.startswith("Q") for name in vars(module)) for module in (core, gui, widgets)), *(len(dir(m)) for m in (QtCore, QtGui, QtWidgets)))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    *made, core, gui, widgets = map(int, done.stdout.split())
    assert sum(made) < 150 < 700 < core + gui + widgets


def test_what_is_left_out_can_be_imported_later() -> None:
    code = """
import app.ui.workarounds.lazy_pyqtgraph as lazy
import sys, pyqtgraph
made = [name for name in sys.modules if name.startswith(lazy.TRIMMED_PACKAGES)]
print(len(made))
assert not any(isinstance(finder, lazy.EmptyModuleFinder) for finder in sys.meta_path)
import pyqtgraph.graphicsItems.PlotItem as plot
from pyqtgraph.widgets import PlotWidget
from pyqtgraph.imageview import ImageView
print(plot.PlotItem.__name__, PlotWidget.PlotWidget.__name__, ImageView.__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    count, *names = done.stdout.split()
    assert int(count) < 20, "more than a chart is made of"
    assert names == ["PlotItem", "PlotWidget", "ImageView"]
