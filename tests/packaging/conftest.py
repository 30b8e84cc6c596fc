"""The build's modules, which are no part of the program, are imported from their folder."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "packaging"))
