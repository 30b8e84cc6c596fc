"""The real window in a process of its own, and whether it opens, speaks and closes."""

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.campaigns.attack import checks
from tests.campaigns.attack.area import Case
from tests.campaigns.attack.place import Place
from tests.campaigns.attack.program import Program, judge

DRIVER = Path(__file__).with_name("window_driver.py")
LIMIT_S = 45.0
# Said by Qt and by the system's libraries on machines without a screen, a bus or a sound device.
NOISE = (b"This plugin does not support", b"ALSA lib", b"jack", b"Cannot connect", b"QStandardPaths", b"propagateSizeHints", b"Expression ")


def window(place: Place, mode: str, *files: str, env: dict[str, str] | None = None) -> Program:
    """A window that is driven as `window_driver` says."""
    return Program(place, [sys.executable, str(DRIVER), mode, *files], env=env)


def open_and_speak(case: Case, place: Place, kept: str = "") -> dict[str, Any]:
    """Opens it, lets it save and play a line, and close itself; what it told at its end."""
    sound = place.out / "window.wav"
    sound.unlink(missing_ok=True)
    program = window(place, "speak", str(sound))
    ran = program.finish(case, LIMIT_S)
    judge(case, ran)
    found: dict[str, Any] = {}
    for line in ran.out.splitlines():
        with suppress(ValueError):
            found = json.loads(line)
    if ran.code != 0 or not found.get("spoken"):
        case.complain("wrong", f"the window did not speak or close: {found} {ran.told()}", "the window does not speak")
    else:
        checks.check_sound(case, sound)
    if kept and not any(kept in text for text in found.get("lines", ())):
        case.complain(
            "lost", f"a line of {len(kept)} letters is not in the window: {[len(text) for text in found.get('lines', ())]}", "the script"
        )
    if noise := [line for line in ran.err.splitlines() if line.strip() and not line.startswith(NOISE)]:
        case.complain("wrong", f"on stderr of the window: {noise[:10]}", f"stderr {noise[0][:60]!r}")
    return found
