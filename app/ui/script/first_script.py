"""What stands in the window at its start: the script of last time, the text of an older version, or a greeting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

from app.core.script import Line, LineSettings, Script, cut
from app.errors import AppError
from app.language import localized
from app.settings import Settings
from app.ui.script.autosave import autosave_path, load_autosave
from app.ui.widgets.banner import Banner

FIRST_TEXT = "こんにちは、声箱です。好きな文章を打って、声にしてみてください。"
SHARED = tuple({item.name for item in fields(Settings)} & {item.name for item in fields(LineSettings)})


def open_script(settings: Settings) -> tuple[Script, str, AppError | None]:
    """The script, the id of the line to begin with, and the error for what could not be read."""
    script, current, error = load_autosave()
    if script is None:
        text = FIRST_TEXT if settings.text is None else settings.text
        script = Script((Line(text, line_settings(settings)),) if text else ())
    return replace(script, lines=tuple(piece for line in script.lines for piece in cut(line))), current, error


def is_first_start(settings: Settings) -> bool:
    """Nothing was ever typed here."""
    return settings.text is None and not autosave_path().exists()


def greet(notice: Banner, open_library: Callable[[], object]) -> None:
    """What can be done at once, what kind of voice that is, and the way to a better one."""
    notice.show_message(
        "notice",
        localized("ようこそ。付属の声ですぐに使えます。Space を押してください。", "Welcome. The included voice is ready: press Space."),
        localized(
            "付属の声は Open JTalk の声をもとにした軽量な音声です。SBV2 の声ほど自然ではありません。",
            "It is a lightweight voice based on Open JTalk voices and sounds less natural than trained SBV2 voices.",
        ),
        action=localized("自然な声を追加…", "Add a natural voice…"),
        then=open_library,
    )


def line_settings(settings: Settings) -> LineSettings:
    """How the first line sounds."""
    return LineSettings(**{name: getattr(settings, name) for name in SHARED})
