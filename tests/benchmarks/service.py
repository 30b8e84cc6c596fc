"""How much later a client of the service hears the first sound than the latency graph of the window says of the same line.

    python -m tests.benchmarks.service [--voice ID|PATH] [--bert ID|PATH] [--turns 60] [--phases]

In turns, in one process: the line through the pipeline, whose first audio is what the graph shows, and through each route, from the client's first
byte to the first sample that is not silence. Both begin with nothing remembered, or both right after the query was made. A WAV of several sentences
has no bound: its header tells the length of all, so that all are measured first; PCM waits for the first one only.
"""

from __future__ import annotations

import argparse
import json
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import numpy as np

from app.common.files import paths
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.sound.sentence_stages import SentenceStages
from app.core.synthesis_types import AudioChunk, SynthesisRequest
from app.engine.engine import EngineThread
from app.engine.open_voices import OpenVoices
from app.engine.synthesis_jobs import JobTurn
from app.service.access import AccessRules, bind_sockets
from app.service.http_service import HttpService
from app.service.service_job import JobContext, ServiceJob, ServiceJobQueue
from app.service.speech_server import HttpConnection, SpeechServer
from app.service.style_catalogue import build_catalogue
from app.voices.installed_voices import list_installed_voices

TEXTS = (
    "今日はとてもいい天気なので、歩きます。",
    "今日はとてもいい天気です。駅前の公園まで歩いて、桜を見ました。そのとき、遠くで鐘が鳴りました。",
)
MOST_MS = 5.0
WAVE_HEADER = 44
PHASES = ("received", "begun", "shaped", "decoded", "handed over", "heard")
WAVE_ROUTE = "/v1/speak, WAV"
Trace = dict[str, float]
Asking = Callable[[], tuple[str, bytes]]


