"""Adds a natural voice in two clicks: opens the page of voices and handles its buttons.

Card and page offer the natural voice that the program knows itself while it is not installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from app.ui.script.line_selection import LineSelection
from app.ui.tasks.process_task import FINISHED_STATES
from app.ui.voices.kokoro_offer import find_kokoro_voice, is_kokoro_coming
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_controller import VoiceController
from app.ui.voices.voice_tasks import VoiceAdditionResult, VoiceAdditionSpec, VoiceTasks
from app.ui.widgets.dialogs import OpenDialog, show_in_front
from app.voices.voice_labels import NATURAL_VOICE_ID

if TYPE_CHECKING:
    from app.adapters.http.hub_files import OfferedSample, OfferedVoice
    from app.ui.voices.hub_voice_loader import HubVoiceLoader
    from app.ui.voices.natural_voices_dialog import NaturalVoicesDialog


class NaturalVoicesController(QObject):
    """Opens the page, has voices downloaded, and lets the selected lines speak with the new voice.

    Signals:
        speak_requested(list[str]): ids of the lines to speak.  sample_requested(Path): a recording to play.
    """

    page: OpenDialog[NaturalVoicesDialog] = OpenDialog()
    speak_requested = Signal(object)
    sample_requested = Signal(object)

    def __init__(
        self, parent: QWidget, catalog: VoiceCatalog, tasks: VoiceTasks, voices: VoiceController, selection: LineSelection
    ) -> None:
        super().__init__(parent)
        self._parent, self._catalog, self._tasks, self._voices, self._selection = parent, catalog, tasks, voices, selection
        self.shelf: HubVoiceLoader | None = None
        tasks.voices_added.connect(self._speak_added_voice)
        for changed in (tasks.queue.added, tasks.queue.removed, tasks.queue.finished, tasks.queue.failed, tasks.queue.decision_needed):
            changed.connect(self._show_pending_downloads)

    @Slot()
    def open_dialog(self) -> None:
        """Show the page; the hub is not contacted before."""
        from app.ui.voices.hub_voice_loader import HubVoiceLoader
        from app.ui.voices.natural_voices_dialog import NaturalVoicesDialog

        if self.shelf is None:
            self.shelf = HubVoiceLoader(self)
            self.shelf.sample_ready.connect(self.sample_requested)
        if self.page is None:
            self.page = NaturalVoicesDialog(self._parent, self.shelf, self._catalog, self._tasks.queue)
            self.page.add_requested.connect(self._add_or_use_voice)
            self.page.sample_requested.connect(self._play_sample)
            self.page.finished.connect(self.shelf.stop_loading)
            self.page.load_voices()
            self._show_pending_downloads()
        show_in_front(self.page)

    @Slot()
    def add_kokoro_voice(self) -> None:
        """Add the natural voice that the program knows itself, for the selected lines that have the included voice until then."""
        self._add_or_use_kokoro(keeps_other_voices=True)

    def close(self) -> None:
        """End all requests to the hub."""
        if self.shelf is not None:
            self.shelf.close()

    @Slot(object)
    def _add_or_use_voice(self, voice: OfferedVoice) -> None:
        """Use a voice that is installed with its BERT at once; download any other."""
        if voice.uuid == NATURAL_VOICE_ID:
            self._add_or_use_kokoro(keeps_other_voices=False)
            return
        lines = self._selection.ids
        installed = next(
            (item for item in self._catalog.voices if item.model_card.uuid == voice.uuid and item.origin != "aivisspeech"), None
        )
        if installed is None or not installed.has_bert:
            self._tasks.add_natural_voice(voice.uuid, voice.name, lines)
            return
        self._voices.use_voice(installed.id)
        self._speak_lines(lines)

    def _add_or_use_kokoro(self, *, keeps_other_voices: bool) -> None:
        installed, lines = find_kokoro_voice(self._catalog), self._selection.ids
        if installed is not None:
            self._voices.use_voice(installed.id)
            self._speak_lines(lines)
        elif not is_kokoro_coming(self._tasks.queue):
            self._tasks.add_kokoro_voice(lines, keeps_other_voices=keeps_other_voices)

    @Slot(object)
    def _play_sample(self, sample: OfferedSample) -> None:
        from app.ui.voices.hub_voice_loader import is_playable_url

        if not is_playable_url(sample.url):
            QDesktopServices.openUrl(QUrl(sample.url))
        elif self.shelf is not None:
            self.shelf.fetch_sample(sample)

    @Slot(object)
    def _speak_added_voice(self, result: VoiceAdditionResult) -> None:
        if result.spec.natural_uuid and result.spec.keeps_other_voices:
            lines = self._voices.list_lines_of_voice(result.voices[0].id, result.spec.lines) if result.voices else []
            if lines:
                self._speak_lines(lines)
        elif result.spec.natural_uuid:
            self._speak_lines(result.spec.lines)

    def _speak_lines(self, line_ids: Sequence[str]) -> None:
        """Close the page and request the lines."""
        # The user came to hear this voice, and the page would cover the lines that speak.
        if self.page is not None:
            self.page.accept()
        self.speak_requested.emit(list(line_ids))

    @Slot()
    def _show_pending_downloads(self, *_signal_arguments: object) -> None:
        if self.page is not None:
            coming = [job.work for job in self._tasks.queue.jobs if job.stage not in FINISHED_STATES]
            self.page.show_pending_downloads(
                {spec.natural_uuid for spec in coming if isinstance(spec, VoiceAdditionSpec) and spec.natural_uuid}
            )
