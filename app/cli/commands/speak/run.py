"""`koebako speak`: text in, a sound file or sound out."""

import argparse
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from app.adapters.pace_store import save_pace
from app.adapters.speech_activity import record_speech
from app.cli.command_files import decode_text, read_named_input, read_piped_input, refuse_existing_file
from app.cli.console_output import choose_json_stream, print_json, print_localized_note, print_note
from app.cli.interrupts import interrupt_handler
from app.cli.progress_display import (
    create_sentence_bar,
    describe_device_preparation,
    describe_speaking,
    describe_synthesized_length,
    show_slow_notice,
)
from app.cli.served_voices import prepare_chosen_voice
from app.common.errors import AppError, AudioDeviceError, InputError
from app.common.language import localize
from app.compose.audio_outputs import open_player, open_sound_file
from app.compose.speaker import Speaker
from app.compose.text_front_end import open_g2p
from app.core.sound.phrase_gate import PhraseGate
from app.core.sound.ports import AudioSink
from app.core.sound.stage_clock import PIPELINE_STAGES, RequestStopped
from app.core.symbols import PUNCTUATION_PHONES
from app.core.synthesis_types import BOUNDS, AudioChunk, Overrides, StageTiming, SynthesisRequest, check_request
from app.engine.engine import Engine, EngineThread, JobHandle
from app.engine.open_voices import OpenVoices
from app.engine.synthesis_jobs import Importance, JobTurn
from app.engine.voice_terms import VoiceTerms, create_opener
from app.voices.installed_voices import find_id_by_name


def read_spoken_text(options: argparse.Namespace) -> str:
    """Return the text, the contents of `-f`, or else standard input; raise InputError if there is none, or if it is no text."""
    if options.text is not None and options.file is not None:
        raise InputError(
            localize("テキストとファイルの両方が指定されています。", "Both a text and a file were given."),
            localize("どちらか一方だけを指定してください。", "Give only one of them."),
        )
    if options.text is not None:
        text = str(options.text)
        if _is_file(text):
            print_localized_note(
                f"「{text}」という名前のファイルがあります。ファイルの内容を読み上げるには -f を付けてください。",
                f"There is a file named “{text}”. To speak its content, use -f.",
            )
    elif options.file is not None:
        text = decode_text(read_named_input(Path(options.file)), options.file)
    else:
        text = decode_text(*read_piped_input())
    if not text.strip():
        raise InputError(
            localize("読み上げるテキストが空です。", "The text is empty."),
            localize('例: koebako speak "こんにちは、世界。"', 'For example: koebako speak "こんにちは、世界。"'),
        )
    return text


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        # A text is no path if it is too long or has a null character.
        return False


@dataclass(slots=True)
class SpeakProgress:
    """The progress of a request since it was accepted: until the first sound and the last chunk reached the sinks, and the seconds of sound."""

    began: float = field(default_factory=time.perf_counter)
    first_audio_ms: float | None = None
    total_ms: float = 0.0
    audio_s: float = 0.0

    def measure_elapsed_ms(self) -> float:
        """Return the milliseconds since the request was accepted."""
        return (time.perf_counter() - self.began) * 1000


def run(options: argparse.Namespace) -> int:
    """Speak; the text is checked before a model is loaded, and the output file before anything is computed."""
    if options.output is not None:
        refuse_existing_file(Path(options.output), may_replace=True, sources=[options.file, options.melody])
    text = read_spoken_text(options)
    melody = Overrides()
    if options.melody is not None:
        from app.cli.commands.speak.melody_file import check_melody, read_melody  # which load all of scripts, for the few who ask for one

        melody = read_melody(Path(options.melody), text)
    check_request(_build_request(options, text))
    voice = prepare_chosen_voice(options)
    terms = VoiceTerms(
        voice,
        options.backend,
        graph_precision=options.precision,
        force_bert=options.force_bert,
        convert=options.backend != "auto",
    )
    with EngineThread(OpenVoices(create_opener(lambda _voice: terms))) as engine:
        speaker = _open_speaker(options, engine)
        request = replace(_build_request(options, text, speaker), overrides=melody)
        if melody.moras:
            check_melody(request, speaker.pipeline)
        SpeakJob(options, engine, speaker, request).run()
    return 0


