"""The build's modules, which are no part of the program, are imported from their folder."""

import sys
from pathlib import Path

# Before the recipe of the included voice, which has a `build` of its own and whose tests may have been collected already.
sys.path.insert(0, str(Path(__file__).parents[2] / "packaging"))
