"""Speaks lines by every route of the program, and by the published model that the natural voice is made from.

The window's and the command line's own route is the pipeline in this process; `export` and the service run as processes of their own, and playing
goes through PortAudio into a null sink. The home of all of them is a folder of the benchmark's.
"""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote
from urllib.request import Request, urlopen

import numpy as np
import onnxruntime
import soundfile

from app.adapters.portaudio.audio_devices import load_portaudio, refresh_devices
from app.common.errors import AudioDeviceError
from app.compose.audio_outputs import open_player
from app.compose.speaker_opening import open_speaker
from app.core.sound.pipeline import Pipeline
from app.core.synthesis_types import SynthesisRequest
from app.install.natural_voice import find_installed_parts
from tests.benchmarks.drawn_melody import Spoken, speak
from tests.benchmarks.hearing_judges import Sound
from tests.null_sink import RATE as SINK_RATE
from tests.null_sink import NullSink

MAIN = [sys.executable, str(Path(__file__).parents[2] / "main.py")]
EDITED_SILENCE_S = 0.05
EDITED_LENGTHS = (1.15, 0.9)
"""Factors of an edited query for the vowels of a line, in turn."""


@dataclass(frozen=True, slots=True)
class Person:
    """A speaker or a blend of an included voice: numbers for the pipeline, names for all others.

    Attributes:
        name: of the speaker, or of the blend, whose speaker is the voice's first.
    """

    voice: str
    name: str
    speaker: int
    style: int
    speaker_name: str
    style_name: str

    def build_request(self, text: str, speed: float) -> SynthesisRequest:
        """Return what the pipeline is asked for."""
        return SynthesisRequest(text, speaker=self.speaker, style=self.style, speed=speed)


@cache
def open_pipeline(voice: str) -> Pipeline:
    """Open a voice, once; nothing of it is kept on the disk."""
    pipeline = open_speaker(voice, "cpu").pipeline
    pipeline.caches.stored = None
    return pipeline


def speak_line(person: Person, text: str, speed: float = 1.0, *, seed: int = 0, variation: float = 0.0) -> Spoken:
    """Return the samples of a line, and the times of its phones."""
    return speak(open_pipeline(person.voice), replace(person.build_request(text, speed), seed=seed, variation=variation))


def speak_lines(person: Person, speed: float, texts: list[str]) -> Iterator[Sound]:
    """Yield each line as the pipeline gives it."""
    for text in texts:
        yield Sound.from_float(speak_line(person, text, speed).samples, open_pipeline(person.voice).voice.sampling_rate)


def export_files(person: Person, speed: float, texts: list[str], folder: Path) -> list[Path]:
    """Export a table of lines; return their sounds, with labels and a cue for each sentence beside them."""
    table = io.StringIO()
    rows = [(str(number), text, person.voice, person.speaker_name, person.style_name, speed) for number, text in enumerate(texts)]
    csv.writer(table).writerows([("id", "text", "voice", "speaker", "style", "speed"), *rows])
    (folder / "lines.csv").write_text(table.getvalue(), encoding="utf-8")
    options = ["--pattern", "$id$", "--subtype", "float", "--sidecars", "lab,srt", "--unit", "sentence", "--existing", "replace"]
    subprocess.run([*MAIN, "export", folder / "lines.csv", "-o", folder / "out", *options], check=True, stdout=subprocess.DEVNULL)
    return [folder / "out" / f"{number}.wav" for number in range(len(texts))]


def export_lines(person: Person, speed: float, texts: list[str]) -> Iterator[Sound]:
    """Yield each line as it is exported."""
    with tempfile.TemporaryDirectory() as folder:
        for file in export_files(person, speed, texts, Path(folder)):
            yield Sound.from_float(*soundfile.read(file, dtype="float32"))


