"""What stands in the window at its start: the script of last time, the text of an older version, or a greeting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

from PySide6.QtCore import SignalInstance

from app.core.script import Line, LineSettings, Script, cut
from app.language import localized
from app.settings import REMEMBERED, Settings
from app.ui.script.autosave import Kept, autosave_path, load_autosave
from app.ui.widgets.banner import Banner

FIRST_TEXT = "こんにちは、声箱です。好きな文章を打って、声にしてみてください。"
SHARED = tuple(item.name for item in fields(LineSettings) if item.name in REMEMBERED)


def open_script(settings: Settings) -> tuple[Script, Kept]:
    """The script, and what else was kept of it."""
    kept = load_autosave()
    script = kept.script
    if script is None:
        text = FIRST_TEXT if settings.text is None else settings.text
        script = Script((Line(text, line_settings(settings)),) if text else ())
    return replace(script, lines=tuple(piece for line in script.lines for piece in cut(line))), kept


def is_greeting(script: Script) -> bool:
    """Nobody has typed anything yet."""
    return [line.text for line in script.lines] == [FIRST_TEXT]


def is_first_start(settings: Settings) -> bool:
    """Nothing was ever typed here."""
    return settings.text is None and not autosave_path().exists()


def greet(notice: Banner, open_voices: Callable[[], object], heard: SignalInstance) -> None:
    """What can be done at once, what kind of voice that is, and the way to a better one; it goes when the first line is `heard`."""
    welcome = localized(
        "ようこそ。付属の声ですぐに使えます。Space を押してください。", "Welcome. The included voice is ready: press Space."
    )
    notice.show_message(
        "notice",
        welcome,
        localized(
            "付属の声は Open JTalk の声をもとにした軽量な音声です。SBV2 の声ほど自然ではありません。",
            "It is a lightweight voice based on Open JTalk voices and sounds less natural than trained SBV2 voices.",
        ),
        action=localized("自然な声を追加…", "Add a natural voice…"),
        then=open_voices,
    )
    heard.connect(lambda *_line: notice.hide() if notice.message.text() == welcome else None)


def line_settings(settings: Settings) -> LineSettings:
    """How the first line sounds."""
    return LineSettings(**{name: getattr(settings, name) for name in SHARED})
