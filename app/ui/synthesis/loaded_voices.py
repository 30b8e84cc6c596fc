"""The voices that the synthesis thread has open, or will open when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.types import StageTiming
from app.errors import VoiceError
from app.language import localized
from app.ui.synthesis.jobs import Precisions
from app.ui.synthesis.licence_open import LicenceOpenError
from app.ui.synthesis.machine_info import describe_voice
from app.ui.synthesis.results import OpenedVoice

if TYPE_CHECKING:
    from app.adapters.ort.device_failures import DeviceFailures
    from app.compose.speaker import Speaker
    from app.core.renderings import Caches
    from app.install.licence import Licence
    from app.install.ready import Ready

MOST_VOICES = 3
MOST_BYTES = 1_200_000_000  # of graphs on the disk, which is about what they take in memory


class LoadedVoices:
    """Belongs to the synthesis thread, but for `terminate`. The voices used last stay open, so that lines may take turns.

    Attributes:
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
        self.caches: Caches | None = None
        self.backend = "auto"
        self.precisions = Precisions()
        self.force_bert = False
        self._on_opened, self._announce = on_opened, announce
        self._failures: DeviceFailures | None = None  # a device that is lost is so for all voices
        self._open: dict[str, Speaker] = {}  # by the id that lines have, the newest used last
        self._apart: tuple[str, Precisions, Speaker] | None = None
        self._reported: dict[str, str | None] = {}  # why each voice that was reported does not run where it was asked to

    @property
    def speaker(self) -> Speaker | None:
        """The voice used last; None before the first one, and after they made room."""
        return next(reversed(self._open.values()), None)

    def needed(self, voice: str = "") -> Speaker:
        """The voice of this id, which is opened first where it is not open; empty is the one we ship."""
        speaker = self._open.pop(voice, None)
        if speaker is None:
            speaker = self.load(voice, self.backend, self.precisions)
        self._open[voice] = speaker
        if voice not in self._reported:
            self.announce(voice)
        return speaker

    def apart(self, voice: str, precisions: Precisions) -> Speaker:
        """A voice in other precisions, on the processor, beside those that lines speak with; one at a time, until `put_away`."""
        if self._apart is None or self._apart[:2] != (voice, precisions):
            self._apart = None  # makes room before it needs some
            ready = self._ready(voice)
            self._apart = voice, precisions, self._opened(ready, "cpu", precisions, self._like(ready.voice.manifest.bert))
        return self._apart[2]

    def put_away(self) -> None:
        """The voice that is apart makes room."""
        self._apart = None

    def load(self, voice: str, backend: str, precisions: Precisions, *, retry: bool = False) -> Speaker:
        """Opens a voice; what is remembered, and a BERT that fits, are taken over. On another backend the others are let go.

        Args:
            retry: devices that failed are tried again.
        """
        if not self._open:  # else the voices that are open stay where they are, should this fail
            self.backend, self.precisions = backend, precisions
        ready = self._ready(voice)
        if retry and self._failures is not None:
            self._failures.forget()
        like = None if retry else self._like(ready.voice.manifest.bert)
        speaker = self._opened(ready, backend, precisions, like)
        if retry or (backend, precisions) != (self.backend, self.precisions):
            self._open.clear()
        self.backend, self.precisions = backend, precisions
        self._open.pop(voice, None)
        self._open[voice] = speaker
        self._make_room()
        if ready.note:
            self._announce(ready.note)
        return speaker

    def choose(self, precisions: Precisions) -> list[str]:
        """Opens voices in these from now on, and lets go of those that this changes, which are given back; nothing is opened."""
        before, self.precisions = self.precisions, precisions
        changed = [voice for voice, speaker in self._open.items() if _changes(speaker, before, precisions)]
        for voice in changed:
            self.close(voice)
        self._reported = {voice: why for voice, why in self._reported.items() if voice in self._open}
        return changed

    def announce(self, voice: str) -> None:
        """Reports an open voice as it is now."""
        speaker = self._open[voice]
        self._reported[voice] = speaker.fallback
        self._on_opened(describe_voice(speaker, self.backend, voice))

    def announce_fallback(self) -> None:
        """A device that failed on the way is reported as a voice that now runs elsewhere."""
        voice = next(reversed(self._open), None)
        if voice is not None and self._open[voice].fallback != self._reported.get(voice):
            self.announce(voice)

    def located(self, timing: StageTiming) -> StageTiming:
        """A timing that the voice used last has just taken, with what computed it."""
        return timing if self.speaker is None else self.speaker.located(timing)

    def close(self, voice: str) -> None:
        """Lets one voice go."""
        self._apart = None
        self._open.pop(voice, None)
        self._reported.pop(voice, None)

    def unload(self) -> None:
        """Makes room."""
        self._apart = None
        self._open.clear()

    def terminate(self) -> None:
        """Stops the graph that runs now, from any thread."""
        apart = self._apart
        for speaker in (*self._open.values(), *([apart[2]] if apart is not None else [])):
            speaker.terminate()

    def _opened(self, ready: Ready, backend: str, precisions: Precisions, like: Speaker | None) -> Speaker:
        from app.compose.opening import open_speaker

        stored = self.caches.stored if self.caches is not None else None
        speaker = open_speaker(
            ready.wanted,
            backend,
            force_bert=self.force_bert,
            precision=precisions.bert,
            sound=precisions.sound.of(ready.voice.manifest.id),
            like=like,
            caches=self.caches,
            failures=self._failures,
        )
        self._failures = speaker.failures
        self.caches = speaker.pipeline.caches
        self.caches.stored = self.caches.stored or stored  # which another voice may still need
        return speaker

    def _ready(self, voice: str) -> Ready:
        from app.install.ready import ready_voice
        from app.voices.library import UnknownVoiceError, shipped_voice

        def ask(licence: Licence) -> bool:
            raise LicenceOpenError(licence.voice_id, licence.name, licence.text)

        wanted = voice or shipped_voice()  # a line, and so a project, names voices, but no files
        try:
            return ready_voice(wanted, ask, announce=self._announce, need_bert=self._need_bert, by_path=False)
        except UnknownVoiceError as error:
            raise VoiceError(
                localized("この行の声が見つかりません。", "The voice for this line is missing."),
                localized("右の声のカードで、別の声を選んでください。", "Choose another voice on the voice card on the right."),
            ) from error

    def _need_bert(self, needed: str) -> None:
        from app.paths import bert_dirs
        from app.voices.bert import find_bert

        find_bert(needed, bert_dirs(), force=self.force_bert)

    def _like(self, bert: str) -> Speaker | None:
        """A voice with the same BERT, or else any."""
        newest_first = list(reversed(self._open.values()))
        return next((item for item in newest_first if item.voice.manifest.bert == bert), next(iter(newest_first), None))

    def _make_room(self) -> None:
        while len(self._open) > 1 and (len(self._open) > MOST_VOICES or self._size_bytes() > MOST_BYTES):
            del self._open[next(iter(self._open))]

    def _size_bytes(self) -> int:
        """A BERT that several share counts once."""
        files = {path for speaker in self._open.values() for path in speaker.models.values()}
        return sum(_size(path) for path in files)


def _changes(speaker: Speaker, before: Precisions, after: Precisions) -> bool:
    manifest = speaker.voice.manifest
    return before.bert != after.bert or (manifest.fast is not None and before.sound.of(manifest.id) != after.sound.of(manifest.id))


def _size(path: Path) -> int:
    from app.adapters.ort.optimized_graphs import graph_bytes

    try:
        return graph_bytes(path)
    except OSError:
        return 0
