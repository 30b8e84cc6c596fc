"""What a board compares: voices with their speakers and styles, strengths, presets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QToolButton, QTreeWidget, QVBoxLayout, QWidget

from app.audition.board import VoiceChoice
from app.audition.board_wishes import Wishes
from app.core.presets import Presets
from app.core.text_search import folded
from app.language import localized
from app.ui.audition.board_tree import check, fill, voices_of
from app.ui.plain_text import PlainLabel
from app.ui.voices.catalog_voice import CatalogVoice

STRENGTHS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
PRESETS_HEIGHT = 104  # pixels
SETTLE_MS = 120  # several boxes change with the one of their voice


class BoardChooser(QWidget):
    """Boxes to check.

    Signals:
        changed(): something else is wanted.
        lines_requested(): the lines that are selected in the script now.
    """

    changed = Signal()
    lines_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._presets: Presets = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLE_MS)
        self._timer.timeout.connect(self.changed)
        self.lines = PlainLabel()
        self.lines.setWordWrap(True)
        self.take_lines = QToolButton()
        self.take_lines.setObjectName("framed")
        self.take_lines.setText(localized("選択中の行に変更", "Use selected lines"))
        self.take_lines.setToolTip(localized("台本で選んでいる行に切り替えます。", "Switches to the lines selected in the script."))
        self.take_lines.clicked.connect(self.lines_requested)
        self.search = QLineEdit()
        self.search.setPlaceholderText(localized("声を検索", "Search voices"))
        self.search.setAccessibleName(self.search.placeholderText())
        self.search.setToolTip(localized("名前で声を絞り込みます。", "Filters the voices by name."))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._show_found)
        self.tree = QTreeWidget()
        self.tree.setObjectName("choices")
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName(localized("声・話者・スタイル", "Voices, speakers and styles"))
        self.tree.setIndentation(16)
        self.tree.itemChanged.connect(lambda _item: self._timer.start())
        self.strengths = {strength: self._strength(strength) for strength in STRENGTHS}
        self.presets = QListWidget()
        self.presets.setObjectName("choices")
        self.presets.setMaximumHeight(PRESETS_HEIGHT)
        self.presets.setAccessibleName(localized("プリセット", "Preset"))
        self.presets.itemChanged.connect(lambda _item: self._timer.start())
        self._lay_out()

    @property
    def wishes(self) -> Wishes:
        """What is checked."""
        items = [self.presets.item(row) for row in range(self.presets.count())]
        named = [item.data(Qt.ItemDataRole.UserRole) for item in items if item.checkState() == Qt.CheckState.Checked]
        strengths = tuple(strength for strength, button in self.strengths.items() if button.isChecked())
        return Wishes(voices_of(self.tree), strengths, {name: self._presets[name].values for name in named})

    def offer(self, voices: Sequence[CatalogVoice], usable: Callable[[CatalogVoice], bool], presets: Presets) -> None:
        """Voices and presets that there are; what is checked stays so."""
        before, self._presets = self.wishes, presets
        self.tree.blockSignals(True)
        fill(self.tree, voices, usable)
        self.tree.blockSignals(False)
        self.presets.blockSignals(True)
        self.presets.clear()
        for name in presets:
            item = QListWidgetItem(name)
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if name in before.presets else Qt.CheckState.Unchecked)
            self.presets.addItem(item)
        self.presets.blockSignals(False)
        for part in (self.presets, self.presets_title):
            part.setVisible(bool(presets))
        check(self.tree, before.voices)
        self._show_found()

    def choose(self, voices: Collection[VoiceChoice], strengths: Collection[float] = (), presets: Collection[str] = ()) -> None:
        """Checks these and no others."""
        check(self.tree, voices)
        for strength, button in self.strengths.items():
            button.setChecked(strength in strengths)
        for row in range(self.presets.count()):
            item = self.presets.item(row)
            item.setCheckState(Qt.CheckState.Checked if item.data(Qt.ItemDataRole.UserRole) in presets else Qt.CheckState.Unchecked)
        self._timer.stop()

    def show_lines(self, texts: Sequence[str]) -> None:
        """The lines that are compared."""
        more = localized(f" ほか {len(texts) - 1} 行", f" and {len(texts) - 1} more") if len(texts) > 1 else ""
        none = localized("テキストのある行を選択してください。", "Select lines with text.")
        self.lines.setText(f"{_short(texts[0])}{more}" if texts else none)

    def _strength(self, strength: float) -> QToolButton:
        button = QToolButton()
        button.setText(f"{strength:g}")
        button.setCheckable(True)
        button.setObjectName("framed")
        button.setAccessibleName(localized(f"スタイルの強さ {strength:g}", f"Style weight {strength:g}"))
        button.setToolTip(
            localized(
                f"スタイルの強さ {strength:g} を比べます。選ばなければ行の設定のままです。",
                f"Compares style weight {strength:g}. If none is checked, lines keep their own.",
            )
        )
        button.toggled.connect(lambda _on: self._timer.start())
        return button

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(_title(localized("行", "Lines")))
        column.addWidget(self.lines)
        column.addWidget(self.take_lines, 0, Qt.AlignmentFlag.AlignLeft)
        column.addSpacing(6)
        column.addWidget(_title(localized("声・話者・スタイル", "Voices, speakers and styles")))
        column.addWidget(self.search)
        column.addWidget(self.tree, 1)
        column.addSpacing(6)
        column.addWidget(_title(localized("スタイルの強さ", "Style weight")))
        row = QHBoxLayout()
        row.setSpacing(4)
        for button in self.strengths.values():
            row.addWidget(button, 1)
        row.addStretch(1)
        column.addLayout(row)
        column.addSpacing(6)
        self.presets_title = _title(localized("プリセット", "Presets"))
        column.addWidget(self.presets_title)
        column.addWidget(self.presets)

    @Slot()
    def _show_found(self) -> None:
        wanted = folded(self.search.text()).split()
        for row in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(row)
            assert item is not None
            item.setHidden(not all(word in folded(item.text(0)) for word in wanted))


def _title(text: str) -> PlainLabel:
    title = PlainLabel(text)
    title.setObjectName("heading")
    return title


def _short(text: str, most: int = 40) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
