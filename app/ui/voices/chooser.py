"""Chooses the voice of the selected lines."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from app.language import localized
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.choice_box import ChoiceBox
from app.ui.widgets.voice_picture import voice_icon

PICTURE = 20


class VoiceChooser(QWidget):
    """A list of voices, and beside it the way to more of them.

    Signals:
        chosen(str): the user chose the voice of this id.
        library_requested(): the user wants to see all voices, or add one.
    """

    chosen = Signal(str)
    library_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._voices: tuple[CatalogVoice, ...] = ()
        self._current = self._called = ""
        self.box = ChoiceBox()
        self.box.setAccessibleName(localized("声", "Voice"))
        self.box.setToolTip(localized("選んだ行の声。行ごとに変更できます。", "Voice of the selected lines; each line can have its own."))
        self.box.setMinimumContentsLength(8)
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # as high as the button beside it; a picture fits
        self.box.setIconSize(QSize(PICTURE, PICTURE))
        self.box.setPlaceholderText("…")
        self.box.activated.connect(self._on_activated)
        self.more = QToolButton()
        self.more.setObjectName("framed")
        self.more.setText(localized("管理…", "Manage…"))
        self.more.setAccessibleName(localized("声の管理", "Voice library"))
        self.more.setToolTip(localized("声を追加、更新、削除します。", "Add, update and delete voices."))
        self.more.clicked.connect(self.library_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.box, 1)
        row.addWidget(self.more)

    def show_voices(self, voices: Sequence[CatalogVoice]) -> None:
        """Offers these voices."""
        self._voices = tuple(voices)
        self._fill()

    def show_current(self, voice: str, name: str = "") -> None:
        """The voice of the current line, which stays in the list even where it is not here; `name` is what it was called then."""
        if (voice, name) != (self._current, self._called) or self.box.currentData() != voice:
            self._current, self._called = voice, name
            self._fill()

    def open(self) -> None:
        """Shows the list."""
        self.box.setFocus()
        self.box.showPopup()

    def changeEvent(self, event: QEvent) -> None:
        """Redraws the letters of voices for another theme."""
        if event.type() == QEvent.Type.ThemeChange:
            letters = {voice.id: voice for voice in self._voices if voice.icon is None}
            for row in range(self.box.count()):
                if (voice := letters.get(self.box.itemData(row))) is not None:
                    self.box.setItemIcon(row, voice_icon(voice.name, None, PICTURE, self))
        super().changeEvent(event)

    def _fill(self) -> None:
        self.box.clear()
        for voice in self._voices:
            if voice.place == "aivisspeech" and self._voices.index(voice) and self._before(voice).place != "aivisspeech":
                self.box.insertSeparator(self.box.count())
            suffix = localized("（AivisSpeech・要準備）", " (AivisSpeech, not prepared)") if voice.place == "aivisspeech" else ""
            self.box.addItem(voice_icon(voice.name, voice.icon, PICTURE, self), voice.name + suffix, voice.id)
        index = next((row for row in range(self.box.count()) if self._means(row, self._current)), -1)
        if index < 0 and self._voices:
            self.box.addItem(self._missing_name(), self._current)
            index = self.box.count() - 1
        self.box.setCurrentIndex(index)

    def _missing_name(self) -> str:
        name = self._called or localized("不明な声", "Unknown voice")
        return localized(f"{name}（見つかりません）", f"{name} (missing)")

    def _before(self, voice: CatalogVoice) -> CatalogVoice:
        return self._voices[self._voices.index(voice) - 1]

    def _means(self, row: int, voice: str) -> bool:
        """The voice we ship is known by no id and by its own."""
        data = self.box.itemData(row)
        known = next((item for item in self._voices if item.id == data), None)
        return data == voice or (known is not None and known.manifest.id == voice)

    @Slot(int)
    def _on_activated(self, index: int) -> None:
        voice = self.box.itemData(index)
        if isinstance(voice, str):
            self.chosen.emit(voice)
        self._fill()  # until the line says so itself
