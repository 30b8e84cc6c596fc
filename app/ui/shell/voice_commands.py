"""Offers voices and styles as commands, so that the search finds them by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction

from app.common.language import localize
from app.ui.actions.menu_commands import MENU_PATH_SEPARATOR, MenuCommand
from app.ui.display_names import format_style
from app.ui.parameters.side_panel import SidePanel
from app.ui.voices.voice_catalog import VoiceCatalog


def list_voice_commands(catalog: VoiceCatalog, use_voice: Callable[[str], object], side: SidePanel) -> list[MenuCommand]:
    """Return a command for every voice, and for every style of the current one.

    Args:
        use_voice: gives the selected lines the voice of an id.
    """
    voices = [
        _create_command((localize("声", "Voice"), voice.name), f"こえ voice {voice.name}", partial(use_voice, voice.id))
        for voice in catalog.voices
    ]
    names = [str(side.styles.itemData(row)) for row in range(side.styles.count())]
    styles = [
        _create_command(
            (localize("スタイル", "Style"), format_style(name)),
            f"すたいる style {name} {format_style(name)}",
            partial(side.styles.setCurrentIndex, row),
        )
        for row, name in enumerate(names)
    ]
    return voices + styles


def _create_command(path: tuple[str, str], words: str, run: Callable[[], object]) -> MenuCommand:
    action = QAction(path[1].replace("&", "&&"))
    action.triggered.connect(lambda: run())
    return MenuCommand(action, MENU_PATH_SEPARATOR.join(path), words)
