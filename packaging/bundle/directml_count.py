"""Runs in a Windows Python under Wine: speaks with the program's own code on the counting device, and prints what ONNX Runtime asked of it.

    python directml_count.py LIBRARIES VOICE PLACEMENT

LIBRARIES holds the counting device; what is printed is a JSON line, see `rows`. Its numbers are zeros and its times mean nothing: it
tells where nodes are placed, what is compiled, and what is copied.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bundle.beat import Beat

COUNTERS = ("created", "compiled", "compiled_graphs", "initialised", "dispatched", "executed", "copied", "copied_bytes", "resources")
LENGTHS = {
    "bert": "input_ids",
    "prosody": "x_tst",
    "flow": "z_p",
    "decoder": "z",
    "whole": "x_tst",
}  # the input whose last axis is the size
SENTENCES = (
    "はい。", "そうです。", "雨が降る。", "橋を渡る。", "風が強いね。", "今日は晴れです。", "明日も来ますか？", "駅前で待ち合わせ。",
    "猫が窓辺で眠っている。", "電車が少し遅れています。", "図書館で本を三冊借りました。", "新しい靴を買いに行きませんか？",
    "昨日の夜は星がとてもきれいでした。", "コーヒーをもう一杯いただけますか、お願いします。", "山の上から見る景色は、何度見ても飽きません。",
    "会議は三時から始まりますので、資料を用意しておいてください。", "子供のころに住んでいた町を、久しぶりに訪れてみることにしました。",
    "この道をまっすぐ進むと、左側に大きな郵便局があり、その隣が目的の店です。",
    "春になると川沿いの桜が一斉に咲いて、たくさんの人が写真を撮りに集まってきます。",
    "長い旅の終わりに彼は古い手紙を読み返し、書いた人の声を思い出しながら、静かに窓の外を眺めていました。",
)  # fmt: skip
PLACED = re.compile(r"placed on \[(\w+)\]\. Number of nodes: (\d+)")
COPY_NODE = "Add Memcpy"
MARK = "counting: opened "
QUIET_S = 1.0  # of beats before anything opens: what the machine itself leaves out


@dataclass(slots=True)
class Seen:
    """One graph at one size.

    Attributes:
        copied: of a run, the most; without inputs and outputs.
    """

    runs: int = 0
    copied: int = 0
    compiled: int = 0


@dataclass(slots=True)
class Graph:
    """What was seen of one graph.

    Attributes:
        on_cpu: sentences that it was computed on the CPU for, although it was put on the device.
        openings: when its sessions began to be created, and when they were.
    """

    compiled_at_open: int = 0
    openings: list[tuple[float, float]] = field(default_factory=list)
    sizes: dict[int, Seen] = field(default_factory=lambda: defaultdict(Seen))
    on_cpu: set[int] = field(default_factory=set)


class Watch:
    """Reads the counters after every run and every opening; what happened in between belongs to it.

    Attributes:
        sentence: number of the one that is spoken; None while warming up.
        opening: when the voice began to open, and when all of it was open.
    """

    def __init__(self, library: Any) -> None:
        self._library = library
        self._last = self._read()
        self._shape: dict[str, int] = {}
        self.graphs: dict[str, Graph] = defaultdict(Graph)
        self.sentence: int | None = None
        self.opening = (0.0, 0.0)

    def opened(self, name: str) -> None:
        """A session came about: the log says behind this mark whose nodes it has placed before it."""
        change, graph = self._changed(), self.graphs[graph_of(name)]
        graph.compiled_at_open += change["compiled"] + change["compiled_graphs"]
        if self.sentence is not None:  # a size that is opened while speaking
            graph.sizes[0].compiled += change["compiled"] + change["compiled_graphs"]
        os.write(2, f"\n{MARK}{name}\n".encode())

    def fed(self, feed: dict[str, Any]) -> None:
        """The arrays that a session is really run with, padded where it has a fixed size."""
        self._shape = {name: value.shape[-1] for name, value in feed.items() if getattr(value, "ndim", 0)}
        self._inputs = len(feed)

    def ran(self, graph: str, outputs: list[str]) -> None:
        """A session of the speaker has run its graph, wherever that was."""
        change = self._changed()
        if self.sentence is None:
            return
        if not change["executed"]:  # what a session has recorded once is dispatched no more, but executed
            self.graphs[graph].on_cpu.add(self.sentence)
            return
        seen = self.graphs[graph].sizes[self._shape.get(LENGTHS[graph], 0)]
        seen.runs += 1
        seen.compiled += change["compiled"] + change["compiled_graphs"]
        seen.copied = max(seen.copied, change["copied"] - self._inputs - len(outputs))

    def _read(self) -> list[int]:
        values = (ctypes.c_uint64 * len(COUNTERS))()
        self._library.ReadCounters(values)
        return list(values)

    def _changed(self) -> Counter[str]:
        before, self._last = self._last, self._read()
        return Counter({name: now - then for name, now, then in zip(COUNTERS, self._last, before, strict=True)})


def graph_of(name: str) -> str:
    """`Name of a voice: decoder` → `decoder`, as sessions are named in messages."""
    return "bert" if name.startswith("BERT") else name.rsplit(": ", 1)[-1].split(" ", 1)[0]


def main(libraries: str, voice: str, placement: str) -> None:
    """Prints the rows of a voice in a placement."""
    if sys.platform != "win32":
        sys.exit("Only the Windows Python loads these libraries.")
    for name in ("counting", "dxgi", "d3d12", "DirectML"):  # loaded by path first, they are what ONNX Runtime finds by name
        ctypes.WinDLL(f"{libraries}\\{name}.dll")
    watch = Watch(ctypes.WinDLL(f"{libraries}\\counting.dll"))
    from bundle.beat import Beat

    beat, began = Beat(), time.perf_counter()
    time.sleep(QUIET_S)
    quiet_ms = round(beat.longest_ms(began, time.perf_counter()), 1)
    with tempfile.TemporaryFile() as log:
        kept = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            speaker = opened(watch, voice, placement)
            beat.end()
            speak(speaker, watch)
        finally:
            os.dup2(kept, 2)
        log.seek(0)
        log_text = log.read().replace(b"\0", b"").decode("utf-8", "replace")
    gaps = {"quiet_gap_ms": quiet_ms, "voice_gap_ms": round(beat.longest_ms(*watch.opening), 1)}
    found = [row | standstill(beat, watch.graphs[row["graph"]].openings) | gaps for row in rows(speaker, watch, log_text)]
    print(json.dumps({"rows": found, "fallback": speaker.fallback}), flush=True)


def standstill(beat: Beat, openings: list[tuple[float, float]]) -> dict[str, float]:
    """How long another thread of Python was blocked while sessions of a graph were created.

    `longest_gap_ms` and `opened_in_ms` are those of the worst session; `held_share` is the part of its creation for which the thread was
    blocked at the session that was best, for what happens by chance does not happen to all.
    """
    found = [(beat.longest_ms(begin, end), 1000 * (end - begin)) for begin, end in openings]
    gap_ms, took_ms = max(found, default=(0.0, 0.0))
    share = min((gap / took for gap, took in found), default=0.0)
    return {"longest_gap_ms": round(gap_ms, 1), "opened_in_ms": round(took_ms, 1), "held_share": round(share, 2)}


def opened(watch: Watch, voice: str, placement: str) -> Any:
    """A speaker whose sessions are watched, and say where ONNX Runtime places their nodes."""
    from app.adapters.ort import graph_session, runtime_session, session_options
    from app.adapters.ort.devices import device_sessions
    from app.adapters.ort.fixed_shapes import fixed_shape_session
    from app.adapters.ort.runtime_session import enable_unlocked_sessions

    options, made, run, fix = (
        session_options.create_session_options,
        graph_session.GraphSession.__init__,
        graph_session.GraphSession.run_graph,
        device_sessions.open_with_fixed_dims,
    )

    def talkative() -> Any:
        found = options()
        found.log_severity_level = 0
        return found

    def make(self: Any, runtime: Any, name: str, *place: str) -> None:
        made(self, runtime, name, *place)
        watch.opened(name)

    def feed(self: Any, values: dict[str, Any], outputs: Any = None) -> Any:
        watch.fed({name: runtime_session.fit_value(name, values.get(name), *kind) for name, kind in self.inputs.items()})
        return run(self, values, outputs)

    def timed(model: Path | bytes, place: str, name: str, free: dict[str, int]) -> Any:
        began = time.perf_counter()
        try:
            return fix(model, place, name, free)
        finally:
            watch.graphs[graph_of(name)].openings.append((began, time.perf_counter()))

    for module in list(sys.modules.values()):
        if module.__dict__.get("create_session_options") is options:
            module.create_session_options = talkative  # type: ignore[attr-defined]
    graph_session.GraphSession.__init__, graph_session.GraphSession.run_graph = make, feed  # type: ignore[method-assign,assignment]
    device_sessions.open_with_fixed_dims = fixed_shape_session.open_with_fixed_dims = timed  # type: ignore[assignment,attr-defined]

    from app.adapters.ort.devices.failed_devices import FailedDevices
    from app.compose.speaker_opening import open_speaker

    fixed_shape_session.is_close_enough = lambda *_given: True  # type: ignore[attr-defined]  # this device computes nothing, and would be refused for it
    enable_unlocked_sessions()  # as the window does before it opens anything
    unknown = FailedDevices()  # nothing is remembered of this device
    began = time.perf_counter()
    speaker = open_speaker(voice, placement, precision="float32", graph_precision="exact", force_bert=True, failures=unknown)
    speaker.wait_for_devices()
    watch.opening = began, time.perf_counter()
    return speaker


def speak(speaker: Any, watch: Watch) -> None:
    """Warms up as the window does, then speaks every sentence once, nothing remembered."""
    from app.core.synthesis_types import SynthesisRequest

    for graph, session in speaker.sessions.items():
        session.run_graph = watched(watch, graph, session)
    speaker.pipeline.warm_up()
    caches = speaker.pipeline.caches
    caches.stored = None
    for number, text in enumerate(SENTENCES):
        watch.sentence = number
        caches.clear()
        for _chunk in speaker.pipeline.synthesize(SynthesisRequest(text)):
            pass


def watched(watch: Watch, graph: str, session: Any) -> Any:
    """The method of a session that runs its graph, followed by a look at the counters."""
    run = session.run_graph

    def run_graph(values: dict[str, Any], outputs: Any = None) -> Any:
        results = run(values, outputs)
        watch.ran(graph, list(outputs or session.outputs))
        return results

    return run_graph


def rows(speaker: Any, watch: Watch, log: str) -> Iterator[dict[str, Any]]:
    """A row a graph and size: `graph`, `size` (symbols, tokens or frames; 0 stands for all where nothing ran), `nodes_device`, `nodes_cpu`,
    `copies` (between operators, in a run), `compiled_at_open`, `compiled_after_warm_up`, `runs`, `sentences_on_cpu`.
    """
    placed = placements(log)
    for name, session in speaker.sessions.items():
        if session.place == "cpu":
            continue
        seen, nodes = watch.graphs[name], placed.get(name, Counter())
        for size, at in sorted(seen.sizes.items()) or [(0, Seen())]:
            yield {
                "graph": name, "size": size,
                "nodes_device": nodes["DmlExecutionProvider"], "nodes_cpu": nodes["CPUExecutionProvider"],
                "copies": max(nodes["memcpy"], at.copied, 0), "compiled_at_open": seen.compiled_at_open,
                "compiled_after_warm_up": at.compiled, "runs": at.runs, "sentences_on_cpu": len(seen.on_cpu),
            }  # fmt: skip


def placements(log: str) -> dict[str, Counter[str]]:
    """Graph → nodes by provider, and "memcpy"; of several sessions of a graph, the most."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    now: Counter[str] = Counter()
    for line in log.splitlines():
        if line.startswith(MARK):
            if now["DmlExecutionProvider"]:
                found[graph_of(line.removeprefix(MARK))] |= now
            now = Counter()
        elif match := PLACED.search(line):
            now[match[1]] += int(match[2])
        elif COPY_NODE in line:
            now["memcpy"] += 1
    return found


if __name__ == "__main__":
    sys.path[:0] = map(str, Path(__file__).parents[1:3])
    main(*sys.argv[1:])
