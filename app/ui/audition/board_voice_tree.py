"""A tree of voices with their speakers and styles as check boxes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from app.audition.board import VoiceChoice
from app.common.language import localize
from app.ui.display_names import format_style
from app.ui.plain_text import escape_tip
from app.ui.voices.catalog_voice import CatalogVoice

# The data of a style's box: (voice, speaker, style).
STYLE_ROLE = Qt.ItemDataRole.UserRole
CHECKED, UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked
StyleKey = tuple[str, str, str]


def fill_voice_tree(tree: QTreeWidget, voices: Sequence[CatalogVoice], is_usable: Callable[[CatalogVoice], bool]) -> None:
    """Fill the tree with all voices, unchecked; a voice that cannot speak yet says why and is disabled."""
    tree.clear()
    for voice in voices:
        if voice.origin == "aivisspeech":
            # Voices found in AivisSpeech must be prepared before they can speak.
            continue
        item = _create_box(tree, voice.name)
        item.setData(0, Qt.ItemDataRole.UserRole + 1, voice.id)
        if not is_usable(voice):
            item.setText(0, localize(f"{voice.name}（BERT が必要）", f"{voice.name} (needs BERT)"))
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            continue
        several = len(voice.speakers) > 1
        for _, speaker in voice.speakers:
            above = _create_box(item, speaker) if several else item
            for _, style in voice.styles:
                leaf = _create_box(above, format_style(style), is_leaf=True)
                leaf.setData(0, STYLE_ROLE, (voice.id, speaker, style))


def collect_checked_voices(tree: QTreeWidget) -> tuple[VoiceChoice, ...]:
    """Return the checked styles as one choice for each speaker, in the order of the tree."""
    found: dict[tuple[str, str], list[str]] = {}
    for item in _iterate_style_items(tree):
        if item.checkState(0) == CHECKED:
            voice, speaker, style = item.data(0, STYLE_ROLE)
            found.setdefault((voice, speaker), []).append(style)
    return tuple(VoiceChoice(voice, (speaker,), tuple(styles)) for (voice, speaker), styles in found.items())


def check_voices(tree: QTreeWidget, voices: Collection[VoiceChoice]) -> None:
    """Check these styles and no others, and expand their voices."""
    wanted: set[StyleKey] = {(choice.voice, speaker, style) for choice in voices for speaker in choice.speakers for style in choice.styles}
    for item in _iterate_style_items(tree):
        item.setCheckState(0, CHECKED if tuple(item.data(0, STYLE_ROLE)) in wanted else UNCHECKED)
        parent = item.parent()
        while parent is not None and item.checkState(0) == CHECKED:
            parent.setExpanded(True)
            parent = parent.parent()


def _create_box(parent: QTreeWidget | QTreeWidgetItem, name: str, *, is_leaf: bool = False) -> QTreeWidgetItem:
    item = QTreeWidgetItem(parent, [name])
    flags = item.flags() | Qt.ItemFlag.ItemIsUserCheckable
    item.setFlags(flags if is_leaf else flags | Qt.ItemFlag.ItemIsAutoTristate)
    item.setCheckState(0, UNCHECKED)
    item.setToolTip(0, escape_tip(name))
    return item


def _iterate_style_items(tree: QTreeWidget) -> Iterator[QTreeWidgetItem]:
    for row in range(tree.topLevelItemCount()):
        top = tree.topLevelItem(row)
        assert top is not None
        yield from _iterate_leaves(top)


def _iterate_leaves(item: QTreeWidgetItem) -> Iterator[QTreeWidgetItem]:
    if item.data(0, STYLE_ROLE) is not None:
        yield item
    for place in range(item.childCount()):
        below = item.child(place)
        assert below is not None
        yield from _iterate_leaves(below)
