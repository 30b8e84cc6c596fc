"""Voices and styles as commands: what is chosen in the side panel is found by its name, too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction

from app.language import localized
from app.ui.actions.commands import BETWEEN, Command
from app.ui.labels import style_name
from app.ui.parameters.side_panel import SidePanel
from app.ui.voices.catalog import VoiceCatalog


def choices(catalog: VoiceCatalog, use_voice: Callable[[str], object], side: SidePanel) -> list[Command]:
    """A command for every voice, and for every style of the current one.

    Args:
        use_voice: gives the selected lines the voice of an id.
    """
    voices = [
        _command((localized("声", "Voice"), voice.name), f"こえ voice {voice.name}", partial(use_voice, voice.id))
        for voice in catalog.voices
    ]
    names = [str(side.styles.itemData(row)) for row in range(side.styles.count())]
    styles = [
        _command(
            (localized("スタイル", "Style"), style_name(name)),
            f"すたいる style {name} {style_name(name)}",
            partial(side.styles.setCurrentIndex, row),
        )
        for row, name in enumerate(names)
    ]
    return voices + styles


def _command(path: tuple[str, str], words: str, run: Callable[[], object]) -> Command:
    action = QAction(path[1].replace("&", "&&"))
    action.triggered.connect(lambda: run())
    return Command(action, BETWEEN.join(path), words)