def _open_speaker(options: argparse.Namespace, engine: Engine) -> Speaker:
    """Return the voice once it can speak, and say where it does so otherwise than it was asked to."""
    front_end = _start_front_end()
    speaker = JobHandle(engine, Importance.HEARD, lambda turn: turn.open_speaker("")).wait_for_result()
    front_end.result()
    # A user who names a device wants that one, and not the CPU until it is ready.
    if options.backend != "auto":
        with show_slow_notice(describe_device_preparation()):
            speaker.wait_for_devices()
    if speaker.fallback:
        print_note(speaker.fallback)
    if options.precision == "fast" and not speaker.fast_graphs:
        print_localized_note(
            "この声とバックエンドでは fast を使えないため、exact で合成します。",
            "This voice has no “fast” on this backend; “exact” is used.",
        )
    return speaker


def _start_front_end() -> Future[None]:
    """Start loading the front end while the graphs are loaded; callers must wait for it, since one thread at a time may read."""
    thread = ThreadPoolExecutor(1, "front end")
    loading = thread.submit(_load_front_end)
    thread.shutdown(wait=False)
    return loading


def _load_front_end() -> None:
    # An error of the front end is reported when it is used.
    with suppress(AppError):
        # Kanji would bring in a second dictionary, so the text has none.
        open_g2p().convert_sentence("はい")


