"""`koebako speak`: text in, a sound file or sound out."""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from app.cli.arguments import json_stream
from app.cli.commands.speak.spoken_text import spoken_text
from app.cli.interruption import interruption
from app.cli.output import json_line, note
from app.cli.voice_choice import chosen_voice
from app.cli.waiting import preparing_device, sentence_bar, slow_notice, sound_so_far, still_speaking
from app.compose.opening import open_speaker
from app.compose.sound import open_file, open_player
from app.compose.speaker import Speaker
from app.compose.text import open_g2p
from app.core.limits import BOUNDS, check_request
from app.core.ports import AudioSink
from app.core.symbols import PUNCTUATION_PHONES
from app.core.timing import STAGES
from app.core.types import AudioChunk, StageTiming, SynthesisRequest
from app.errors import AppError, AudioDeviceError, InputError
from app.language import localized
from app.voices.library import find_named

POLL_S = 0.05  # how soon Ctrl+C is noticed


@dataclass(slots=True)
class Progress:
    """What has happened so far, for the report.

    Attributes:
        began: when the request was accepted, seconds of `time.perf_counter`.
        first_audio_ms: until the first chunk that is not silence was handed to the sinks.
        total_ms: until the last chunk was handed over; playback continues after it.
        audio_s: sound without the silences around it.
    """

    began: float = field(default_factory=time.perf_counter)
    first_audio_ms: float | None = None
    total_ms: float = 0.0
    audio_s: float = 0.0

    def elapsed_ms(self) -> float:
        """Milliseconds since the request was accepted."""
        return (time.perf_counter() - self.began) * 1000


def run(options: argparse.Namespace) -> int:
    """Speaks; the text is checked before a model is loaded, and the output file before anything is computed."""
    text = spoken_text(options)
    check_request(_request(options, text))
    named = options.backend != "auto"
    voice = chosen_voice(options)
    front_end = _front_end()
    speaker = open_speaker(voice, options.backend, sound=options.precision, force_bert=options.force_bert, convert=named)
    front_end.result()
    if named:  # who names a device wants that one, and not the CPU until it is ready
        with slow_notice(preparing_device()):
            speaker.wait_for_devices()
    if speaker.fallback:
        note(speaker.fallback)
    if options.precision == "fast" and not speaker.fast_graphs:
        note(
            localized(
                "この声とバックエンドでは fast を使えないため、exact で合成します。",
                "This voice has no “fast” on this backend; “exact” is used.",
            )
        )
    request = _request(options, text, speaker)
    SpeakJob(options, speaker, request).run()
    return 0


def _front_end() -> Future[None]:
    """Loads what reads text, beside the graphs: opening those leaves Python to others. To be waited for, since one thread at a time may read."""
    thread = ThreadPoolExecutor(1, "front end")
    loading = thread.submit(_load_front_end)
    thread.shutdown(wait=False)
    return loading


def _load_front_end() -> None:
    with suppress(AppError):  # what is wrong with it is said when it is used
        open_g2p().convert("はい")  # without kanji, which would bring in a second dictionary


