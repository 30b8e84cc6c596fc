"""The catalog of voices for the window: installed ones, the shipped one, and those of AivisSpeech.

Voices and BERTs that other programs, such as the command line, add or remove while the window is open are noticed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal, Slot

from app.core.script.script import LineSettings
from app.settings.user_settings import MOST_FAVOURITES, GraphPrecision, PrecisionPreference
from app.ui.background_thread import BackgroundThread, log_error
from app.ui.voices.catalog_voice import CatalogScan, CatalogVoice

if TYPE_CHECKING:
    from app.export.safe_file_names import SpeakerNames
    from app.voices.bert_models import BertModel

FOLDER_CHANGE_DELAY_MS = 500  # milliseconds; a voice arrives as several files, which are scanned once


class VoiceCatalog(QObject):
    """Reads the voices from the disk in a thread of its own.

    Signals:
        changed(): a scan has ended, or the order or a precision has changed.
        favourites_changed(tuple[str, ...]): the new favourites.
        precision_preference_changed(PrecisionPreference): the user chose how exactly a voice speaks.
        introduction_requested(VoicePick): a list of voices is asked to let one be heard.
    """

    changed = Signal()
    favourites_changed = Signal(object)
    precision_preference_changed = Signal(object)
    introduction_requested = Signal(object)

    def __init__(self, parent: QObject, favourites: tuple[str, ...] = (), precision_preference: PrecisionPreference | None = None) -> None:
        super().__init__(parent)
        self.favourites = favourites  # manifest ids of the voices with a star
        self.sounds = precision_preference or PrecisionPreference()  # the precision that the user chose for each voice
        # Favourites first, then the user's own, ours and AivisSpeech's; empty before the first scan.
        self.voices: tuple[CatalogVoice, ...] = ()
        self._scanned_voices: tuple[CatalogVoice, ...] = ()
        self.berts: tuple[str, ...] = ()
        self.pending_berts: tuple[BertModel, ...] = ()
        self.default_id = ""  # the id, as lines store it, of the voice of a new project; that of the voice we ship before the first scan
        self.is_read = False
        self._background = BackgroundThread(self, "catalog")
        self._background.failed.connect(log_error)

    @Slot()
    def refresh_voices(self) -> None:
        """Scan the disk again; `changed` follows."""
        self._background.run_work(_read_catalog, self.apply_scan)

    def is_favourite(self, voice: CatalogVoice) -> bool:
        """Return True if the user gave the voice a star."""
        return voice.manifest.id in self.favourites

    def set_favourite(self, voice: CatalogVoice, is_favourite: bool) -> None:
        """Give a voice a star, or take it away."""
        other_favourites = tuple(item for item in self.favourites if item != voice.manifest.id)
        self.favourites = ((*other_favourites, voice.manifest.id) if is_favourite else other_favourites)[-MOST_FAVOURITES:]
        self.favourites_changed.emit(self.favourites)
        self.voices = self._sort_voices(self._scanned_voices)
        self.changed.emit()

    def find_precision(self, voice: CatalogVoice) -> GraphPrecision:
        """Return the precision of a voice: "fast" only if the voice has a fast graph."""
        return "exact" if voice.manifest.fast is None else self.sounds.find_precision(voice.manifest.id)

    def choose_precision(self, voice: CatalogVoice, precision: GraphPrecision) -> None:
        """Store the precision that the user chose for a voice, which then no longer follows the default."""
        self.sounds = self.sounds.replace_voice_precision(voice.manifest.id, precision)
        self.precision_preference_changed.emit(self.sounds)
        self.changed.emit()

    def set_precision_preference(self, precision_preference: PrecisionPreference) -> None:
        """Apply other precision settings; `changed` follows if they differ."""
        if precision_preference != self.sounds:
            self.sounds = precision_preference
            self.changed.emit()

    def find_voice(self, voice: str) -> CatalogVoice | None:
        """Return the voice that lines store under this id, or None."""
        return next((item for item in self.voices if voice in (item.id, item.manifest.id)), None)

    def describe_speaker(self, settings: LineSettings) -> SpeakerNames:
        """Return the names of a line's speaker for file names."""
        from app.export.safe_file_names import name_line_speaker  # the window starts without

        catalog_voice = self.find_voice(settings.voice)
        return name_line_speaker(settings, catalog_voice.manifest if catalog_voice is not None else None)

    def close(self) -> None:
        """Wait for the running scan."""
        self._background.close()

    def apply_scan(self, scan: CatalogScan) -> None:
        """Offer what a scan has found; `changed` follows."""
        self._scanned_voices, self.berts, self.pending_berts = scan.voices, scan.berts, scan.pending_berts
        self.default_id, self.is_read = scan.default_id, True
        self.voices = self._sort_voices(self._scanned_voices)
        self.changed.emit()

    def _sort_voices(self, voices: tuple[CatalogVoice, ...]) -> tuple[CatalogVoice, ...]:
        """Return favourites first; voices that are not prepared stay together at the end."""
        return tuple(sorted(voices, key=lambda voice: (voice.origin == "aivisspeech", not self.is_favourite(voice))))


def _read_catalog() -> CatalogScan:
    # Modules that read files are imported here, in the background thread, so that the window starts without them.
    from app.ui.voices.catalog_scan import scan_catalog

    return scan_catalog()


class VoiceFolderWatcher(QObject):
    """Watches folders, or their parents as long as the folders do not exist.

    Signals:
        changed(): entries have come or gone, and nothing has changed for half a second.
    """

    changed = Signal()

    def __init__(self, folders: Sequence[Path], parent: QObject) -> None:
        super().__init__(parent)
        self._folders = folders
        self._missing_folders: set[Path] = set()
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._report_change)
        self._timer = QTimer(self, singleShot=True, interval=FOLDER_CHANGE_DELAY_MS)
        self._timer.timeout.connect(self.changed)

    def close(self) -> None:
        """Stop watching."""
        self._timer.stop()
        if watched := self._watcher.directories():
            self._watcher.removePaths(watched)
        self._watcher.directoryChanged.disconnect(self._report_change)

    @Slot(str)
    def _report_change(self, folder: str) -> None:
        """Emit `changed` after a change of a watched folder."""
        # A parent folder changes with every file in it, so there only the appearance of a watched folder counts.
        appeared = {path for path in self._missing_folders if path.is_dir()}
        self.start_watching()
        if appeared or Path(folder) in self._folders:
            self._timer.start()

    @Slot()
    def start_watching(self) -> None:
        """Watch the folders that exist now, and the parents of the others."""
        self._missing_folders = {folder for folder in self._folders if not folder.is_dir()}
        paths = {str(folder.parent if folder in self._missing_folders else folder) for folder in self._folders}
        watched = set(self._watcher.directories())
        if old := watched - paths:
            self._watcher.removePaths(sorted(old))
        if new := paths - watched:
            self._watcher.addPaths(sorted(new))
