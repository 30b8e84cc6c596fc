"""Opens the dialog that blends speakers, and changes the voice in the background."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.common.errors import AppError
from app.ui.background_thread import BackgroundThread
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_tasks import VoiceTasks
from app.ui.widgets.dialogs import OpenDialog

if TYPE_CHECKING:
    from app.install.speaker_blends import SpeakerBlend
    from app.ui.voices.speaker_blend_dialog import SpeakerBlendDialog
    from app.voices.prepared_voice import Voice


class SpeakerBlendController(QObject):
    """Saves and removes blends of the voice whose dialog is open.

    Signals:
        style_requested(str, str): let the voice of this id speak a sample in this style.
    """

    dialog: OpenDialog[SpeakerBlendDialog] = OpenDialog()
    style_requested = Signal(str, str)

    def __init__(self, parent: QObject, catalog: VoiceCatalog, tasks: VoiceTasks) -> None:
        super().__init__(parent)
        self._catalog, self._tasks = catalog, tasks
        self._background = BackgroundThread(self, "blends")
        catalog.changed.connect(self._show_blends)
        self._voice_id = ""

    def open_dialog(self, voice: CatalogVoice, parent: QWidget) -> None:
        """Open the dialog for a voice."""
        from app.ui.voices.speaker_blend_dialog import SpeakerBlendDialog

        if self.dialog is None:
            self._voice_id = voice.manifest.id
            self.dialog = SpeakerBlendDialog(parent, voice)
            self.dialog.save_requested.connect(self._save_blend)
            self.dialog.removal_requested.connect(self._remove_blend)
        self.dialog.open()

    def close(self) -> None:
        """Wait for the change that runs."""
        self._background.close(finish=True)

    def _save_blend(self, blend: SpeakerBlend) -> None:
        from app.install.speaker_blends import add_blend

        voice_id, style = self._voice_id, " ".join(blend.name.split())
        self._change_voice(lambda: add_blend(voice_id, blend), lambda: self.style_requested.emit(voice_id, style))

    def _remove_blend(self, name: str) -> None:
        from app.install.speaker_blends import remove_blend

        voice_id = self._voice_id
        self._change_voice(lambda: remove_blend(voice_id, name), lambda: None)

    def _change_voice(self, change: Callable[[], Voice], proceed: Callable[[], object]) -> None:
        """Change the voice, read the voices again, and call `proceed`."""
        # An open voice holds its files and keeps the styles that it has read.
        self._tasks.voice_changing.emit(self._voice_id)

        def finish_change(_voice: Voice) -> None:
            self._tasks.voice_changing.emit(self._voice_id)
            self._tasks.disk_changed.emit()
            proceed()

        self._background.run_work(change, finish_change, self._show_error)

    def _show_error(self, error: AppError) -> None:
        self._tasks.disk_changed.emit()
        if self.dialog is not None:
            self.dialog.show_error(error)

    def _show_blends(self) -> None:
        voice = self._catalog.find_voice(self._voice_id) if self.dialog is not None else None
        if voice is not None and self.dialog is not None:
            self.dialog.show_blends(voice)