@contextmanager
def serve_voices() -> Iterator[Callable[..., bytes]]:
    """Run `koebako serve`; the value asks it: path and query, and a body, which is sent as JSON."""
    with subprocess.Popen([*MAIN, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        url = json.loads(service.stdout.readline())["url"]

        def ask_service(target: str, body: Any = None) -> bytes:
            content = None if body is None else json.dumps(body).encode()
            with urlopen(Request(f"{url}{target}", content, {"Content-Type": "application/json"})) as answer:
                return bytes(answer.read())

        try:
            yield ask_service
        finally:
            service.terminate()


def find_style_id(person: Person, speakers: list[dict[str, Any]]) -> int:
    """Return the number under which the service offers a person."""
    styles = [style for item in speakers if item["name"] == person.speaker_name for style in item["styles"]]
    return next(int(style["id"]) for style in styles if style["name"] == person.style_name)


def edit_lengths(query: dict[str, Any]) -> dict[str, Any]:
    """Edit a query as clients do: the silences around it, and the length of every vowel."""
    moras = [mora for phrase in query["accent_phrases"] for mora in phrase["moras"]]
    for number, mora in enumerate(moras):
        mora["vowel_length"] *= EDITED_LENGTHS[number % len(EDITED_LENGTHS)]
    return query | {"prePhonemeLength": EDITED_SILENCE_S, "postPhonemeLength": EDITED_SILENCE_S}


def _query_lines(person: Person, speed: float, texts: list[str], edit: Callable[[dict[str, Any]], dict[str, Any]]) -> Iterator[Sound]:
    with serve_voices() as ask_service:
        style = find_style_id(person, json.loads(ask_service("/speakers")))
        for text in texts:
            query = json.loads(ask_service(f"/audio_query?speaker={style}&text={quote(text)}", {}))
            answer = ask_service(f"/synthesis?speaker={style}", edit(query | {"speedScale": speed}))
            yield Sound.from_pcm(*soundfile.read(io.BytesIO(answer), dtype="int16"))


def query_lines(person: Person, speed: float, texts: list[str]) -> Iterator[Sound]:
    """Yield each line as a client of VOICEVOX's interface gets it."""
    return _query_lines(person, speed, texts, lambda query: query)


def query_edited_lines(person: Person, speed: float, texts: list[str]) -> Iterator[Sound]:
    """Yield each line as a client gets it that has edited lengths."""
    return _query_lines(person, speed, texts, edit_lengths)


def request_lines(person: Person, speed: float, texts: list[str]) -> Iterator[Sound]:
    """Yield each line as a client of OpenAI's interface gets it."""
    with serve_voices() as ask_service:
        style = find_style_id(person, json.loads(ask_service("/speakers")))
        for text in texts:
            body = {"model": "koebako", "input": text, "voice": str(style), "response_format": "wav", "speed": speed}
            yield Sound.from_pcm(*soundfile.read(io.BytesIO(ask_service("/v1/audio/speech", body)), dtype="int16"))


def is_playing_possible() -> bool:
    """Return whether sound can be played into a null sink here."""
    try:
        load_portaudio()
    except AudioDeviceError:
        return False
    return all(map(shutil.which, ("pulseaudio", "pactl", "parec")))


def play_lines(person: Person, speed: float, texts: list[str]) -> Iterator[Sound]:
    """Yield each line as a null sink receives it, in real time."""
    pipeline = open_pipeline(person.voice)
    with ExitStack() as opened:
        sink = NullSink(Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="koebako-"))))
        opened.callback(refresh_devices)
        opened.enter_context(patch.dict(os.environ, sink.environment))
        opened.callback(sink.kill)
        sink.start()
        refresh_devices()
        for text in texts:
            with sink.recording() as recorded:
                player = open_player(None, pipeline.voice.sampling_rate)
                for chunk in pipeline.synthesize(person.build_request(text, speed)):
                    player.write_chunk(chunk)
                player.wait_until_played()
                player.close()
            yield Sound.from_float(recorded[0].mean(axis=1), SINK_RATE)


@cache
def open_published_model(threads: int = 0) -> onnxruntime.InferenceSession:
    """Open the joined int8 file that the natural voice is made from, as other programs do; 0 leaves the number of threads to ONNX Runtime."""
    parts = find_installed_parts()
    assert parts is not None, "pip install '.[natural]'"
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(b"".join(part.path.read_bytes() for part in parts), options)


def build_published_feed(pipeline: Pipeline, row: int, text: str, speed: float = 1.0) -> dict[str, np.ndarray]:
    """Return what the published model is given: the tokens of the natural voice, and a row of its style vectors."""
    voice = pipeline.voice
    tokens = voice.encode_phones(pipeline.g2p.convert_sentence(text)).phones
    return {"tokens": tokens[None], "style": voice.style_vectors[row][None], "speed": np.full(1, speed, np.float32)}


def run_published_model(person: Person, speed: float, texts: list[str]) -> Iterator[Sound]:
    """Yield each line by the published model in one piece, with its own melody and the tokens and styles of the natural voice."""
    pipeline = open_pipeline(person.voice)
    voice = pipeline.voice
    row = voice.find_style_row(person.speaker, person.style)
    for text in texts:
        feed = build_published_feed(pipeline, row, text, speed)
        yield Sound.from_float(np.asarray(open_published_model().run(["audio"], feed)[0], np.float32).ravel(), voice.sampling_rate)


PLAYED, PUBLISHED = "play", "published model"
Route = Callable[[Person, float, list[str]], Iterator[Sound]]
ROUTES: dict[str, Route] = {
    "speak": speak_lines,
    "export": export_lines,
    "query": query_lines,
    "edited query": query_edited_lines,
    "openai": request_lines,
    PLAYED: play_lines,
    PUBLISHED: run_published_model,
}
