"""The recipe's scripts import each other by plain names, as they do when they are run."""

import sys
from pathlib import Path

RECIPE = Path(__file__).parents[3] / "packaging" / "starter_voice"

sys.path.append(str(RECIPE))
