"""The natural voice that the program knows itself, as the card and the page of natural voices offer it while it is not installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.common.language import localize
from app.core.sound.voice_traits import KOKORO_ARCHITECTURE
from app.ui.background_thread import BackgroundThread
from app.ui.tasks.process_task import FINISHED_STATES, TaskQueue
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_card import VoiceCard
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_tasks import KOKORO_ARGUMENTS, KOKORO_DOWNLOAD_BYTES, create_kokoro_task
from app.voices.voice_labels import NATURAL_VOICE_ID, describe_natural_voice

if TYPE_CHECKING:
    from app.adapters.http.hub_files import OfferedVoice


def find_kokoro_voice(catalog: VoiceCatalog) -> CatalogVoice | None:
    """Return the installed or shipped natural voice, or None."""
    return next((voice for voice in catalog.voices if voice.architecture is KOKORO_ARCHITECTURE), None)


def is_kokoro_coming(queue: TaskQueue) -> bool:
    """Return whether a task adds the natural voice now."""
    return any(job.work.arguments == KOKORO_ARGUMENTS and job.stage not in FINISHED_STATES for job in queue.jobs)


def create_kokoro_offer() -> OfferedVoice:
    """Return what the page of natural voices shows of it."""
    # For the page alone, which few starts open.
    from app.adapters.http.hub_files import OfferedVoice
    from app.install.natural_voice import NATURAL_VOICE_LICENCE

    speakers = localize("女声 4 人、男声 1 人。BERT は不要です。", "Four female speakers and a male one; no BERT is required.")
    return OfferedVoice(
        NATURAL_VOICE_ID,
        "Kokoro",
        maker="hexgrad",
        description=f"{describe_natural_voice()}{localize('', ' ')}{speakers}",
        licence="Apache-2.0, CC BY 3.0",
        licence_text=NATURAL_VOICE_LICENCE,
        file_bytes=KOKORO_DOWNLOAD_BYTES,
    )


class KokoroOffer(QObject):
    """Keeps the offer on the voice card at what is installed and what is being added."""

    def __init__(self, catalog: VoiceCatalog, queue: TaskQueue, card: VoiceCard) -> None:
        super().__init__(card)
        self._catalog, self._queue, self._card = catalog, queue, card
        self.background = BackgroundThread(self, "natural voice")
        catalog.changed.connect(self._update_card)
        for changed in (queue.added, queue.removed, queue.finished, queue.failed, queue.decision_needed):
            changed.connect(self._update_card)

    @Slot()
    def add_waiting_voice(self) -> None:
        """Prepare the voice where its parts are installed already; lines keep the voices that they have."""

        def queue_task(is_waiting: bool) -> None:
            if is_waiting and not is_kokoro_coming(self._queue):
                self._queue.add_task(create_kokoro_task((), keeps_other_voices=True, is_heard=False))

        self.background.run_work(_is_voice_waiting, queue_task)

    def close(self) -> None:
        """Wait until it is known whether the voice waits."""
        self.background.close()

    @Slot()
    def _update_card(self, *_signal_arguments: object) -> None:
        if not self._catalog.is_read or find_kokoro_voice(self._catalog) is not None:
            self._card.offer_natural_voice("none")
        else:
            self._card.offer_natural_voice("coming" if is_kokoro_coming(self._queue) else "offered")


def _is_voice_waiting() -> bool:
    # Imported in the background, so that the window starts without it.
    from app.install.natural_voice_first_start import is_natural_voice_waiting

    return is_natural_voice_waiting()
