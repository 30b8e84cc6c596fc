"""The language the user reads: Japanese or English, chosen once at start.

Messages are written where they arise, in both languages, side by side: `localize("日本語", "English")`.
"""

import locale
import os
from typing import Literal

Language = Literal["ja", "en"]
_FRONTEND_VARIABLE = "KOEBAKO_FRONTEND"


def find_system_language() -> Language:
    """Return the language of the system: KOEBAKO_LANG, then the usual variables, then the platform's own setting."""
    for variable in ("KOEBAKO_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(variable, "")
        if value:
            return "ja" if value.lower().startswith("ja") else "en"
    name = locale.getlocale()[0] or ""
    return "ja" if name.lower().startswith("ja") else "en"


_current: Language = find_system_language()


def set_language(language: Language) -> None:
    """Set the language of all messages made from now on."""
    global _current
    _current = language


def get_language() -> Language:
    return _current


def localize(ja: str, en: str) -> str:
    """Return the text in the language in use."""
    return ja if _current == "ja" else en


def use_window_wording() -> None:
    """From now on, and in the programs that are started from here, what is said is read in the window."""
    os.environ[_FRONTEND_VARIABLE] = "window"


def choose_by_frontend(window: str, command: str) -> str:
    """Return the words that fit the front end: the window, which has menus, or the command line, which has options."""
    return window if os.environ.get(_FRONTEND_VARIABLE) == "window" else command