def main() -> None:
    """Prints a row a route."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--voice")
    parser.add_argument("--bert")
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--phases", action="store_true", help="where the time goes")
    options = parser.parse_args()
    speaker = open_speaker(options.voice, bert=options.bert, force_bert=options.bert is not None)
    speaker.pipeline.warm_up()
    speaker.pipeline.caches.stored = None
    with served(speaker) as port, Client(port) as client:
        for text in TEXTS:
            print(text)
            for name, route in routes(client, text).items():
                compare(name, route, client, speaker, text, options)


def compare(name: str, ask: Asking, client: Client, speaker: Speaker, text: str, options: argparse.Namespace) -> None:
    """The window and a route in turns, each from the same state of the caches."""
    ours, graph, phases = [], [], defaultdict(list)
    for turn in range(options.turns + 3):
        speaker.pipeline.caches.clear()
        ask()
        shown = first_audio(speaker, text)
        speaker.pipeline.caches.clear()
        heard, trace = client.hear(*ask())
        if turn < 3:  # the first ones import and remember
            continue
        graph.append(shown)
        ours.append(heard)
        for earlier, later in zip(("", *PHASES), PHASES, strict=False):
            phases[later].append((trace[later] - trace.get(earlier, 0.0)) * 1000)
    late = np.subtract(ours, graph)
    verdict = f"at most +{MOST_MS:g}: {'reached' if np.median(late) <= MOST_MS else 'MISSED'}"
    if name == WAVE_ROUTE and text != TEXTS[0]:
        verdict = "no bound"
    print(
        f"  {name}: heard after {np.median(ours):.1f} ms, the graph shows {np.median(graph):.1f} ms:"
        f" {np.median(late):+.2f} ms (p10 {np.percentile(late, 10):+.2f}, p90 {np.percentile(late, 90):+.2f}), {verdict}",
        flush=True,
    )
    if options.phases:
        for word, share in (("median", 50), ("least", 0)):
            print(f"    {word}: " + ", ".join(f"{name} {np.percentile(values, share):.2f}" for name, values in phases.items()), flush=True)


def routes(client: Client, text: str) -> dict[str, Asking]:
    """By name: what brings the caches to where they are when the request comes, and gives it."""
    style = json.loads(client.ask("/speakers"))[0]["styles"][0]["id"]

    def own(form: str) -> Asking:
        body = json.dumps({"text": text, "style_id": style, "format": form}).encode()
        return lambda: ("/v1/speak", body)

    def voicevox(path: str) -> Asking:
        def queried() -> tuple[str, bytes]:
            return f"{path}?speaker={style}", client.ask(f"/audio_query?speaker={style}&text={quote(text)}", b"")

        return queried

    return {
        "/v1/speak, PCM": own("pcm"),
        WAVE_ROUTE: own("wav"),
        "/streaming_synthesis": voicevox("/streaming_synthesis"),
    }


def first_audio(speaker: Speaker, text: str) -> float:
    """As the latency graph measures it, in milliseconds."""
    began = time.perf_counter()
    for chunk in speaker.pipeline.synthesize(SynthesisRequest(text)):
        if not chunk.silence:
            return (time.perf_counter() - began) * 1000
    raise AssertionError


class Client:
    """A connection that is kept, as clients keep theirs, and a trace of what became of its last request."""

    def __init__(self, port: int) -> None:
        self._host = f"127.0.0.1:{port}"
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_error: object) -> None:
        self._socket.close()

    def ask(self, target: str, body: bytes | None = None) -> bytes:
        """The whole answer."""
        return b"".join(self._pieces(target, body))

    def hear(self, target: str, body: bytes) -> tuple[float, Trace]:
        """Milliseconds to the first sample that is not 0, and when each phase was over."""
        TRACE.clear()
        began, heard, header = time.perf_counter(), 0.0, b""
        for piece in self._pieces(target, body):
            if len(header) < WAVE_HEADER and (header or piece).startswith(b"RIFF"):
                header, piece = (header + piece)[:WAVE_HEADER], (header + piece)[WAVE_HEADER:]
            if not heard and any(piece):
                heard = time.perf_counter()
        trace = {name: at - began for name, at in TRACE.items()} | {"heard": heard - began}
        return trace["heard"] * 1000, trace

    def _pieces(self, target: str, body: bytes | None) -> Iterator[bytes]:
        method = "GET" if body is None else "POST"
        content = body or b""
        head = (
            f"{method} {target} HTTP/1.1\r\nHost: {self._host}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        self._socket.sendall(head.encode() + content)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self._more()
        head_bytes, _, rest = answer.partition(b"\r\n\r\n")
        assert head_bytes.startswith(b"HTTP/1.1 200"), answer
        fields = dict(line.lower().split(b": ", 1) for line in head_bytes.split(b"\r\n")[1:])
        yield from self._chunked(rest) if b"transfer-encoding" in fields else self._sized(rest, int(fields[b"content-length"]))

    def _more(self) -> bytes:
        piece = self._socket.recv(1 << 16)
        assert piece, "the service has broken the answer off"
        return piece

    def _sized(self, piece: bytes, left: int) -> Iterator[bytes]:
        while True:
            left -= len(piece)
            yield piece
            if left <= 0:
                return
            piece = self._more()

    def _chunked(self, held: bytes) -> Iterator[bytes]:
        while True:
            while b"\r\n" not in held:
                held += self._more()
            size, _, held = held.partition(b"\r\n")
            count = int(size, 16)
            while len(held) < count + 2:
                held += self._more()
            if not count:
                return
            yield held[:count]
            held = held[count + 2 :]


TRACE: Trace = {}


def _note(name: str) -> None:
    TRACE.setdefault(name, time.perf_counter())


def _traced() -> None:
    """Notes when a request comes to each phase for the first time."""
    received, run, emit, sound = HttpConnection.data_received, ServiceJob.run_work, JobContext.emit_result, SentenceStages.render_chunks

    def on_received(self: HttpConnection, data: bytes) -> None:
        _note("received")
        received(self, data)

    def on_run(self: ServiceJob, turn: JobTurn) -> None:
        _note("begun")
        run(self, turn)

    def on_emit(self: JobContext, item: Any) -> None:
        _note("shaped")
        if "decoded" in TRACE:
            _note("handed over")
        emit(self, item)

    def on_sound(self: SentenceStages) -> Iterator[AudioChunk]:
        for chunk in sound(self):
            _note("decoded")
            yield chunk

    HttpConnection.data_received = on_received  # type: ignore[method-assign]
    ServiceJob.run_work = on_run  # type: ignore[method-assign]
    JobContext.emit_result = on_emit  # type: ignore[method-assign]
    SentenceStages.render_chunks = on_sound  # type: ignore[method-assign]


@contextmanager
def served(speaker: Speaker) -> Iterator[int]:
    """The port of a service of this process, as `koebako serve` runs it."""
    _traced()
    sockets = bind_sockets("127.0.0.1", 0)
    port = sockets[0].getsockname()[1]
    opened = OpenVoices(lambda _opening: speaker)
    thread = EngineThread(opened)
    server = SpeechServer(
        sockets,
        HttpService(
            build_catalogue(list_installed_voices(paths.list_voice_dirs())),
            ServiceJobQueue(thread.engine),
            AccessRules(port),
            opened.is_open,
        ),
    )
    server.start()
    try:
        yield port
    finally:
        server.stop()
        thread.close(5.0)


if __name__ == "__main__":
    main()