class SpeakJob:
    """Speaks in the engine's thread, so that Ctrl+C is noticed while a graph runs."""

    def __init__(self, options: argparse.Namespace, engine: Engine, speaker: Speaker, request: SynthesisRequest) -> None:
        self._engine, self._speaker = engine, speaker
        self._announced = speaker.fallback
        self._request = request
        rate = speaker.pipeline.voice.sampling_rate
        file = open_sound_file(options.output, rate, options.subtype, options.rate, options.stereo) if options.output is not None else None
        self._player = open_player(options.device, rate) if options.play or options.output is None else None
        self._sinks: list[AudioSink] = [sink for sink in (file, self._player) if sink is not None]
        # It keeps sound back from the player until it can be heard without gaps.
        self._gate = PhraseGate(pace=self._speaker.pipeline.pace, player=self._player) if self._player is not None else None
        self._json = choose_json_stream(["-o", options.output or ""]) if options.json else None
        self._cancelled = threading.Event()
        self._lost: AudioDeviceError | None = None
        self._bar = create_sentence_bar(request.text) if options.output and not options.json else None
        self.progress = SpeakProgress()

    def run(self) -> None:
        """Wait until all is spoken; raise the errors of synthesis and playback."""
        is_silent = self._player is None and self._bar is None and self._json is None
        with interrupt_handler.call_on_interrupt(self.cancel):
            job = JobHandle(self._engine, Importance.HEARD, self._run_pipeline)
            with (
                show_slow_notice(describe_speaking(self._request.text), self._describe_progress) if is_silent else nullcontext(),
                suppress(RequestStopped),
            ):
                job.wait_for_result()
        if self._cancelled.is_set():
            raise KeyboardInterrupt
        save_pace(self._speaker.pipeline.graphs_id, self._speaker.pipeline.pace)
        # A device failed on the way, but all was spoken nevertheless.
        if self._speaker.fallback and self._speaker.fallback != self._announced:
            print_note(self._speaker.fallback)
        if self._json is not None:
            print_json(self._build_report(), self._json)
        if self._lost is not None:
            hint = localize("音声ファイルの書き出しは完了しています。", "The file was written completely.")
            raise AudioDeviceError(self._lost.message, f"{self._lost.hint} {hint}") from self._lost

    def _describe_progress(self) -> str:
        return describe_synthesized_length(self.progress.audio_s)

    def cancel(self) -> None:
        """Stop the running graph and the playing sound; the engine then drops the file, so that no half one stays behind."""
        self._cancelled.set()
        self._speaker.terminate()
        if self._player is not None:
            self._player.abort_output()

    def _run_pipeline(self, _turn: JobTurn) -> None:
        is_whole = False
        try:
            self._record_speech()
            for chunk in self._speaker.pipeline.synthesize(
                self._request, self._report_stage, self._cancelled.is_set, self._measure_queue_s
            ):
                self._deliver_chunk(chunk)
            self.progress.total_ms = self.progress.measure_elapsed_ms()
            for sink in list(self._sinks):
                if not self._cancelled.is_set():
                    self._call_sink(sink, sink.close)
            is_whole = not self._cancelled.is_set()
        finally:
            if not is_whole:
                for sink in self._sinks:
                    sink.abort_output()
            if self._bar is not None:
                self._bar.close()

    def _measure_queue_s(self) -> float:
        return self._player.queued_s if self._player is not None else 0.0

    def _record_speech(self) -> None:
        """Keep what is not urgent from computing while somebody listens."""
        if self._player is not None:
            record_speech()

    def _deliver_chunk(self, chunk: AudioChunk) -> None:
        progress = self.progress
        self._record_speech()
        if not chunk.silence:
            if progress.first_audio_ms is None:
                progress.first_audio_ms = progress.measure_elapsed_ms()
            progress.audio_s += len(chunk.samples) / chunk.sampling_rate
        if self._json is not None:
            line = {"type": "chunk", "sentence": chunk.sentence, "samples": len(chunk.samples), "at_ms": progress.measure_elapsed_ms()}
            print_json(line, self._json)
        for sink in list(self._sinks):
            write_chunk = self._gate.add_chunk if self._gate is not None and sink is self._player else sink.write_chunk
            self._call_sink(sink, partial(write_chunk, chunk))

    def _call_sink(self, sink: AudioSink, call: Callable[[], object]) -> None:
        """Call a sink; a player that disconnects leaves the file to be written to its end."""
        try:
            call()
        except AudioDeviceError as error:
            if len(self._sinks) == 1:
                raise
            sink.abort_output()
            self._sinks.remove(sink)
            self._lost = error

    def _report_stage(self, timing: StageTiming) -> None:
        if self._bar is not None and timing.stage == "text":
            self._bar.update()
        if self._json is not None:
            names = ("sentence", "stage", "ms", "cold", "cache_hit", "tokens", "phones", "frames", "samples")
            print_json({"type": "stage"} | {name: getattr(timing, name) for name in names}, self._json)

    def _build_report(self) -> dict[str, object]:
        progress, manifest = self.progress, self._speaker.voice.manifest
        return {
            "type": "report",
            "voice": manifest.id,
            "speaker": next((item.name for item in manifest.speakers if item.id == self._request.speaker), ""),
            "style": next((item.name for item in manifest.styles if item.id == self._request.style), ""),
            "first_audio_ms": progress.first_audio_ms,
            "wait_ms": self._gate.waited_s * 1000 if self._gate is not None else 0.0,
            "total_ms": progress.total_ms,
            "audio_s": progress.audio_s,
            "rtf": progress.total_ms / 1000 / progress.audio_s if progress.audio_s else None,
            "seed": self._request.seed,
            "backend": {
                stage: self._speaker.backends[stage] for stage in (*PIPELINE_STAGES, "synthesis") if stage in self._speaker.backends
            },
            "fallback": self._speaker.fallback,
            "underruns": self._player.underruns if self._player is not None else None,
        }


def _build_request(options: argparse.Namespace, text: str, speaker: Speaker | None = None) -> SynthesisRequest:
    """Build the request; speaker and style are looked up once the voice is known."""
    values: dict[str, Any] = {name: getattr(options, name) for name in BOUNDS}
    if speaker is not None:
        info = speaker.voice.manifest
        values["speaker"] = find_id_by_name(options.speaker, info.speakers, localize("話者", "speaker"))
        values["style"] = find_id_by_name(options.style, info.styles, localize("スタイル", "style"))
    pauses = dict(_parse_pause(item) for item in options.pause)
    return SynthesisRequest(text, id="cli", latin=options.latin, assist_text=options.assist, pauses=pauses, seed=options.seed, **values)


def _parse_pause(item: str) -> tuple[str, float]:
    """Parse `、=0.2` to (",", 0.2)."""
    mark, _, seconds = item.rpartition("=")
    try:
        return PUNCTUATION_PHONES.get(mark, mark), float(seconds)
    except ValueError as exc:
        raise InputError(
            localize(f"間の指定が正しくありません: {item}", f"This pause is not valid: {item}"),
            localize("例: --pause 、=0.2", "For example: --pause 、=0.2"),
        ) from exc
