"""All takes of the window with their sounds, and the newest renderings of each line, which may become takes.

Takes are part of the script's project, but not of its undo history.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance, Slot

from app.core.script.project import LineTake, Project, change_take, create_take, find_sounds, list_sounds, prune_takes, remove_takes
from app.core.script.script import Line
from app.core.synthesis_types import AudioChunk, Float32
from app.engine.synthesis_jobs import SpeechJob
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.takes.take_sounds import OnTakeError, TakeSound, TakeSounds

if TYPE_CHECKING:
    from app.audition.take_store import KeptSound

OnTake = Callable[[LineTake], object]
SecureProject = Callable[[Callable[[], object]], object]

MAX_RECENT_PER_LINE = 5
# Bytes of all lines, some four and a half minutes; many of these samples are also in the pipeline's own cache of renderings.
MAX_RECENT_BYTES = 48 << 20

TAKES_TITLE = "テイク", "Takes"

TAKES_PER_BATCH = 5


@dataclass(frozen=True, slots=True, eq=False)
class RecentRendering:
    """A rendering in memory: its take, its sound as float32 pieces `(T,)`, and its rate in Hz."""

    take: LineTake
    pieces: tuple[Float32, ...]
    rate: int

    @property
    def size(self) -> int:
        """Return the size of the sound in bytes."""
        return sum(piece.nbytes for piece in self.pieces)


class RecentRenderings(QObject):
    """Collects the renderings of lines while they are computed.

    Signals:
        changed(str): the line of this id has other renderings.
    """

    changed = Signal(str)

    def __init__(self, speech: SpeechController, parent: QObject) -> None:
        super().__init__(parent)
        # Chunks received so far, by request id.
        self._chunks: dict[str, list[AudioChunk]] = {}
        # Finished renderings by take id, the oldest first.
        self._renderings: OrderedDict[str, RecentRendering] = OrderedDict()
        speech.chunk_made.connect(self._collect_chunk)
        speech.speech_computed.connect(self._finish_rendering)
        speech.speech_dropped.connect(self._forget_jobs)
        speech.speaking_failed.connect(lambda failure: self._forget_jobs([failure.job]))

    def find_rendering(self, take_id: str) -> RecentRendering | None:
        return self._renderings.get(take_id)

    def list_line_renderings(self, line_id: str) -> list[RecentRendering]:
        """Return the renderings of a line, the oldest first."""
        return [rendering for rendering in self._renderings.values() if rendering.take.line == line_id]

    def find_current_rendering(self, line: Line) -> RecentRendering | None:
        """Return the rendering of a line with its present text, settings and reading, or None."""
        take_key = build_take_key(create_take(line))
        return next((rendering for rendering in self.list_line_renderings(line.id) if build_take_key(rendering.take) == take_key), None)

    def clear_renderings(self) -> None:
        """Drop all renderings, as another script is shown."""
        self._chunks.clear()
        self._renderings.clear()

    @Slot(object, object)
    def _collect_chunk(self, job: SpeechJob, chunk: AudioChunk) -> None:
        if isinstance(job.source, Line):
            self._chunks.setdefault(chunk.request_id, []).append(chunk)

    @Slot(object)
    def _finish_rendering(self, job: SpeechJob) -> None:
        chunks = self._chunks.pop(job.request.id, [])
        if not chunks or not isinstance(job.source, Line):
            return
        line = replace(job.source, settings=replace(job.source.settings, seed=job.request.seed))
        pieces, rate = tuple(chunk.samples for chunk in chunks), chunks[0].sampling_rate
        take = create_take(line, length_s=sum(map(len, pieces)) / rate)
        for other in [other for other in self.list_line_renderings(line.id) if build_take_key(other.take) == build_take_key(take)]:
            del self._renderings[other.take.id]
        self._renderings[take.id] = RecentRendering(take, pieces, rate)
        for other in self.list_line_renderings(line.id)[:-MAX_RECENT_PER_LINE]:
            del self._renderings[other.take.id]
        while sum(rendering.size for rendering in self._renderings.values()) > MAX_RECENT_BYTES:
            self._renderings.popitem(last=False)
        self.changed.emit(line.id)

    @Slot(object)
    def _forget_jobs(self, jobs: Sequence[SpeechJob]) -> None:
        for job in jobs:
            self._chunks.pop(job.request.id, None)


def build_take_key(take: LineTake) -> tuple[object, ...]:
    """Return every value that the sound of a take depends on."""
    # Locking the seed changes no sound, so takes that differ in the lock alone are equal.
    return take.text, replace(take.settings, seed_locked=True), take.overrides


class TakeOwner(Protocol):
    """The part of `app.ui.projects.project_document.ProjectDocument` that takes need."""

    path: Path | None
    parts: Project

    @property
    def changed(self) -> SignalInstance:
        """Emit that the project has another file or other parts."""

    def change_parts(self, **parts: Any) -> None:
        """Replace parts of the project."""


class TakeBook(QObject):
    """Reads and changes the takes of the open project.

    Signals:
        changed(): takes were added, removed or changed.
    """

    changed = Signal()

    def __init__(self, owner: TakeOwner, parent: QObject) -> None:
        super().__init__(parent)
        self._owner = owner
        self._seen_project = owner.parts
        # Sounds without a take that may still be needed: of removed takes, and of a test that has not begun.
        self._loose: set[str] = set()
        # Names of all sounds needed since the window opened, including those of projects and takes since closed or deleted.
        self.known = set(self.list_needed_sounds())
        owner.changed.connect(self._follow_owner)

    @property
    def takes(self) -> tuple[LineTake, ...]:
        """Return all takes, the oldest first."""
        return self._owner.parts.takes

    def find_take(self, take_id: str) -> LineTake | None:
        return next((take for take in self.takes if take.id == take_id), None)

    def add_take(self, take: LineTake) -> LineTake:
        """Keep a take and return it; an existing take of the same line with the same sound is returned instead.

        The oldest takes are dropped beyond the limits of `app.audition.take_store`.
        """
        # This module also imports the sound file writers, which the start of the window does without.
        from app.audition.take_store import MOST_BYTES, MOST_TAKES

        existing_take = next((other for other in self.takes if (other.line, other.sound) == (take.line, take.sound) and take.sound), None)
        if existing_take is None:
            self._owner.change_parts(takes=prune_takes((*self.takes, take), MOST_TAKES, MOST_BYTES, find_sounds(self._owner.parts.tests)))
        return existing_take or take

    def change_take(self, take_id: str, **values: object) -> None:
        """Change the star, rating or note of a take."""
        self._owner.change_parts(takes=change_take(self.takes, take_id, **values))

    def forget_unused_sounds(self) -> None:
        """Release sounds without a take: of removed takes that could be restored, and of a test that has not begun."""
        self._loose.clear()

    def hold_sound(self, sound: str) -> None:
        """Keep a sound that no take has."""
        self._loose.add(sound)
        self.known.add(sound)

    def remove_take(self, take: LineTake) -> None:
        """Remove a take; its sound stays, so that `restore_take` can undo this."""
        self._loose.add(take.sound)
        self._owner.change_parts(takes=remove_takes(self.takes, (take.id,)))

    def delete_takes(self, *, starred: bool) -> None:
        """Delete all takes, or only those without a star, with their sounds."""
        kept_takes = () if starred else tuple(take for take in self.takes if take.starred)
        self._loose.clear()
        self._owner.change_parts(takes=kept_takes)

    def restore_take(self, take: LineTake, position: int) -> bool:
        """Undo `remove_take`; return False if the sound may be gone, as all takes were deleted since."""
        if take.sound and take.sound not in self.list_needed_sounds():
            return False
        if self.find_take(take.id) is None:
            self._owner.change_parts(takes=(*self.takes[:position], take, *self.takes[position:]))
        return True

    def list_needed_sounds(self) -> frozenset[str]:
        """Return the names of the sounds that must not be deleted."""
        return list_sounds(self.takes) | self._loose | find_sounds(self._owner.parts.tests)

    @Slot()
    def _follow_owner(self) -> None:
        previous_project, self._seen_project = self._seen_project, self._owner.parts
        if previous_project.tests is not self._seen_project.tests:
            self.known |= find_sounds(self._seen_project.tests)
        if previous_project.takes is not self._seen_project.takes:
            self.known |= list_sounds(self._seen_project.takes)
            self.changed.emit()


class TakeRepository(QObject):
    """Stores takes for everything that makes them.

    Args:
        secure: writes the autosave file and calls back once that is on the disk.
    """

    def __init__(self, owner: TakeOwner, speech: SpeechController, on_error: OnTakeError, secure: SecureProject, parent: QObject) -> None:
        super().__init__(parent)
        self._owner, self._secure = owner, secure
        self._path, self._script = owner.path, 0
        # Files of all projects that were open, whose sounds may still be needed.
        self._paths: dict[Path, None] = {}
        self.book = TakeBook(owner, self)
        self.sounds = TakeSounds(owner.path, on_error, self)
        self.heard = RecentRenderings(speech, self)

    def keep_rendered(
        self, line: Line, samples: Float32, rate: int, on_kept: OnTake = lambda _take: None, on_secured: OnTake = lambda _take: None
    ) -> None:
        """Keep the sound of a line as rendered, samples `(T,)` at `rate` Hz.

        Calls `on_kept` with the take, and `on_secured` once a crash can no longer lose it.
        """
        self._keep_rendering(RecentRendering(create_take(line), (samples,), rate), on_kept, on_secured)

    def keep_unnamed(self, samples: Float32, rate: int, on_kept: Callable[[str], object]) -> None:
        """Keep a sound that is no take, for a test that has not begun; calls `on_kept` with its name."""
        script = self._script

        def hold_sound(sound: KeptSound) -> None:
            self.book.known.add(sound.name)
            if self._script == script:
                self.book.hold_sound(sound.name)
                on_kept(sound.name)

        self.sounds.keep_sound((samples,), rate, hold_sound)

    def keep_recent(self, take_id: str, on_kept: OnTake = lambda _take: None, on_secured: OnTake = lambda _take: None) -> bool:
        """Keep a recent rendering as `keep_rendered` does; return False if it is no longer in memory."""
        rendering = self.heard.find_rendering(take_id)
        if rendering is None:
            return False
        self._keep_rendering(rendering, on_kept, on_secured)
        return True

    @property
    def has_file(self) -> bool:
        """Return True if the project has a file, next to which its sounds are stored."""
        return self._path is not None

    def delete_takes(self, *, starred: bool) -> None:
        """Delete all takes, or only those without a star.

        Their sounds are deleted when the project is saved, or for a script without a file when the window closes.
        """
        self.book.delete_takes(starred=starred)
        self.heard.clear_renderings()

    def fetch_sound(self, take: LineTake, on_fetched: Callable[[TakeSound], object], on_failed: OnTakeError | None = None) -> None:
        """Pass the samples and rate of a take, kept or recent, to `on_fetched`, or the error to `on_failed` if that is given."""
        rendering = self.heard.find_rendering(take.id)
        if rendering is None:
            self.sounds.read_sound(take.sound, on_fetched, on_failed)
        else:
            self.sounds.join_pieces(rendering.pieces, rendering.rate, on_fetched)

    @Slot()
    def follow_saved_file(self) -> None:
        """Use the file that the project was saved to."""
        self._use_file(self._owner.path)

    @Slot()
    def follow_project(self) -> None:
        """Reset everything that belonged to the project shown before."""
        self._script += 1
        self.heard.clear_renderings()
        self.book.forget_unused_sounds()
        self._use_file(self._owner.path)

    def drop_unnamed(self) -> None:
        """Release held sounds that no project or take names any more, while nothing is being kept or saved."""
        self._release_sounds(unnamed_only=True)

    def close(self) -> None:
        """Release held sounds that are no longer needed."""
        # The autosave file was written before the window closes its parts.
        self.book.forget_unused_sounds()
        self._release_sounds(unnamed_only=False)
        self.sounds.close()

    def _release_sounds(self, *, unnamed_only: bool) -> None:
        self.sounds.release_sounds(
            self.book.list_needed_sounds(), frozenset(self.book.known), tuple(self._paths), unnamed_only=unnamed_only
        )

    def _use_file(self, path: Path | None) -> None:
        if self._path is not None:
            self._paths[self._path] = None
        self._path = path
        self.sounds.open_project(path)

    def _keep_rendering(self, rendering: RecentRendering, then: OnTake, safe: OnTake) -> None:
        script = self._script

        def add_take(sound: KeptSound) -> None:
            self.book.known.add(sound.name)
            # The take is dropped if another project was opened meanwhile.
            if self._script == script:
                take = self.book.add_take(replace(rendering.take, sound=sound.name, length_s=sound.length_s, size=sound.size))
                then(take)
                self._secure(partial(report_secured, take))

        def report_secured(take: LineTake) -> None:
            if self._script == script:
                safe(take)

        self.sounds.keep_sound(rendering.pieces, rendering.rate, add_take)
