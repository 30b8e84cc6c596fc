"""Which voice or BERT the lab looks into: an installed one, or a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QWidget

from app.language import localized
from app.ui.plain_text import PlainLabel
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.choice_box import ChoiceBox
from app.ui.widgets.open_files import ask_for_one
from app.voices.containers.suffixes import VOICE_SUFFIXES

WIDTH, WIDEST = 340, 680  # pixels; long names of files take what there is


class SourceBox(QWidget):
    """A list of voices, BERTs and files that were chosen.

    Signals:
        changed(): another one.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._files: dict[str, str] = {}
        self._installed: dict[str, str] = {}
        tip = localized("調べる声または BERT を選びます。", "Choose the voice or BERT to look into.")
        self.box = ChoiceBox()
        self.box.setAccessibleName(localized("声または BERT", "Voice or BERT"))
        self.box.setToolTip(tip)
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.box.setMinimumWidth(WIDTH)
        self.box.setMaximumWidth(WIDEST)
        self.box.setPlaceholderText(localized("読み込み中…", "Loading…"))
        self.box.currentIndexChanged.connect(self.changed)
        self.choose_file = QPushButton(localized("ファイルを選択…", "Choose file…"))
        self.choose_file.setAutoDefault(False)
        self.choose_file.setToolTip(
            localized(
                "追加していない声や BERT のファイルも調べられます。ウィンドウにドラッグ＆ドロップもできます。",
                "A voice or BERT file that is not installed works too; you can also drop it on the window.",
            )
        )
        self.choose_file.clicked.connect(self._ask)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        label = PlainLabel(localized("声または BERT", "Voice or BERT"))
        label.setBuddy(self.box)
        for widget in (label, self.box, self.choose_file):
            row.addWidget(widget)
        row.addStretch(1)

    @property
    def source(self) -> str:
        """As our command line takes it; empty while there is none."""
        return str(self.box.currentData() or "")

    @property
    def name(self) -> str:
        """For people."""
        return self.box.currentText()

    def offer(self, voices: Iterable[CatalogVoice], berts: Iterable[str]) -> None:
        """What is installed now; the chosen one stays."""
        self._installed = {source_of(voice): voice.name for voice in voices} | {bert: f"BERT: {bert}" for bert in berts}
        self._fill(self.source)

    def choose(self, source: str) -> None:
        """Chooses what is installed, or a file or folder."""
        if source not in self._installed:
            self._files[source] = Path(source).name
        self._fill(source)

    def _shown(self, file: str, name: str) -> str:
        """With the folder where another file has the same name, as most of what trainers write has."""
        folder = Path(file).parent.name
        return f"{name} ({folder})" if folder and [*self._files.values()].count(name) > 1 else name

    def _fill(self, chosen: str) -> None:
        before = self.source
        self.box.blockSignals(True)
        self.box.clear()
        for source, name in self._installed.items():
            self.box.addItem(name, source)
        if self._files and self._installed:
            self.box.insertSeparator(self.box.count())
        for file, name in self._files.items():
            self.box.addItem(self._shown(file, name), file)
            self.box.setItemData(self.box.count() - 1, file, Qt.ItemDataRole.ToolTipRole)
        self.box.setCurrentIndex(max(self.box.findData(chosen) if chosen else 0, 0 if self.box.count() else -1))
        self.box.blockSignals(False)
        if self.source != before:
            self.changed.emit()

    @Slot()
    def _ask(self) -> None:
        endings = " ".join(f"*{suffix}" for suffix in VOICE_SUFFIXES)
        kinds = localized("声または BERT", "Voices and BERT models") + f" ({endings})"
        file = ask_for_one(self.window(), localized("声または BERT のファイルを選択", "Choose a voice or BERT file"), kinds)
        if file is not None:
            self.choose(str(file))


def source_of(voice: CatalogVoice) -> str:
    """A voice as our command line takes it."""
    return str(voice.path) if voice.place == "aivisspeech" else voice.manifest.id
