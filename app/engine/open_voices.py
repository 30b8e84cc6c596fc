"""The voices that the engine has open, or will open when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.synthesis_types import StageTiming
from app.engine.machine_info import describe_voice
from app.engine.synthesis_jobs import VoicePrecisions
from app.engine.synthesis_results import OpenedVoice

if TYPE_CHECKING:
    from app.adapters.ort.devices.failed_devices import FailedDevices
    from app.compose.speaker import Speaker
    from app.core.sound.render_caches import RenderCaches

MAX_OPEN_VOICES = 3
MAX_OPEN_BYTES = 1_200_000_000  # of graphs on the disk, which is about what they take in memory


@dataclass(frozen=True, slots=True)
class OpeningRequest:
    """A voice that is to be opened.

    Attributes:
        voice: its id; empty is the one that ships.
        newest_first: open voices, whose BERT may serve this one too, and whose caches are taken over.
        caches: what was remembered before, where no voice is open.
        failures: of devices, shared by all voices of a program; None before the first one.
    """

    voice: str
    backend: str
    precisions: VoicePrecisions
    newest_first: tuple[Speaker, ...] = ()
    caches: RenderCaches | None = None
    failures: FailedDevices | None = None

    def find_reusable_speaker(self, bert: str) -> Speaker | None:
        """Return an open voice with this BERT, or else any."""
        return next((item for item in self.newest_first if item.voice.manifest.bert == bert), next(iter(self.newest_first), None))


class OpenVoices:
    """Belongs to the engine's thread, but for `terminate_graphs`, `is_open` and `mark_stale`. The voices used last stay open, so that lines may take turns.

    Attributes:
        speakers: the open voices by the id that lines have, the newest used last.
        isolated: the id and the precisions of the voice that is open beside them, and the voice; None where there is none.
        caches: what is remembered; outlives the voices.
        backend, precisions: where they run, and how exactly.

    Args:
        open_voice: opens a voice.
        on_opened: called with each voice that was opened, and again when it had to leave its device.
        find_line_id: returns the id that lines have for a voice, given the one of its manifest.
    """

    def __init__(
        self,
        open_voice: Callable[[OpeningRequest], Speaker],
        on_opened: Callable[[OpenedVoice], object] | None = None,
        *,
        find_line_id: Callable[[str], str] = str,
        max_voices: int = MAX_OPEN_VOICES,
        max_bytes: float = MAX_OPEN_BYTES,
    ) -> None:
        self.caches: RenderCaches | None = None
        self.backend = "auto"
        self.precisions = VoicePrecisions()
        self.speakers: dict[str, Speaker] = {}
        self.isolated: tuple[str, VoicePrecisions, Speaker] | None = None
        self._open_voice, self._on_opened, self._max_voices, self._max_bytes = open_voice, on_opened, max_voices, max_bytes
        self._failures: FailedDevices | None = None  # a device that is lost is so for all voices
        self._stale: set[str] = set()
        self.find_line_id = find_line_id
        self._reported: dict[str, str | None] = {}  # why each voice that was reported does not run where it was asked to

    @property
    def speaker(self) -> Speaker | None:
        """Return the voice used last; None before the first one, and after voices were unloaded."""
        return next(reversed(self.speakers.values()), None)

    def is_open(self, voice: str) -> bool:
        """Return whether a voice would speak at once. Any thread may call this."""
        return voice in self.speakers

    def mark_stale(self, voice: str) -> None:
        """Reopen a voice, whose files have changed, when it is used next. Any thread may call this."""
        self._stale.add(voice)

    def open_speaker(self, voice: str = "") -> Speaker:
        """Return the voice of this id, opened if need be; an empty id is the voice that ships."""
        speaker = self.speakers.get(voice)
        if speaker is None or voice in self._stale:
            # Marked meanwhile, it is reopened the next time.
            self._stale.discard(voice)
            speaker = self.load_voice(voice, self.backend, self.precisions)
        self.speakers[voice] = self.speakers.pop(voice)
        if voice not in self._reported:
            self.announce_voice(voice)
        return speaker

    def open_isolated_speaker(self, voice: str, precisions: VoicePrecisions) -> Speaker:
        """Open a voice in other precisions, on the CPU, beside those that lines speak with; one at a time, until `close_isolated_voice`."""
        if self.isolated is None or self.isolated[:2] != (voice, precisions):
            self.isolated = None  # makes room before it needs some
            self.isolated = (voice, precisions, self._open_anew(voice, "cpu", precisions, tuple(reversed(self.speakers.values()))))
        return self.isolated[2]

    def close_isolated_voice(self) -> None:
        """Close the voice that `open_isolated_speaker` opened."""
        self.isolated = None

    def load_voice(self, voice: str, backend: str, precisions: VoicePrecisions, *, retry: bool = False) -> Speaker:
        """Open a voice with the caches, and the BERT if it fits, of an open one. On another backend the other voices are closed.

        Args:
            retry: devices that failed are tried again.
        """
        if not self.speakers:  # else the voices that are open stay where they are, should this fail
            self.backend, self.precisions = backend, precisions
        if retry and self._failures is not None:
            self._failures.forget_failures()
        speaker = self._open_anew(voice, backend, precisions, () if retry else tuple(reversed(self.speakers.values())))
        if retry or (backend, precisions) != (self.backend, self.precisions):
            self.speakers.clear()
        self.backend, self.precisions = backend, precisions
        self.speakers.pop(voice, None)
        self.speakers[voice] = speaker
        self._close_oldest_voices()
        return speaker

    def choose_precisions(self, precisions: VoicePrecisions) -> list[str]:
        """Open voices in these precisions from now on, and return the ids of those that this changes, which are closed; open nothing."""
        before, self.precisions = self.precisions, precisions
        changed = [voice for voice, speaker in self.speakers.items() if _is_changed_by(speaker, before, precisions)]
        for voice in changed:
            self.close_voice(voice)
        self._reported = {voice: why for voice, why in self._reported.items() if voice in self.speakers}
        return changed

    def announce_voice(self, voice: str) -> None:
        """Report an open voice as it is now."""
        speaker = self.speakers[voice]
        self._reported[voice] = speaker.fallback
        if self._on_opened is not None:
            self._on_opened(describe_voice(speaker, self.backend, voice))

    def announce_fallback(self) -> None:
        """Report a voice that runs elsewhere now because a device failed."""
        voice = next(reversed(self.speakers), None)
        if voice is not None and self.speakers[voice].fallback != self._reported.get(voice):
            self.announce_voice(voice)

    def add_timing_backends(self, timing: StageTiming) -> StageTiming:
        """Return a timing of the voice used last, with the backends that computed it."""
        return timing if self.speaker is None else self.speaker.add_backend(timing)

    def close_voice(self, voice: str) -> None:
        """Close one voice."""
        self.isolated = None
        self.speakers.pop(voice, None)
        self._reported.pop(voice, None)

    def unload_voices(self) -> None:
        """Close all voices."""
        self.isolated = None
        # `_reported` stays: a voice that comes back after a rest is no news to the window.
        self.speakers.clear()

    def terminate_graphs(self) -> None:
        """Stop the running graph. Any thread may call this."""
        # Copied, as the engine's thread may open or close voices meanwhile.
        apart = self.isolated
        for speaker in (*self.speakers.values(), *([apart[2]] if apart is not None else [])):
            speaker.terminate()

    def _open_anew(self, voice: str, backend: str, precisions: VoicePrecisions, newest_first: tuple[Speaker, ...]) -> Speaker:
        stored = self.caches.stored if self.caches is not None else None
        speaker = self._open_voice(OpeningRequest(voice, backend, precisions, newest_first, self.caches, self._failures))
        self._failures = speaker.failures
        self.caches = speaker.pipeline.caches
        self.caches.stored = self.caches.stored or stored  # which another voice may still need
        return speaker

    def _close_oldest_voices(self) -> None:
        while len(self.speakers) > 1 and (len(self.speakers) > self._max_voices or self._measure_size() > self._max_bytes):
            del self.speakers[next(iter(self.speakers))]

    def _measure_size(self) -> int:
        """Return the size of the open voices; a BERT that several share counts once."""
        files = {path for speaker in self.speakers.values() for path in speaker.models.values()}
        return sum(_measure_file(path) for path in files)


def _is_changed_by(speaker: Speaker, before: VoicePrecisions, after: VoicePrecisions) -> bool:
    manifest = speaker.voice.manifest
    return before.bert != after.bert or (
        manifest.fast is not None and before.graphs.find_precision(manifest.id) != after.graphs.find_precision(manifest.id)
    )


def _measure_file(path: Path) -> int:
    from app.adapters.ort.optimized_graphs import measure_graph_bytes

    try:
        return measure_graph_bytes(path)
    except OSError:
        return 0
