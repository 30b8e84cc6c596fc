"""Voices with their speakers and styles as boxes to check, one below the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from app.audition.board import VoiceChoice
from app.language import localized
from app.ui.labels import style_name
from app.ui.plain_text import plain_tip
from app.ui.voices.catalog_voice import CatalogVoice

WAY = Qt.ItemDataRole.UserRole  # of a style: (voice, speaker, style)
CHECKED, UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked
Way = tuple[str, str, str]


def fill(tree: QTreeWidget, voices: Sequence[CatalogVoice], usable: Callable[[CatalogVoice], bool]) -> None:
    """All voices, nothing checked; those that cannot speak yet say why and cannot be checked."""
    tree.clear()
    for voice in voices:
        if voice.place == "aivisspeech":
            continue  # which is prepared first
        item = _box(tree, voice.name)
        item.setData(0, Qt.ItemDataRole.UserRole + 1, voice.id)
        if not usable(voice):
            item.setText(0, localized(f"{voice.name}（BERT が必要）", f"{voice.name} (needs BERT)"))
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            continue
        several = len(voice.speakers) > 1
        for _, speaker in voice.speakers:
            above = _box(item, speaker) if several else item
            for _, style in voice.styles:
                leaf = _box(above, style_name(style), leaf=True)
                leaf.setData(0, WAY, (voice.id, speaker, style))


def voices_of(tree: QTreeWidget) -> tuple[VoiceChoice, ...]:
    """What is checked: a choice for each speaker, in the order of the list."""
    found: dict[tuple[str, str], list[str]] = {}
    for item in _styles(tree):
        if item.checkState(0) == CHECKED:
            voice, speaker, style = item.data(0, WAY)
            found.setdefault((voice, speaker), []).append(style)
    return tuple(VoiceChoice(voice, (speaker,), tuple(styles)) for (voice, speaker), styles in found.items())


def check(tree: QTreeWidget, voices: Collection[VoiceChoice]) -> None:
    """Checks these and no others, and opens the voices that have some."""
    wanted: set[Way] = {(choice.voice, speaker, style) for choice in voices for speaker in choice.speakers for style in choice.styles}
    for item in _styles(tree):
        item.setCheckState(0, CHECKED if tuple(item.data(0, WAY)) in wanted else UNCHECKED)
        parent = item.parent()
        while parent is not None and item.checkState(0) == CHECKED:
            parent.setExpanded(True)
            parent = parent.parent()


def _box(above: QTreeWidget | QTreeWidgetItem, name: str, *, leaf: bool = False) -> QTreeWidgetItem:
    item = QTreeWidgetItem(above, [name])
    flags = item.flags() | Qt.ItemFlag.ItemIsUserCheckable
    item.setFlags(flags if leaf else flags | Qt.ItemFlag.ItemIsAutoTristate)
    item.setCheckState(0, UNCHECKED)
    item.setToolTip(0, plain_tip(name))
    return item


def _styles(tree: QTreeWidget) -> Iterator[QTreeWidgetItem]:
    for row in range(tree.topLevelItemCount()):
        top = tree.topLevelItem(row)
        assert top is not None
        yield from _leaves(top)


def _leaves(item: QTreeWidgetItem) -> Iterator[QTreeWidgetItem]:
    if item.data(0, WAY) is not None:
        yield item
    for place in range(item.childCount()):
        below = item.child(place)
        assert below is not None
        yield from _leaves(below)
