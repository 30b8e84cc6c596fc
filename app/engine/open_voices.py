"""The voices that the engine has open, or will open when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from app.common.errors import AppError
from app.core.sound.voice_traits import SBV2_ARCHITECTURE, VoiceArchitecture
from app.core.synthesis_types import StageTiming
from app.settings.user_settings import PrecisionChoice, PrecisionPreference
from app.voices.voice_labels import format_licence_terms, format_voice_name

if TYPE_CHECKING:
    from app.adapters.ort.devices.failed_devices import FailedDevices
    from app.compose.speaker import Speaker
    from app.core.sound.render_caches import RenderCaches

MAX_OPEN_VOICES = 3
MAX_OPEN_BYTES = 1_200_000_000  # of graphs on the disk, which is about what they take in memory


@dataclass(frozen=True, slots=True)
class VoicePrecisions:
    """In which precision BERT and the graphs of each voice compute."""

    bert: PrecisionChoice = "auto"
    graphs: PrecisionPreference = field(default_factory=PrecisionPreference)


@dataclass(frozen=True, slots=True)
class OpeningRequest:
    """A voice that is to be opened."""

    voice: str  # empty is the one that ships
    backend: str
    precisions: VoicePrecisions
    newest_first: tuple[Speaker, ...] = ()  # open voices, whose BERT may serve this one too, and whose caches are taken over
    caches: RenderCaches | None = None  # what was remembered before, where no voice is open
    failures: FailedDevices | None = None  # of devices, shared by all voices of a program; None before the first one

    def find_reusable_speaker(self, bert: str) -> Speaker | None:
        """Return an open voice with this BERT, or else any."""
        return next((item for item in self.newest_first if item.voice.manifest.bert == bert), next(iter(self.newest_first), None))


@dataclass(frozen=True, slots=True)
class OpenedVoice:
    """A voice that can speak now."""

    name: str
    description: str
    licence: str
    is_starter: bool  # it is the voice we ship, whose `id` is empty
    is_single_graph: bool  # it can only be heard sentence by sentence
    sampling_rate: int
    speakers: tuple[tuple[int, str], ...]  # speakers, styles: as (id, name)
    styles: tuple[tuple[int, str], ...]
    requested_backend: str
    backends: tuple[tuple[str, str], ...]  # where each stage runs, as (stage, backend key)
    fallback: str | None  # why it does not run where it was asked to, or None
    id: str = ""
    is_fast: bool = False
    has_forced_bert: bool = False  # it speaks with a BERT that is not its own, so that its prosody is wrong
    architecture: VoiceArchitecture = SBV2_ARCHITECTURE
    is_device_lost: bool = False  # it does not because its device failed, now or when the program ran last
    is_fallback_failure: bool = True  # `fallback` is about a failure; else a graph has no room on its device, or no form
    # Not compared: a frozen class hashes what it compares, and dicts have no hash.
    # What a probe has found for it, as `koebako backends --json` reports it.
    measurements: tuple[Mapping[str, Any], ...] = field(default=(), compare=False)
    recipe: int = 1  # the number of the way in which it was prepared


def describe_voice(speaker: Speaker, requested: str, voice: str = "") -> OpenedVoice:
    """Return what the window shows of the voice that lines call `voice` and that was asked to run on the backend `requested`."""
    info = speaker.voice.manifest
    return OpenedVoice(
        name=format_voice_name(info),
        description=info.description,
        licence=format_licence_terms(speaker.voice.path, info.licence),
        is_starter=info.format == "starter",
        is_single_graph=info.is_single_graph,
        sampling_rate=info.sampling_rate,
        speakers=tuple((item.id, item.name) for item in info.speakers),
        styles=tuple((item.id, item.name) for item in info.styles),
        requested_backend=requested,
        backends=tuple(speaker.backends.items()),
        fallback=speaker.fallback,
        is_device_lost=speaker.is_device_lost,
        is_fallback_failure=speaker.has_failed,
        id=voice,
        architecture=speaker.pipeline.voice.architecture,
        is_fast=bool(speaker.fast_graphs),
        has_forced_bert=speaker.bert != info.bert,
        measurements=_find_measurements(voice),
        recipe=info.recipe,
    )


def _find_measurements(voice: str) -> tuple[dict[str, Any], ...]:
    from app.backends.backend_probe import BackendProbe

    try:
        return tuple(asdict(finding) for finding in BackendProbe(voice or None).list_known_results() if finding.ok is not None)
    except (AppError, OSError):
        return ()


class OpenVoices:
    """Belongs to the engine's thread, but for `terminate_graphs`, `is_open` and `mark_stale`. The voices used last stay open, so that lines may take turns.

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
        self.caches: RenderCaches | None = None  # what is remembered; outlives the voices
        self.backend = "auto"  # backend, precisions: where they run, and how exactly
        self.precisions = VoicePrecisions()
        self.speakers: dict[str, Speaker] = {}  # the open voices by the id that lines have, the newest used last
        # The id and the precisions of the voice that is open in addition to them, and the voice; None where there is none.
        self.isolated: tuple[str, VoicePrecisions, Speaker] | None = None
        self._open_voice, self._on_opened, self._max_voices, self._max_bytes = open_voice, on_opened, max_voices, max_bytes
        self._failures: FailedDevices | None = None  # a device that is lost is so for all voices
        self._stale: set[str] = set()
        self.find_line_id = find_line_id
        self._reported_fallbacks: dict[str, str | None] = {}  # why each voice that was reported does not run where it was asked to

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
        if voice not in self._reported_fallbacks:
            self.announce_voice(voice)
        return speaker

    def open_isolated_speaker(self, voice: str, precisions: VoicePrecisions) -> Speaker:
        """Open a voice in other precisions, on the CPU, in addition to those of the lines; one at a time, until `close_isolated_voice`."""
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
        while len(self.speakers) > 1 and (len(self.speakers) > self._max_voices or self._measure_size() > self._max_bytes):
            del self.speakers[next(iter(self.speakers))]
        return speaker

    def choose_precisions(self, precisions: VoicePrecisions) -> list[str]:
        """Open voices in these precisions from now on, and return the ids of those that this changes, which are closed; open nothing."""
        old_precisions, self.precisions = self.precisions, precisions
        changed = []
        for voice, speaker in self.speakers.items():
            manifest = speaker.voice.manifest
            graphs = {item.graphs.find_precision(manifest.id) for item in (old_precisions, precisions)}
            if old_precisions.bert != precisions.bert or (manifest.fast is not None and len(graphs) > 1):
                changed.append(voice)
        for voice in changed:
            self.close_voice(voice)
        self._reported_fallbacks = {voice: why for voice, why in self._reported_fallbacks.items() if voice in self.speakers}
        return changed

    def announce_voice(self, voice: str) -> None:
        """Report an open voice as it is now."""
        speaker = self.speakers[voice]
        self._reported_fallbacks[voice] = speaker.fallback
        if self._on_opened is not None:
            self._on_opened(describe_voice(speaker, self.backend, voice))

    def announce_fallback(self) -> None:
        """Report a voice that runs elsewhere now because a device failed."""
        voice = next(reversed(self.speakers), None)
        if voice is not None and self.speakers[voice].fallback != self._reported_fallbacks.get(voice):
            self.announce_voice(voice)

    def add_timing_backends(self, timing: StageTiming) -> StageTiming:
        """Return a timing of the voice used last, with the backends that computed it."""
        return timing if self.speaker is None else self.speaker.add_backend(timing)

    def close_voice(self, voice: str) -> None:
        self.isolated = None
        self.speakers.pop(voice, None)
        self._reported_fallbacks.pop(voice, None)

    def unload_voices(self) -> None:
        """Close all voices."""
        self.isolated = None
        # `_reported_fallbacks` stays: a voice that comes back after a rest is no news to the window.
        self.speakers.clear()

    def terminate_graphs(self) -> None:
        """Stop the running graph. Any thread may call this."""
        # Copied, as the engine's thread may open or close voices meanwhile.
        isolated = self.isolated
        for speaker in (*self.speakers.values(), *((isolated[2],) if isolated is not None else ())):
            speaker.terminate()

    def _open_anew(self, voice: str, backend: str, precisions: VoicePrecisions, newest_first: tuple[Speaker, ...]) -> Speaker:
        stored = self.caches.stored if self.caches is not None else None
        speaker = self._open_voice(OpeningRequest(voice, backend, precisions, newest_first, self.caches, self._failures))
        self._failures = speaker.failures
        self.caches = speaker.pipeline.caches
        self.caches.stored = self.caches.stored or stored  # which another voice may still need
        return speaker

    def _measure_size(self) -> int:
        """Return the bytes of the open voices; a BERT that several share counts once, a file that is gone not at all."""
        from app.adapters.ort.optimized_graphs import measure_graph_bytes

        size = 0
        for path in {path for speaker in self.speakers.values() for path in speaker.models.values()}:
            with suppress(OSError):
                size += measure_graph_bytes(path)
        return size
