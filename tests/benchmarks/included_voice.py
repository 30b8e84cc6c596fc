"""How soon the voices that come with Koebako are heard, for README.md, and what the lab says of the light one, for this folder's page.

On a quiet machine; it takes about three minutes. The natural voice has to be prepared: `koebako voices list` shows it.

python -m tests.benchmarks.included_voice [--runs 20] [--write]
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.bench.stage_timing import BENCH_LINES
from app.compose.speaker_opening import open_speaker
from app.core.sound.phrase_gate import PhraseGate
from app.core.sound.pipeline import Pipeline
from app.core.synthesis_types import AudioChunk, Float32, SynthesisRequest
from app.lab.report_rows import Row
from tests.benchmarks.page import README, put

MAIN = [sys.executable, str(Path(__file__).parents[2] / "main.py")]
VOICE = "mei"
VOICES = {"kokoro": "Kokoro", VOICE: "Mei"}
"""The one that speaks at the first start comes first."""

AUDIBLE_SHARE = 0.01
"""Of a line's greatest sample: 40 dB below it."""

GRAPHS = ("prosody", "flow", "decoder")
WORDS = {
    "en": (
        "",
        "short line ({} characters)",
        "long line ({} characters)",
        "{}: first sound heard",
        "{}: whole line",
        "measured while the machine was busy",
    ),
    "ja": ("", "短い行（{} 文字）", "長い行（{} 文字）", "{}: 聞こえ始めるまで", "{}: 行全体の合成", "他の処理の動作中に測定"),
}


def lab(*arguments: str) -> list[Row]:
    """Rows of a part of the lab, that of the machine first."""
    done = subprocess.run([*MAIN, "lab", *arguments, "--json", "--", VOICE], stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def measured(runs: int) -> dict[str, list[Row]]:
    """Rows of the lab, by part."""
    return {"inspect": lab("inspect"), "expect": lab("expect", "--runs", str(runs))}


@dataclass(frozen=True)
class HeardLine:
    """Milliseconds from the request, medians: to the first sample that a person hears, silence before it included; to the whole line."""

    first_ms: float
    whole_ms: float


def find_heard_ms(pieces: Sequence[tuple[float, Float32]], rate: int) -> float:
    """When the first audible sample is heard, from the second at which each piece was handed to the device."""
    loudest = max(float(np.abs(samples).max(initial=0.0)) for _, samples in pieces)
    plays_s = 0.0
    for handed_s, samples in pieces:
        plays_s = max(plays_s, handed_s)
        audible = np.flatnonzero(np.abs(samples) >= AUDIBLE_SHARE * loudest)
        if len(audible):
            return 1000 * (plays_s + float(audible[0]) / rate)
        plays_s += len(samples) / rate
    raise ValueError("nothing is audible")


class ReadyDevice:
    """A device that takes everything at once and plays it in time; seconds count from when it is made."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.pieces: list[tuple[float, Float32]] = []
        self._ends_s = 0.0

    @property
    def queued_s(self) -> float:
        return max(0.0, self._ends_s - (time.perf_counter() - self.began))

    def write_chunk(self, chunk: AudioChunk) -> None:
        handed_s = time.perf_counter() - self.began + (0.0 if self.queued_s else chunk.delay_s)
        self.pieces.append((handed_s, chunk.samples))
        self._ends_s = max(self._ends_s, handed_s) + len(chunk.samples) / chunk.sampling_rate


def hear_line(pipeline: Pipeline, text: str) -> tuple[float, float]:
    """Milliseconds to the first sound heard and to the whole line, with nothing remembered."""
    pipeline.caches.clear()
    device = ReadyDevice()
    gate = PhraseGate(pace=pipeline.pace, player=device)
    for chunk in pipeline.synthesize(SynthesisRequest(text)):
        gate.add_chunk(chunk)
    whole_ms = 1000 * (time.perf_counter() - device.began)
    return find_heard_ms(device.pieces, pipeline.voice.sampling_rate), whole_ms


def heard(runs: int) -> dict[tuple[str, str], HeardLine]:
    """Of each voice and line; the voices in turns."""
    pipelines = {voice: open_speaker(voice).pipeline for voice in VOICES}
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for pipeline in pipelines.values():
        pipeline.warm_up()
    for _ in range(runs):
        for voice, pipeline in pipelines.items():
            for name, text in BENCH_LINES.items():
                found.setdefault((voice, name), []).append(hear_line(pipeline, text))
    return {key: HeardLine(*map(float, np.median(np.array(times), axis=0))) for key, times in found.items()}


def speed(found: dict[str, list[Row]], lines: Mapping[tuple[str, str], HeardLine], language: str) -> str:
    """The table of README.md."""
    corner, short, long, first, whole, _ = WORDS[language]
    rows = [[corner, *(words.format(len(BENCH_LINES[name])) for words, name in ((short, "short"), (long, "long")))], ["---"] * 3]
    for voice, shown in VOICES.items():
        rows.append([first.format(shown), *(_ms(lines[voice, name].first_ms) for name in BENCH_LINES)])
        rows.append([whole.format(shown), *(_ms(lines[voice, name].whole_ms) for name in BENCH_LINES)])
    return f"{_machine(found, language)}\n\n" + _table(rows)


def by_graph(found: dict[str, list[Row]]) -> str:
    """The table of the page: how large each graph is, and how long it takes."""
    rows = [
        ["graph", "parameters", "size", "multiply-adds", "expected", "measured", "efficiency"],
        ["---"] * 7,
    ]
    for graph in GRAPHS:
        size = next(row for row in found["inspect"] if row["type"] == "graph" and row["graph"] == graph)
        pace = next(row for row in found["expect"] if row.get("part") == graph)
        rows.append(
            [
                graph,
                f"{_figure(size, 'parameters'):,.0f}",
                f"{_figure(size, 'bytes') / 1000:,.0f} kB",
                f"{_figure(pace, 'macs') / 1e6:,.0f} M",
                _ms(_figure(pace, "expected_ms")),
                _ms(_figure(pace, "measured_ms")),
                f"{_figure(pace, 'efficiency'):.0%}",
            ]
        )
    return f"{_machine(found, 'en')}; 61 symbols, 256 frames\n\n" + _table(rows)


def _machine(found: dict[str, list[Row]], language: str) -> str:
    machine = found["expect"][0]
    threads = f"{machine['threads']} スレッド" if language == "ja" else f"{machine['threads']} threads"
    parts = [str(machine["cpu"]), threads, f"ONNX Runtime {machine['ort']}", time.strftime("%Y-%m-%d")]
    busy = any(rows[0]["busy"] for rows in found.values())
    return ("、" if language == "ja" else ", ").join(parts + ([WORDS[language][-1]] if busy else []))


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows)


def _figure(row: Row, name: str) -> float:
    value = row[name]
    assert isinstance(value, int | float)
    return float(value)


def _ms(value: float) -> str:
    return f"{value:.1f} ms" if value < 10 else f"{value:.0f} ms"


def main() -> None:
    """Prints the tables, or writes them into their pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--write", action="store_true", help="into README.md and tests/benchmarks/README.md")
    options = parser.parse_args()
    lines, found = heard(options.runs), measured(options.runs)
    for language in WORDS:
        print(speed(found, lines, language), end="\n\n")
        if options.write:
            put(f"speed_{language}", speed(found, lines, language), README)
    print(by_graph(found))
    if options.write:
        put("included_voice", f"{speed(found, lines, 'en')}\n\n{by_graph(found)}")


if __name__ == "__main__":
    main()
