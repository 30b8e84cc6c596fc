"""What stands in the window at its start: the script of last time, the text of an older version, or a greeting."""

from __future__ import annotations

from dataclasses import fields

from app.core.script import Line, LineSettings, Script
from app.errors import AppError
from app.settings import Settings
from app.ui.autosave import load_autosave

FIRST_TEXT = "こんにちは、声箱です。好きな文章を打って、声にしてみてください。"
SHARED = tuple({item.name for item in fields(Settings)} & {item.name for item in fields(LineSettings)})


def open_script(settings: Settings) -> tuple[Script, str, AppError | None]:
    """The script, the id of the line to begin with, and what is to be told of what could not be read."""
    script, current, error = load_autosave()
    if script is None:
        text = FIRST_TEXT if settings.text is None else settings.text
        script = Script((Line(text, line_settings(settings)),) if text else ())
    return script, current, error


def line_settings(settings: Settings) -> LineSettings:
    """How the first line sounds."""
    return LineSettings(**{name: getattr(settings, name) for name in SHARED})
