"""Restores Python's own import after PySide6 has replaced it.

PySide6 replaces `__import__` by a function that reads the source of every module imported later, in search of "PySide6", for
`from __feature__ import …`, which is not used here. It reads 600 modules between start and first audio (0.1 s), some more than once,
and the search is not harmless: pydantic answers `hasattr(module, "__wrapped__")` by importing more of itself, and of a hundred starts
one or two ended with half of pydantic, so without pyopenjtalk.

Library: PySide6 6.11. Buys: 0.04 s of importing pyqtgraph and 0.08 s of pyopenjtalk, and starts that do not fail. Remove when
tests/ui/workarounds/test_import_hook.py finds that PySide6 no longer does this.
"""

import builtins


def restore_import() -> None:
    """Restore the import; called once, right after the first import of QtCore.

    Changes nothing if PySide6 has left the import alone.
    """
    original = getattr(builtins, "__orig_import__", None)
    if original is not None and builtins.__import__ is getattr(builtins, "__feature_import__", None):
        builtins.__import__ = original
