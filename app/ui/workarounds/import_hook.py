"""Python's own import, put back after Qt's binding has replaced it.

PySide6 puts a function in the place of `__import__` that reads the source of every module imported from then on, in search of "PySide6", for
`from __feature__ import …`, which nobody here uses. 600 modules are read so between start and first sound (0.1 s), some more than once, and
asking is not harmless: pydantic answers `hasattr(module, "__wrapped__")` by importing more of itself, and of a hundred starts one or two ended
with half of pydantic, so without pyopenjtalk.

Library: PySide6 6.11. Buys: 0.04 s of importing pyqtgraph and 0.08 s of pyopenjtalk, and starts that do not fail. Remove when
tests/ui/workarounds/test_import_hook.py says that PySide6 has stopped asking.
"""

from __future__ import annotations

import builtins


def restore_import() -> None:
    """To be called once, right after QtCore was imported for the first time; changes nothing where PySide6 has left the import alone."""
    own = getattr(builtins, "__orig_import__", None)
    if own is not None and builtins.__import__ is getattr(builtins, "__feature_import__", None):
        builtins.__import__ = own
