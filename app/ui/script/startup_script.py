"""The script of the window at its start: that of last time, the text of an older version, or a greeting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

from PySide6.QtCore import SignalInstance

from app.common.files.paths import list_voice_dirs
from app.common.language import localize
from app.core.script.script import Line, LineSettings, Script, cut_long_line
from app.settings.user_settings import REMEMBERED_NAMES, Settings
from app.ui.script.autosave import AutosaveState, load_autosave, locate_autosave_file
from app.ui.widgets.banner import Banner
from app.voices.voice_labels import NATURAL_VOICE_ID
from app.voices.voice_manifest import MANIFEST_NAME

GREETING_TEXT = "こんにちは、声箱です。好きな文章を打って、声にしてみてください。"
REMEMBERED_LINE_SETTINGS = tuple(item.name for item in fields(LineSettings) if item.name in REMEMBERED_NAMES)


def open_startup_script(settings: Settings) -> tuple[Script, AutosaveState]:
    """Return the script of the last session and its autosaved state."""
    kept = load_autosave()
    script = kept.script
    if script is None:
        text = GREETING_TEXT if settings.text is None else settings.text
        script = Script((Line(text, create_first_line_settings(settings)),) if text else ())
    return replace(script, lines=tuple(piece for line in script.lines for piece in cut_long_line(line))), kept


def is_greeting(script: Script) -> bool:
    """Return whether the script is the greeting, unchanged."""
    return [line.text for line in script.lines] == [GREETING_TEXT]


def is_first_start(settings: Settings) -> bool:
    """Return whether nothing was ever typed on this machine."""
    return settings.text is None and not locate_autosave_file().exists()


def choose_first_voice(settings: Settings) -> Settings:
    """Return the settings of a first start with the default voice, which is the natural one where nobody chose another."""
    voice = settings.default_voice or NATURAL_VOICE_ID
    # A look at the disk, as the voices are scanned only after the first paint.
    is_there = any((folder / voice / MANIFEST_NAME).is_file() for folder in list_voice_dirs())
    return replace(settings, voice=voice) if is_there and not settings.voice and is_first_start(settings) else settings


def show_greeting(notice: Banner, open_voices: Callable[[], object], line_heard: SignalInstance, *, has_natural_voice: bool) -> None:
    """Show what can be done at once, the kind of voice, and the way to a better one, until the first line was heard."""
    if has_natural_voice:
        welcome = localize("ようこそ。すぐに使えます。Space を押してください。", "Welcome. Everything is ready: press Space.")
        kind = localize(
            "自然な声「Kokoro」で話します。「Mei（付属）」は、より速く話し始める軽量な声です。",
            "The natural voice “Kokoro” speaks. “Mei (starter)” is a lighter voice that starts sooner.",
        )
        action = localize("ほかの声を追加…", "Add other voices…")
    else:
        welcome = localize(
            "ようこそ。付属の声ですぐに使えます。Space を押してください。", "Welcome. The included voice is ready: press Space."
        )
        kind = localize(
            "すぐに話し始める軽量な声「Mei（付属）」で話します。自然な声は、下のボタンから追加できます。",
            "“Mei (starter)” speaks, a light voice that starts at once. The button below adds a natural one.",
        )
        action = localize("自然な声を追加…", "Add a natural voice…")
    notice.show_message("notice", welcome, kind, action=action, on_action=open_voices)
    line_heard.connect(lambda *_line: notice.hide() if notice.message.text() == welcome else None)


def create_first_line_settings(settings: Settings) -> LineSettings:
    """Return how the first line sounds."""
    return LineSettings(**{name: getattr(settings, name) for name in REMEMBERED_LINE_SETTINGS})
