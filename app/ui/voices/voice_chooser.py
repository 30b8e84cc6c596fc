"""Lists of voices: the box that gives the selected lines their voice, and a list whose voices can be dragged to somebody who is to speak with them."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QSizePolicy, QWidget

from app.common.language import localize
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.controls import ChoiceBox, create_tool_button, describe_control, fill_box
from app.ui.widgets.painting import create_voice_icon
from app.ui.widgets.voice_listening import VoicePick, add_listening

CHOOSER_PICTURE_PX = 20
VOICE_MIME = "application/x-koebako-voice"
_VOICE_ROLE = Qt.ItemDataRole.UserRole


class VoiceChooser(QWidget):
    """A list of voices with a button for the voice library.

    Signals:
        chosen(str): the user chose the voice of this id.
        library_requested(): the user opens the voice library.
        introduction_requested(VoicePick): a voice of the list is to be heard.
    """

    chosen = Signal(str)
    library_requested = Signal()
    introduction_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._voices: tuple[CatalogVoice, ...] = ()
        self._current = self._current_name = ""
        tip = localize("選んだ行の声。行ごとに変更できます。", "Voice of the selected lines; each line can have its own.")
        self.box = describe_control(ChoiceBox(), localize("声", "Voice"), tip)
        self.box.setMinimumContentsLength(8)
        # The vertical policy makes the box as high as the button next to it; a picture fits.
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.box.setIconSize(QSize(CHOOSER_PICTURE_PX, CHOOSER_PICTURE_PX))
        self.box.setPlaceholderText("…")
        self.box.activated.connect(self._choose_row)
        self.rows = add_listening(self.box, self.find_pick)
        self.rows.requested.connect(self.introduction_requested)
        self.more = create_tool_button(
            localize("管理…", "Manage…"),
            localize("声を追加、更新、削除します。", "Add, update and delete voices."),
            self.library_requested.emit,
            name=localize("声の管理", "Voice library"),
        )
        fill_box(QHBoxLayout(self), (self.box, 1), self.more, spacing=4)

    def show_voices(self, voices: Sequence[CatalogVoice]) -> None:
        self._voices = tuple(voices)
        self._fill_list()

    def show_current_voice(self, voice: str, name: str = "") -> None:
        """Select the voice of the current line.

        The voice stays in the list even if it is not installed; `name` is its last known name.
        """
        if (voice, name) != (self._current, self._current_name) or self.box.currentData() != voice:
            self._current, self._current_name = voice, name
            self._fill_list()

    @property
    def current_voice(self) -> str:
        """Return the id of the voice that is shown."""
        return self._current

    def find_pick(self, voice_id: object) -> VoicePick | None:
        """Return the voice of this id as one to be heard; None for one that cannot be."""
        voice = next((item for item in self._voices if voice_id in (item.id, item.manifest.id)), None)
        return VoicePick(voice.id) if voice is not None and voice.can_introduce_itself else None

    def open_list(self) -> None:
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
        previous_origin = "aivisspeech"
        for voice in self._voices:
            is_unprepared = voice.origin == "aivisspeech"
            if is_unprepared and previous_origin != "aivisspeech":
                self.box.insertSeparator(self.box.count())
            previous_origin = voice.origin
            suffix = localize("（AivisSpeech・要準備）", " (AivisSpeech, not prepared)") if is_unprepared else ""
            self.box.addItem(create_voice_icon(voice.name, voice.icon, CHOOSER_PICTURE_PX, self), voice.name + suffix, voice.id)
        index = next((row for row in range(self.box.count()) if self._is_row_of_voice(row, self._current)), -1)
        if index < 0 and self._voices:
            name = self._current_name or localize("不明な声", "Unknown voice")
            self.box.addItem(localize(f"{name}（見つかりません）", f"{name} (missing)"), self._current)
            index = self.box.count() - 1
        self.box.setCurrentIndex(index)

    def _is_row_of_voice(self, row: int, voice: str) -> bool:
        """Return True if the row is the voice of this id."""
        # The shipped voice has two ids: the empty one that lines use by default, and that of its manifest.
        data = self.box.itemData(row)
        row_voice = next((item for item in self._voices if item.id == data), None)
        return data == voice or (row_voice is not None and row_voice.manifest.id == voice)

    @Slot(int)
    def _choose_row(self, row: int) -> None:
        voice = self.box.itemData(row)
        if isinstance(voice, str):
            self.chosen.emit(voice)
        # Show the voice that the line has now; the chosen one appears once the line has changed.
        self._fill_list()


class VoiceList(QListWidget):
    """Lists voices; those that have to be prepared first stay where they are."""

    def __init__(self) -> None:
        super().__init__()
        self.setDragDropMode(QListWidget.DragDropMode.DragOnly)
        self.setDefaultDropAction(Qt.DropAction.CopyAction)

    def add_voice(self, item: QListWidgetItem, voice: CatalogVoice) -> None:
        item.setData(_VOICE_ROLE, voice.id)
        if voice.origin == "aivisspeech":
            item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsDragEnabled)
        self.addItem(item)

    def mimeTypes(self) -> list[str]:
        """Return the one format in which a voice is dragged."""
        return [VOICE_MIME]

    def mimeData(self, items: Sequence[QListWidgetItem]) -> QMimeData:
        """Return the id of the first of the dragged voices: nobody speaks with two."""
        data = QMimeData()
        if items:
            data.setData(VOICE_MIME, str(items[0].data(_VOICE_ROLE)).encode())
        return data


def read_dragged_voice(data: QMimeData) -> str | None:
    """Return the id of a dragged voice, which may be the empty one; None for anything else."""
    return bytes(data.data(VOICE_MIME).data()).decode("utf-8", "replace") if data.hasFormat(VOICE_MIME) else None
