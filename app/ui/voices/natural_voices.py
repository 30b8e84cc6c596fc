"""A natural voice in two clicks: the page of voices, and what its buttons lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from app.ui.script.selection import Selection
from app.ui.tasks.task import OVER
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.controller import VoiceController
from app.ui.voices.task_specs import VoiceAdditionSpec
from app.ui.voices.tasks import VoiceAdditionResult, VoiceTasks

if TYPE_CHECKING:
    from app.adapters.http.offers import OfferedSample, OfferedVoice
    from app.ui.voices.hub_shelf import HubShelf
    from app.ui.voices.natural_page import NaturalPage


class NaturalVoices(QObject):
    """Opens the page, has voices downloaded, and lets the selected line speak with what came.

    Attributes:
        page: while it is open.
        shelf: what the hub offers; None until the page was opened.

    Signals:
        speak_requested(list[str]): these lines.  sample_requested(Path): a recording.
    """

    speak_requested = Signal(object)
    sample_requested = Signal(object)

    def __init__(self, parent: QWidget, catalog: VoiceCatalog, tasks: VoiceTasks, voices: VoiceController, selection: Selection) -> None:
        super().__init__(parent)
        self._parent, self._catalog, self._tasks, self._voices, self._selection = parent, catalog, tasks, voices, selection
        self.shelf: HubShelf | None = None
        self.page: NaturalPage | None = None
        tasks.voices_added.connect(self._on_added)
        for changed in (tasks.queue.added, tasks.queue.removed, tasks.queue.finished, tasks.queue.failed, tasks.queue.asked):
            changed.connect(self._show_coming)

    @Slot()
    def open(self) -> None:
        """Shows the page, and only now asks the hub."""
        from app.ui.voices.hub_shelf import HubShelf
        from app.ui.voices.natural_page import NaturalPage

        if self.shelf is None:
            self.shelf = HubShelf(self)
            self.shelf.sample_ready.connect(self.sample_requested)
        if self.page is None:
            self.page = NaturalPage(self._parent, self.shelf, self._catalog, self._tasks.queue)
            self.page.add_requested.connect(self._on_wanted)
            self.page.sample_requested.connect(self._hear)
            self.page.finished.connect(self._on_closed)
            self.page.ask()
            self._show_coming()
        self.page.show()
        self.page.raise_()
        self.page.activateWindow()

    def close(self) -> None:
        """Ends all requests."""
        if self.shelf is not None:
            self.shelf.close()

    @Slot()
    def _on_closed(self) -> None:
        self.page = None
        if self.shelf is not None:
            self.shelf.stop()

    @Slot(object)
    def _on_wanted(self, voice: OfferedVoice) -> None:
        """One that is here with all that it needs is used at once."""
        lines = self._selection.ids
        here = next((item for item in self._catalog.voices if item.card.uuid == voice.uuid and item.place != "aivisspeech"), None)
        if here is None or not here.has_bert:
            self._tasks.add_natural(voice.uuid, voice.name, lines)
            return
        self._voices.use(here.id)
        self._speak(lines)

    @Slot(object)
    def _hear(self, sample: OfferedSample) -> None:
        from app.ui.voices.hub_media import is_playable

        if not is_playable(sample.url):
            QDesktopServices.openUrl(QUrl(sample.url))
        elif self.shelf is not None:
            self.shelf.hear(sample)

    @Slot(object)
    def _on_added(self, added: VoiceAdditionResult) -> None:
        if added.spec.natural:
            self._speak(added.spec.lines)

    def _speak(self, lines: Sequence[str]) -> None:
        """What the page is for is heard now, so it does not stand before it any longer."""
        if self.page is not None:
            self.page.accept()
        self.speak_requested.emit(list(lines))

    @Slot()
    def _show_coming(self, *_job: object) -> None:
        if self.page is not None:
            coming = [job.work for job in self._tasks.queue.jobs if job.stage not in OVER]
            self.page.show_coming({spec.natural for spec in coming if isinstance(spec, VoiceAdditionSpec) and spec.natural})
