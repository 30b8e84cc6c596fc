"""A list whose voices can be dragged to somebody who is to speak with them."""

from collections.abc import Sequence

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from app.ui.voices.catalog_voice import CatalogVoice

VOICE_MIME = "application/x-koebako-voice"
_VOICE_ROLE = Qt.ItemDataRole.UserRole


class VoiceList(QListWidget):
    """Lists voices; those that have to be prepared first stay where they are."""

    def __init__(self) -> None:
        super().__init__()
        self.setDragDropMode(QListWidget.DragDropMode.DragOnly)
        self.setDefaultDropAction(Qt.DropAction.CopyAction)

    def add_voice(self, item: QListWidgetItem, voice: CatalogVoice) -> None:
        """Add the item of a voice at the end."""
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
