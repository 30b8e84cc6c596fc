"""A field for the voice or BERT that the lab examines: an installed one, or a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QWidget

from app.common.language import localize
from app.ui.plain_text import PlainLabel
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.choice_box import ChoiceBox
from app.ui.widgets.open_file_dialogs import ask_for_file
from app.voices.containers.unsupported_formats import VOICE_SUFFIXES

# The list grows with long file names, up to the second width.
WIDTH, WIDEST = 340, 680


class SourceBox(QWidget):
    """A list of installed voices and BERTs, and of files that were chosen.

    Signals:
        changed(): Another source is chosen.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._files: dict[str, str] = {}
        self._installed: dict[str, str] = {}
        tip = localize("調べる声または BERT を選びます。", "Choose the voice or BERT to look into.")
        self.box = ChoiceBox()
        self.box.setAccessibleName(localize("声または BERT", "Voice or BERT"))
        self.box.setToolTip(tip)
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.box.setMinimumWidth(WIDTH)
        self.box.setMaximumWidth(WIDEST)
        self.box.setPlaceholderText(localize("読み込み中…", "Loading…"))
        self.box.currentIndexChanged.connect(self.changed)
        self.choose_file = QPushButton(localize("ファイルを選択…", "Choose file…"))
        self.choose_file.setAutoDefault(False)
        self.choose_file.setToolTip(
            localize(
                "追加していない声や BERT のファイルも調べられます。ウィンドウにドラッグ＆ドロップもできます。",
                "A voice or BERT file that is not installed works too; you can also drop it on the window.",
            )
        )
        self.choose_file.clicked.connect(self._ask_for_file)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        label = PlainLabel(localize("声または BERT", "Voice or BERT"))
        label.setBuddy(self.box)
        for widget in (label, self.box, self.choose_file):
            row.addWidget(widget)
        row.addStretch(1)

    @property
    def source(self) -> str:
        """Return the source as `koebako lab` takes it; empty while there is none."""
        return str(self.box.currentData() or "")

    @property
    def name(self) -> str:
        """Return the display name of the source."""
        return self.box.currentText()

    def offer_sources(self, voices: Iterable[CatalogVoice], berts: Iterable[str]) -> None:
        """Offer the installed voices and BERTs; the chosen source is kept."""
        self._installed = {find_source(voice): voice.name for voice in voices} | {bert: f"BERT: {bert}" for bert in berts}
        self._fill_list(self.source)

    def choose_source(self, source: str) -> None:
        """Choose an installed voice or BERT, or a file or folder."""
        if source not in self._installed:
            self._files[source] = Path(source).name
        self._fill_list(source)

    def _describe_file(self, file: str, name: str) -> str:
        """Return a file's name, with its folder where another file has the same name."""
        # Trainers write most models under the same few names, which only the folder distinguishes.
        folder = Path(file).parent.name
        return f"{name} ({folder})" if folder and [*self._files.values()].count(name) > 1 else name

    def _fill_list(self, chosen_source: str) -> None:
        before = self.source
        self.box.blockSignals(True)
        self.box.clear()
        for source, name in self._installed.items():
            self.box.addItem(name, source)
        if self._files and self._installed:
            self.box.insertSeparator(self.box.count())
        for file, name in self._files.items():
            self.box.addItem(self._describe_file(file, name), file)
            self.box.setItemData(self.box.count() - 1, file, Qt.ItemDataRole.ToolTipRole)
        self.box.setCurrentIndex(max(self.box.findData(chosen_source) if chosen_source else 0, 0 if self.box.count() else -1))
        self.box.blockSignals(False)
        # The signals were blocked while the list was filled, so one change is reported for all of it.
        if self.source != before:
            self.changed.emit()

    @Slot()
    def _ask_for_file(self) -> None:
        endings = " ".join(f"*{suffix}" for suffix in VOICE_SUFFIXES)
        kinds = localize("声または BERT", "Voices and BERT models") + f" ({endings})"
        file = ask_for_file(self.window(), localize("声または BERT のファイルを選択", "Choose a voice or BERT file"), kinds)
        if file is not None:
            self.choose_source(str(file))


def find_source(voice: CatalogVoice) -> str:
    """Return a voice as `koebako lab` takes it."""
    return str(voice.path) if voice.origin == "aivisspeech" else voice.manifest.id
