"""The list that gives the selected lines their voice."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from app.common.language import localize
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.choice_box import ChoiceBox
from app.ui.widgets.voice_picture import create_voice_icon

CHOOSER_PICTURE_PX = 20


class VoiceChooser(QWidget):
    """A list of voices with a button for the voice library.

    Signals:
        chosen(str): the user chose the voice of this id.
        library_requested(): the user opens the voice library.
    """

    chosen = Signal(str)
    library_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._voices: tuple[CatalogVoice, ...] = ()
        self._current = self._called = ""
        self.box = ChoiceBox()
        self.box.setAccessibleName(localize("声", "Voice"))
        self.box.setToolTip(localize("選んだ行の声。行ごとに変更できます。", "Voice of the selected lines; each line can have its own."))
        self.box.setMinimumContentsLength(8)
        # The vertical policy makes the box as high as the button beside it; a picture fits.
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.box.setIconSize(QSize(CHOOSER_PICTURE_PX, CHOOSER_PICTURE_PX))
        self.box.setPlaceholderText("…")
        self.box.activated.connect(self._choose_row)
        self.more = QToolButton()
        self.more.setObjectName("framed")
        self.more.setText(localize("管理…", "Manage…"))
        self.more.setAccessibleName(localize("声の管理", "Voice library"))
        self.more.setToolTip(localize("声を追加、更新、削除します。", "Add, update and delete voices."))
        self.more.clicked.connect(self.library_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.box, 1)
        row.addWidget(self.more)

    def show_voices(self, voices: Sequence[CatalogVoice]) -> None:
        """Offer these voices."""
        self._voices = tuple(voices)
        self._fill_list()

    def show_current_voice(self, voice: str, name: str = "") -> None:
        """Select the voice of the current line.

        The voice stays in the list even if it is not installed; `name` is its last known name.
        """
        if (voice, name) != (self._current, self._called) or self.box.currentData() != voice:
            self._current, self._called = voice, name
            self._fill_list()

    def open_list(self) -> None:
        """Open the list."""
        self.box.setFocus()
        self.box.showPopup()

    def changeEvent(self, event: QEvent) -> None:
        """Redraw the letters of voices for another theme."""
        if event.type() == QEvent.Type.ThemeChange:
            letters = {voice.id: voice for voice in self._voices if voice.icon is None}
            for row in range(self.box.count()):
                if (voice := letters.get(self.box.itemData(row))) is not None:
                    self.box.setItemIcon(row, create_voice_icon(voice.name, None, CHOOSER_PICTURE_PX, self))
        super().changeEvent(event)

    def _fill_list(self) -> None:
        self.box.clear()
        for voice in self._voices:
            if voice.origin == "aivisspeech" and self._voices.index(voice) and self._find_previous_voice(voice).origin != "aivisspeech":
                self.box.insertSeparator(self.box.count())
            suffix = localize("（AivisSpeech・要準備）", " (AivisSpeech, not prepared)") if voice.origin == "aivisspeech" else ""
            self.box.addItem(create_voice_icon(voice.name, voice.icon, CHOOSER_PICTURE_PX, self), voice.name + suffix, voice.id)
        index = next((row for row in range(self.box.count()) if self._is_row_of_voice(row, self._current)), -1)
        if index < 0 and self._voices:
            self.box.addItem(self._format_missing_name(), self._current)
            index = self.box.count() - 1
        self.box.setCurrentIndex(index)

    def _format_missing_name(self) -> str:
        name = self._called or localize("不明な声", "Unknown voice")
        return localize(f"{name}（見つかりません）", f"{name} (missing)")

    def _find_previous_voice(self, voice: CatalogVoice) -> CatalogVoice:
        return self._voices[self._voices.index(voice) - 1]

    def _is_row_of_voice(self, row: int, voice: str) -> bool:
        """Return True if the row is the voice of this id."""
        # The shipped voice has two ids: the empty one that lines use by default, and that of its manifest.
        data = self.box.itemData(row)
        known = next((item for item in self._voices if item.id == data), None)
        return data == voice or (known is not None and known.manifest.id == voice)

    @Slot(int)
    def _choose_row(self, row: int) -> None:
        voice = self.box.itemData(row)
        if isinstance(voice, str):
            self.chosen.emit(voice)
        # Show the voice that the line has now; the chosen one appears once the line has changed.
        self._fill_list()
