"""Runs a program that takes pictures once for each language and look, as the language is chosen once at start."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

LOOKS = ("light", "dark")
SCREEN = (1920, 1080)  # on which dialogs have their usual sizes; Qt's own offscreen screen has 800×800


def in_each_look(module: str, arguments: Callable[[str, str], Sequence[str]], *, looks: Sequence[str] = LOOKS, scale: str = "1") -> None:
    """Starts `python -m module --one LOOK …` in processes of their own, each with an empty home.

    Args:
        arguments: what follows, by language and look.
        scale: pixels of the picture for each of the window's.
    """
    for language in ("ja", "en"):
        for look in looks:
            with tempfile.TemporaryDirectory() as home:
                screen = Path(home) / "screen.json"
                width, height = (round(edge * float(scale)) for edge in SCREEN)
                screen.write_text(json.dumps({"screens": [{"name": "wide", "x": 0, "y": 0, "width": width, "height": height}]}))
                environment = os.environ | {
                    "KOEBAKO_LANG": language,
                    "KOEBAKO_HOME": home,
                    "KOEBAKO_FRONTEND": "window",
                    "QT_SCALE_FACTOR": scale,
                    "QT_QPA_PLATFORM": f"offscreen:configfile={screen}",
                }
                subprocess.run([sys.executable, "-m", module, "--one", look, *arguments(language, look)], env=environment, check=True)


def take_pictures(module: str, default_size: str, *, has_voice: bool = False) -> int:
    """Starts `module` in each look, as its command line asks: FOLDER [VOICE] [WIDTHxHEIGHT] [SCALE]."""
    folder, *words = sys.argv[1:]
    voice, words = (words[:1], words[1:]) if has_voice else ([], words)
    size, scale, *_ = (*words, *(default_size, "1")[len(words) :])
    Path(folder).mkdir(parents=True, exist_ok=True)
    in_each_look(module, lambda language, look: [size, *voice, folder, f"{language}-{look}"], scale=scale)
    return 0