class SpeakJob:
    """Runs the pipeline in a thread of its own, so that Ctrl+C is noticed while a graph runs.

    Attributes:
        progress: filled while running.
    """

    def __init__(self, options: argparse.Namespace, speaker: Speaker, request: SynthesisRequest) -> None:
        self._speaker = speaker
        self._announced = speaker.fallback
        self._request = request
        rate = speaker.pipeline.voice.sampling_rate
        file = open_file(options.output, rate, options.subtype, options.rate, options.stereo) if options.output is not None else None
        self._player = open_player(options.device, rate) if options.play or options.output is None else None
        self._sinks: list[AudioSink] = [sink for sink in (file, self._player) if sink is not None]
        self._json = json_stream(["-o", options.output or ""]) if options.json else None
        self._cancelled = threading.Event()
        self._done = threading.Event()
        self._error: BaseException | None = None
        self._lost: AudioDeviceError | None = None
        self._bar = sentence_bar(request.text) if options.output and not options.json else None
        self.progress = Progress()

    def run(self) -> None:
        """Waits until all is spoken; raises what the thread raised."""
        with interruption.instead(self.cancel):
            threading.Thread(target=self._work, name="synthesis").start()
            with slow_notice(still_speaking(self._request.text), self._how_far) if self._is_silent() else nullcontext():
                # Not Thread.join: interrupted there, Python 3.11 takes the thread for ended while it still runs.
                while not self._done.wait(POLL_S):
                    pass
        if self._cancelled.is_set():
            raise KeyboardInterrupt
        if self._error is not None:
            raise self._error
        if self._speaker.fallback and self._speaker.fallback != self._announced:  # a device failed on the way; all was spoken nevertheless
            note(self._speaker.fallback)
        if self._json is not None:
            json_line(self._report(), self._json)
        if self._lost is not None:
            hint = localized("音声ファイルの書き出しは完了しています。", "The file was written completely.")
            raise AudioDeviceError(self._lost.message, f"{self._lost.hint} {hint}") from self._lost

    def _is_silent(self) -> bool:
        """Nothing shows that it works: no sound, no bar, no lines."""
        return self._player is None and self._bar is None and self._json is None

    def _how_far(self) -> str:
        return sound_so_far(self.progress.audio_s)

    def cancel(self) -> None:
        """Stops the graph that runs and the sound that plays; the thread then drops the file, so that no half one stays behind."""
        self._cancelled.set()
        self._speaker.terminate()
        if self._player is not None:
            self._player.abort()

    def _work(self) -> None:
        try:
            for chunk in self._speaker.pipeline.synthesize(self._request, self._on_stage, self._cancelled.is_set, self._queued_s):
                self._hand_over(chunk)
            self.progress.total_ms = self.progress.elapsed_ms()
            for sink in list(self._sinks):
                if not self._cancelled.is_set():
                    self._use(sink, sink.close)
        except BaseException as exc:  # handed to the main thread, which raises it
            self._error = exc
        finally:
            if self._error is not None or self._cancelled.is_set():
                for sink in self._sinks:
                    sink.abort()
            if self._bar is not None:
                self._bar.close()
            self._done.set()

    def _queued_s(self) -> float:
        return self._player.queued_s if self._player is not None else 0.0

    def _hand_over(self, chunk: AudioChunk) -> None:
        progress = self.progress
        if not chunk.silence:
            if progress.first_audio_ms is None:
                progress.first_audio_ms = progress.elapsed_ms()
            progress.audio_s += len(chunk.samples) / chunk.sampling_rate
        if self._json is not None:
            line = {"type": "chunk", "sentence": chunk.sentence, "samples": len(chunk.samples), "at_ms": progress.elapsed_ms()}
            json_line(line, self._json)
        for sink in list(self._sinks):
            self._use(sink, partial(sink.write, chunk))

    def _use(self, sink: AudioSink, call: Callable[[], object]) -> None:
        """A player that goes away leaves the file to be written to its end."""
        try:
            call()
        except AudioDeviceError as error:
            if len(self._sinks) == 1:
                raise
            sink.abort()
            self._sinks.remove(sink)
            self._lost = error

    def _on_stage(self, timing: StageTiming) -> None:
        if self._bar is not None and timing.stage == "text":
            self._bar.update()
        if self._json is not None:
            names = ("sentence", "stage", "ms", "cold", "cache_hit", "tokens", "phones", "frames", "samples")
            json_line({"type": "stage"} | {name: getattr(timing, name) for name in names}, self._json)

    def _report(self) -> dict[str, object]:
        progress = self.progress
        return {
            "type": "report",
            "first_audio_ms": progress.first_audio_ms,
            "total_ms": progress.total_ms,
            "audio_s": progress.audio_s,
            "rtf": progress.total_ms / 1000 / progress.audio_s if progress.audio_s else None,
            "seed": self._request.seed,
            "backend": {stage: self._speaker.backends[stage] for stage in (*STAGES, "synthesis") if stage in self._speaker.backends},
            "fallback": self._speaker.fallback,
            "underruns": self._player.underruns if self._player is not None else None,
        }


def _request(options: argparse.Namespace, text: str, speaker: Speaker | None = None) -> SynthesisRequest:
    """The request; speaker and style are looked up once the voice is known."""
    values: dict[str, Any] = {name: getattr(options, name) for name in BOUNDS}
    if speaker is not None:
        info = speaker.voice.manifest
        values["speaker"] = find_named(options.speaker, info.speakers, localized("話者", "speaker"))
        values["style"] = find_named(options.style, info.styles, localized("スタイル", "style"))
    pauses = dict(_pause(item) for item in options.pause)
    return SynthesisRequest(text, id="cli", assist_text=options.assist, pauses=pauses, seed=options.seed, **values)


def _pause(item: str) -> tuple[str, float]:
    """`、=0.2` → (",", 0.2)."""
    mark, _, seconds = item.rpartition("=")
    try:
        return PUNCTUATION_PHONES.get(mark, mark), float(seconds)
    except ValueError as exc:
        raise InputError(
            localized(f"間の指定が正しくありません: {item}", f"This pause is not valid: {item}"),
            localized("例: --pause 、=0.2", "For example: --pause 、=0.2"),
        ) from exc
