"""A driver that crashes while the program lives on: on Windows, ctypes catches what would end it and raises an OSError instead.

What such a driver held it holds for good, so nothing more is asked of it; what is known of its device is what is known after a crash.
"""

from __future__ import annotations

# As ctypes begins: "exception: access violation reading 0x0000000000000010".
_CTYPES_EXCEPTION_PREFIX = "exception: "
# Codes of the system's own exceptions begin here; those of its functions are smaller.
_ERROR_STATUS = 0xC0000000


def is_driver_crash(exc: BaseException | None) -> bool:
    """Return whether an error of a runtime's call is an exception of the processor or the system, which nothing has handled."""
    if not isinstance(exc, OSError):
        return False
    code = getattr(exc, "winerror", None)
    named = exc.errno is None and str(exc).startswith(_CTYPES_EXCEPTION_PREFIX)
    return named or (isinstance(code, int) and code & 0xFFFFFFFF >= _ERROR_STATUS)
