"""What ALSA thinks does not reach the terminal."""

import ctypes
import subprocess
import sys

import pytest

OPEN_NOTHING = """
import ctypes, sys
if sys.argv[1] == "silenced":
    from app.adapters.portaudio.audio_devices import mute_alsa_messages
    mute_alsa_messages()
handle = ctypes.c_void_p()
sys.exit(0 if ctypes.CDLL("libasound.so.2").snd_pcm_open(ctypes.byref(handle), b"nobody:0", 0, 0) < 0 else 1)
"""


@pytest.mark.parametrize("how", ["silenced", "as it is"])
def test_it_is_silent_only_where_it_was_silenced(how: str) -> None:
    try:
        ctypes.CDLL("libasound.so.2")
    except OSError:
        pytest.skip("no ALSA on this machine")
    done = subprocess.run([sys.executable, "-c", OPEN_NOTHING, how], capture_output=True, text=True, check=True, timeout=60)
    assert ("ALSA lib" in done.stderr) == (how != "silenced"), "should ALSA be silent by itself, mute_alsa_messages can go"
