"""ALSA's library writes what it thinks to stderr, underruns at every start and stop among it; nobody can act on it there.

Underruns are counted by the stream itself. The handler is a function of the C library that ignores its arguments: one in Python would wait
for Python's lock in the thread of the sound card.

Library: libasound 1.2, `snd_lib_error_set_handler`. Buys: a terminal with our sentences only. Remove when
tests/adapters/portaudio/test_alsa.py finds that ALSA is silent by itself.
"""

from __future__ import annotations

import ctypes
import sys


def mute_alsa_messages() -> None:
    """From now on ALSA prints nothing in this process; does nothing where there is no ALSA."""
    if not sys.platform.startswith("linux"):
        return
    try:
        alsa = ctypes.CDLL("libasound.so.2")
        handler = ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p)
        alsa.snd_lib_error_set_handler(handler)
    except (OSError, AttributeError):  # no ALSA, or another C library
        return
