"""Runs in the frozen program before anything else: an empty module in the place of Qt's OpenGL module.

pyqtgraph imports it for three-dimensional plots, which the program has none of; left out it saves 9 MB.
"""

from __future__ import annotations

import sys
from types import ModuleType

sys.modules["PySide6.QtOpenGL"] = ModuleType("PySide6.QtOpenGL")
