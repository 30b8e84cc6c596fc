"""A check of the built program: other programs speak to it over HTTP."""

import io
import json
import signal
import subprocess
import threading
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
import soundfile
from bundle.command import kill
from bundle.expectations import CUT, TEXT
from bundle.program import Program

LISTENING_S = 60
ANSWER_S = 60
ENDED_S = 10
INTERRUPTED = 130
QUIET = 0.05


def serves(program: Program, folder: Path) -> str:
    """Other programs speak to it over HTTP."""
    began = time.perf_counter()
    process = program.start("koebako-cli", ["serve", "--port", "0", "--json"], {"KOEBAKO_HOME": str(folder / "home")})
    try:
        address = _address(process)
        listening_s = time.perf_counter() - began
        version, speakers, audio_s, first_s = _conversation(address)
    except BaseException:
        print(kill(process)[-CUT:], flush=True)
        raise
    return (
        f"version {version}, {speakers} speakers, listening after {listening_s:.1f} s; "
        f"{audio_s:.1f} s of sound as long as its query, {first_s:.1f} s after it; {_end(process, program)}"
    )


def _address(process: subprocess.Popen[str]) -> str:
    """What it prints when it listens."""
    lines: list[str] = []
    assert process.stdout is not None
    reader = threading.Thread(target=lambda: lines.append(process.stdout.readline()), daemon=True)  # type: ignore[union-attr]
    reader.start()
    reader.join(LISTENING_S)
    assert any(lines), f"it did not listen within {LISTENING_S} s (exit code {process.poll()})"
    said = json.loads(lines[0])
    assert said["type"] == "listening", said
    return str(urlsplit(said["url"]).netloc)


def _conversation(address: str) -> tuple[str, int, float, float]:
    """As a chat reader has it: version, number of speakers, length of the sound in seconds, seconds that the sound took."""
    version = str(json.loads(_ask(address, "GET", "/version")))
    speakers = json.loads(_ask(address, "GET", "/speakers"))
    style = speakers[0]["styles"][0]["id"]
    content = _ask(address, "POST", f"/audio_query?speaker={style}&text={quote(TEXT)}")
    began = time.perf_counter()
    sound = _ask(address, "POST", f"/synthesis?speaker={style}", content)
    took_s = time.perf_counter() - began
    samples, rate = soundfile.read(io.BytesIO(sound), dtype="float32")
    query = json.loads(content)
    assert rate == query["outputSamplingRate"], rate
    assert samples.ndim == 1, samples.shape
    told_s, heard_s = _length_s(query), len(samples) / rate
    assert abs(told_s - heard_s) <= 512 / rate, f"{heard_s:.3f} s of sound for a query of {told_s:.3f} s"
    assert float(np.abs(samples).max()) > QUIET, "silence"
    return version, len(speakers), heard_s, took_s


def _ask(address: str, method: str, target: str, body: bytes | None = None) -> bytes:
    connection = HTTPConnection(address, timeout=ANSWER_S)
    try:
        connection.request(method, target, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()
    assert answer.status == 200, f"{method} {target[:40]}: {answer.status} {content[:CUT]!r}"
    return content


def _length_s(query: dict[str, Any]) -> float:
    """Of the sound, as clients compute it."""
    phrases = query["accent_phrases"]
    moras = [mora for phrase in phrases for mora in (*phrase["moras"], *filter(None, [phrase["pause_mora"]]))]
    inner = sum(mora["vowel_length"] + (mora["consonant_length"] or 0.0) for mora in moras)
    return float(query["prePhonemeLength"] + inner + query["postPhonemeLength"])


def _end(process: subprocess.Popen[str], program: Program) -> str:
    """As Ctrl+C does, which programs in the background of a script are deaf to; nothing sends either to a program of Windows that has pipes."""
    if program.windows:
        kill(process)
        return "killed"
    began = time.perf_counter()
    process.send_signal(signal.SIGTERM)
    try:
        _, said = process.communicate(timeout=ENDED_S)
    except subprocess.TimeoutExpired as exc:
        raise AssertionError(f"it did not end within {ENDED_S} s: {kill(process)[-CUT:]}") from exc
    assert process.returncode == INTERRUPTED, f"exit code {process.returncode}: {said[-CUT:]}"
    assert "Traceback" not in said, said[-CUT:]
    return f"ended {(time.perf_counter() - began) * 1000:.0f} ms after SIGTERM"
