"""Where things lie: what ships with the program, and what belongs to the user. The only place that knows of frozen builds."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs

APP_NAME = "Koebako"
HOME_VARIABLE = "KOEBAKO_HOME"


def resources_dir() -> Path:
    """Icons, voices and everything else that ships with the program."""
    if getattr(sys, "frozen", False):
        return Path(sys._MEIPASS) / "resources"  # type: ignore[attr-defined]
    installed = Path(__file__).parent / "resources"  # where a wheel puts them
    return installed if installed.is_dir() else Path(__file__).parent.parent / "resources"


def data_dir() -> Path:
    """Settings, voices, caches and logs of the user; KOEBAKO_HOME moves all of it to one folder."""
    home = os.environ.get(HOME_VARIABLE)
    return Path(home).expanduser() if home else Path(platformdirs.user_data_dir(APP_NAME, appauthor=False))


def voice_dirs() -> list[Path]:
    """Folders whose subfolders are prepared voices; the shipped ones last, so that users' own come first."""
    return [data_dir() / "voices", resources_dir() / "voices"]


def bert_dirs() -> list[Path]:
    """Folders whose subfolders are BERT models."""
    return [data_dir() / "bert", resources_dir() / "bert"]


def own_command() -> list[str]:
    """How a child process runs our own command line; a frozen program has a console executable of its own for that."""
    if getattr(sys, "frozen", False):
        program = Path(sys.executable)
        return [str(program.with_name(f"koebako-cli{program.suffix}"))]
    checkout = Path(__file__).parent.parent / "main.py"
    return [sys.executable, str(checkout)] if checkout.is_file() else [sys.executable, "-m", "app.cli.main"]
