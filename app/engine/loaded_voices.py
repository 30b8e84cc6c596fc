"""The voices that the synthesis thread has open, or will open when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from app.common.errors import VoiceError
from app.common.language import localize
from app.core.synthesis_types import StageTiming
from app.engine.licence_error import LicenceNotAcceptedError
from app.engine.machine_info import describe_voice
from app.engine.synthesis_jobs import VoicePrecisions
from app.engine.synthesis_results import OpenedVoice

if TYPE_CHECKING:
    from app.adapters.ort.devices.failed_devices import FailedDevices
    from app.compose.speaker import Speaker
    from app.core.render_caches import RenderCaches
    from app.install.resolve_voice import ResolvedVoice
    from app.install.voice_licence import VoiceLicence

MAX_LOADED_VOICES = 3
MAX_LOADED_BYTES = 1_200_000_000  # of graphs on the disk, which is about what they take in memory


class LoadedVoiceCache:
    """Belongs to the synthesis thread, but for `terminate_graphs`. The voices used last stay open, so that lines may take turns.

    Attributes:
        speakers: the open voices by the id that lines have, the newest used last.
        isolated: the id and the precisions of the voice that is open beside them, and the voice; None where there is none.
        caches: what is remembered; outlives the voices.
        backend, precisions: where they run, and how exactly.
        force_bert: a voice whose BERT is missing speaks with another one, which sounds wrong.

    Args:
        on_opened: called with each voice that was opened, and again when it had to leave its device.
        announce: called, in the language of the user, with what takes long.
    """

    def __init__(
        self, on_opened: Callable[[OpenedVoice], object] = lambda _voice: None, announce: Callable[[str], object] = lambda _text: None
    ) -> None:
        self.caches: RenderCaches | None = None
        self.backend = "auto"
        self.precisions = VoicePrecisions()
        self.force_bert = False
        self._on_opened, self._announce = on_opened, announce
        self._failures: FailedDevices | None = None  # a device that is lost is so for all voices
        self.speakers: dict[str, Speaker] = {}
        self.isolated: tuple[str, VoicePrecisions, Speaker] | None = None
        self._reported: dict[str, str | None] = {}  # why each voice that was reported does not run where it was asked to

    @property
    def speaker(self) -> Speaker | None:
        """Return the voice used last; None before the first one, and after voices were unloaded."""
        return next(reversed(self.speakers.values()), None)

    def ensure_voice_open(self, voice: str = "") -> Speaker:
        """Return the voice of this id, opened if need be; an empty id is the voice that ships."""
        speaker = self.speakers.pop(voice, None)
        if speaker is None:
            speaker = self.load_voice(voice, self.backend, self.precisions)
        self.speakers[voice] = speaker
        if voice not in self._reported:
            self.announce_voice(voice)
        return speaker

    def open_isolated_voice(self, voice: str, precisions: VoicePrecisions) -> Speaker:
        """Open a voice in other precisions, on the CPU, beside those that lines speak with; one at a time, until `close_isolated_voice`."""
        if self.isolated is None or self.isolated[:2] != (voice, precisions):
            self.isolated = None  # makes room before it needs some
            ready = self._prepare_voice(voice)
            self.isolated = (
                voice,
                precisions,
                self._open_speaker(ready, "cpu", precisions, self._find_reusable_speaker(ready.voice.manifest.bert)),
            )
        return self.isolated[2]

    def close_isolated_voice(self) -> None:
        """Close the voice that `open_isolated_voice` opened."""
        self.isolated = None

    def load_voice(self, voice: str, backend: str, precisions: VoicePrecisions, *, retry: bool = False) -> Speaker:
        """Open a voice with the caches, and the BERT if it fits, of an open one. On another backend the other voices are closed.

        Args:
            retry: devices that failed are tried again.
        """
        if not self.speakers:  # else the voices that are open stay where they are, should this fail
            self.backend, self.precisions = backend, precisions
        ready = self._prepare_voice(voice)
        if retry and self._failures is not None:
            self._failures.forget_failures()
        like = None if retry else self._find_reusable_speaker(ready.voice.manifest.bert)
        speaker = self._open_speaker(ready, backend, precisions, like)
        if retry or (backend, precisions) != (self.backend, self.precisions):
            self.speakers.clear()
        self.backend, self.precisions = backend, precisions
        self.speakers.pop(voice, None)
        self.speakers[voice] = speaker
        self._close_oldest_voices()
        if ready.note:
            self._announce(ready.note)
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
        """Stop the running graph; may be called from any thread."""
        # Copied, as the synthesis thread may open or close voices meanwhile.
        apart = self.isolated
        for speaker in (*self.speakers.values(), *([apart[2]] if apart is not None else [])):
            speaker.terminate()

    def _open_speaker(self, ready: ResolvedVoice, backend: str, precisions: VoicePrecisions, reuse_from: Speaker | None) -> Speaker:
        from app.compose.speaker_opening import open_speaker

        stored = self.caches.stored if self.caches is not None else None
        speaker = open_speaker(
            ready.reference,
            backend,
            force_bert=self.force_bert,
            precision=precisions.bert,
            graph_precision=precisions.graphs.find_precision(ready.voice.manifest.id),
            reuse_from=reuse_from,
            caches=self.caches,
            failures=self._failures,
        )
        self._failures = speaker.failures
        self.caches = speaker.pipeline.caches
        self.caches.stored = self.caches.stored or stored  # which another voice may still need
        return speaker

    def _prepare_voice(self, voice: str) -> ResolvedVoice:
        from app.install.resolve_voice import resolve_ready_voice
        from app.voices.installed_voices import UnknownVoiceError, find_shipped_voice_id

        def refuse_licence(licence: VoiceLicence) -> bool:
            raise LicenceNotAcceptedError(licence.voice_id, licence.name, licence.text)

        wanted = voice or find_shipped_voice_id()  # a line, and so a project, names voices, but no files
        try:
            return resolve_ready_voice(
                wanted, refuse_licence, announce=self._announce, require_bert=self._require_bert, may_be_path=False, renews_first=False
            )
        except UnknownVoiceError as error:
            raise VoiceError(
                localize("この行の声が見つかりません。", "The voice for this line is missing."),
                localize("右の声のカードで、別の声を選んでください。", "Choose another voice on the voice card on the right."),
            ) from error

    def _require_bert(self, bert: str) -> None:
        from app.common.files.paths import list_bert_dirs
        from app.voices.bert_models import find_bert

        find_bert(bert, list_bert_dirs(), allow_mismatch=self.force_bert)

    def _find_reusable_speaker(self, bert: str) -> Speaker | None:
        """Return a voice with the same BERT, or else any."""
        newest_first = list(reversed(self.speakers.values()))
        return next((item for item in newest_first if item.voice.manifest.bert == bert), next(iter(newest_first), None))

    def _close_oldest_voices(self) -> None:
        while len(self.speakers) > 1 and (len(self.speakers) > MAX_LOADED_VOICES or self._measure_size() > MAX_LOADED_BYTES):
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
