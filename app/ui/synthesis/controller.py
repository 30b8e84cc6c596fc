"""Between the widgets and the synthesis thread: asks it to open voices, to speak, to write files and to make takes."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app.core.requests import Cast
from app.core.script import Line
from app.core.types import SynthesisRequest
from app.errors import AppError
from app.ui.synthesis.jobs import (
    ChooseDevice,
    ChoosePrecisions,
    CloseVoice,
    ExportFile,
    ForgetWords,
    Job,
    LinePlace,
    OpenVoice,
    PlaySample,
    Precisions,
    RenderTake,
    Served,
    ServeRequest,
    Speak,
    TakeResult,
)
from app.ui.synthesis.line_reader import ReadLine
from app.ui.synthesis.player import OpenPlayer
from app.ui.synthesis.reports import SpeechReports
from app.ui.synthesis.side_by_side import SideBySide


class SpeechController(SpeechReports):
    """Asks the synthesis thread for work; the newest request to be heard wins, files are always finished."""

    def __init__(self, open_player: OpenPlayer | None = None, parent: QObject | None = None) -> None:
        super().__init__(open_player, parent)
        self._ids = itertools.count(1)
        self._precisions = Precisions()
        self._closed = False

    @Slot()
    def begin(self) -> None:
        """Starts the thread, which does what was asked for until now."""
        self._thread.start()

    def open_voice(self, backend: str, precisions: Precisions, *, hold: bool = True, retry: bool = False) -> None:
        """Opens the first voice, once the thread runs; what is spoken now stops, an opening that has not begun is left out. See `OpenVoice`."""
        self.stop()
        waiting = self._open.openings()
        retry = retry or any(job.retry for job in waiting)
        self._give_up(waiting)
        self._precisions = precisions
        self._post(OpenVoice(backend, hold=hold, retry=retry, precisions=precisions))

    def choose_precisions(self, precisions: Precisions) -> None:
        """Voices speak in these from the next request on; what is spoken now continues. `voices_closed` follows, of those open in others."""
        self._precisions = precisions
        self._post(ChoosePrecisions(precisions))

    def prepare_voice(self, voice: str) -> None:
        """Opens a voice after the running work, so that it speaks at once when it is wanted; a newer wish takes the place of an older one."""
        self._give_up([job for job in self._open.openings() if job.voice not in ("", voice)])
        if self.voice is not None and voice not in self.voices:
            self._post(OpenVoice(self.voice.requested, voice, precisions=self._precisions))

    def close_voice(self, voice: str) -> None:
        """Lets a voice go that changes on the disk; it is reopened when it is wanted."""
        if self.voices.pop(voice, None) is not None:
            self._post(CloseVoice(voice))

    def read_dictionary(self) -> None:
        """The user's dictionary has changed; `words_changed` follows when it counts."""
        self._post(ForgetWords())

    def force_bert(self, force: bool) -> None:
        """See `SynthesisWorker.force_bert`."""
        self._worker.force_bert(force)

    def play_sample(self, file: Path) -> None:
        """Plays a recording; what is spoken now stops."""
        self.stop()
        self._worker.silence()
        self._post(PlaySample(file))

    def choose_device(self, device: str) -> None:
        """Plays on this output from now on; empty follows the system."""
        self.stop()
        self._post(ChooseDevice(device or None))

    def unload_after(self, minutes: float) -> None:
        """The voice makes room after so many minutes without work, counted from the next; 0 is never."""
        self._worker.unload_after_min = minutes

    def level(self) -> tuple[float, float]:
        """Peak and effective value of what sounds now, 1 being full scale."""
        player = self._worker.player
        return player.level if player is not None else (0.0, 0.0)

    def speak(self, request: SynthesisRequest, cast: Cast | None = None) -> str:
        """Speaks a request and returns its id; what is spoken now stops."""
        self.stop()
        return self.speak_next(request, cast)

    def speak_next(
        self,
        request: SynthesisRequest,
        cast: Cast | None = None,
        start: float | LinePlace = 0.0,
        source: object = None,
        *,
        again: bool = False,
    ) -> str:
        """Speaks a request without a gap behind what is spoken now, and returns its id.

        Args:
            start: what is heard of it begins there, seconds from its beginning, or a place in the line.
            again: a loop has come round to it, which is no measurement.
        """
        job = self._begin(request, None, casts=(cast,) if cast else (), measured=not again)
        from_s, place = (0.0, start) if isinstance(start, LinePlace) else (start, None)
        job = replace(job, from_s=from_s, place=place, source=source)
        self._open.spoken.append(job)
        self._post(job)
        return job.request.id

    def play_kept(self, sounds: SideBySide, source: object = None) -> Speak:
        """Plays sounds that are there already; what is spoken now stops. Nothing is measured."""
        self.stop()
        self._worker.silence()
        job = Speak(SynthesisRequest("", id=f"kept-{next(self._ids)}"), time.perf_counter(), kept=sounds, source=source)
        self._open.spoken.append(job)
        self._post(job)
        return job

    def read(self, job: ReadLine) -> None:
        """Reads a line for the eye, which delays nothing; `line_read` carries the answer."""
        if not self._closed:
            self._worker.read(job)

    def save(
        self,
        request: SynthesisRequest,
        file: Path,
        then: Sequence[SynthesisRequest] = (),
        casts: Sequence[Cast] = (),
        *,
        several: bool = False,
    ) -> None:
        """Writes a request, and those that follow it, into a sound file, after what is computed now; see `Speak.several`."""
        self._post(replace(self._begin(request, file, then, casts), several=several))

    def render(
        self,
        line: Line,
        *,
        on_made: Callable[[TakeResult], object],
        on_failed: Callable[[AppError], object],
        quiet: bool = False,
        precisions: Precisions | None = None,
    ) -> RenderTake:
        """Makes the sound of a line as it is, after what is to be heard and before files. See `RenderTake`."""
        job = RenderTake(line, on_made, on_failed, quiet, precisions)
        self._post(job)
        return job

    def stop_rendering(self, jobs: Sequence[RenderTake]) -> None:
        """Gives up takes that are not made yet."""
        self._give_up([job for job in jobs if job in self._open.jobs])

    def serve(self, work: Served) -> ServeRequest:
        """Computes what a client of the service asked for; from any thread, and nobody is notified."""
        job = ServeRequest(work)
        self._worker.post(job)
        return job

    def stop_serving(self, job: ServeRequest) -> None:
        """Stops the graph that runs for a request; from any thread."""
        self._worker.stop_serving(job)

    def export(self, job: ExportFile) -> None:
        """Writes a file of a batch after what is computed now. What is heard goes first at every stage."""
        self._post(job)

    def stop_exporting(self) -> None:
        """Gives up the files of a batch that are not complete; nothing of them stays."""
        self._give_up(self._open.exports())

    def stop_saving(self) -> None:
        """Gives up the files that are not complete; nothing of them stays."""
        self._give_up(self._open.files())
        self._emit_state()

    def close(self) -> None:
        """Stops everything and ends the thread; what it still reports afterwards starts nothing new."""
        self._closed = True
        self._timer.stop()
        if not self._thread.isRunning():
            return
        self.stop()
        self.stop_saving()
        self.stop_exporting()
        self._give_up([*self._open.takes(), *self._open.openings()])
        self._thread.end()

    def _begin(
        self,
        request: SynthesisRequest,
        file: Path | None,
        then: Sequence[SynthesisRequest] = (),
        casts: Sequence[Cast] = (),
        *,
        measured: bool = True,
    ) -> Speak:
        request_id = request.id or f"line-{next(self._ids)}"
        following = tuple(replace(item, id=request_id) for item in then)
        job = Speak(replace(request, id=request_id), time.perf_counter(), file, following, tuple(casts))
        if measured and file is None:  # how long a file takes says nothing of how soon a line is heard
            self._recorder.begin(request_id, request.text, job.voice)
        return job

    def _post(self, job: Job) -> None:
        if self._closed:
            return
        self._open.jobs.append(job)
        self._worker.post(job)
        self._timer.start()
        self._emit_state()
