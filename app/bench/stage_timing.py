"""Times the stages of one or several speakers, in turns: cold, warm, and with text and features remembered.

Here are also the texts that are spoken, the longest times by the product's own guide, and the lengths where backends change places.
"""

import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np

from app.adapters.ort.backends import is_on_processor
from app.bench.multiply_adds import GraphWorkload, ProcessorPeak
from app.common.errors import InputError
from app.common.language import localize
from app.compose.speaker import Speaker
from app.core.sound.stage_clock import PIPELINE_STAGES, SINGLE_GRAPH_STAGES
from app.core.synthesis_types import StageTiming, SynthesisRequest

CACHE_STATES = ("cold", "warm", "cached")
RunFigures = Mapping[str, float]

SYNTHESIS = ("prosody", "flow", "decode")
CPU_MS = {"g2p": 50.0, "bert": 300.0, "expand": 20.0, "synthesis": 200.0, "audio": 10.0, "total": 580.0}
GPU_MS = {"g2p": 30.0, "bert": 50.0, "expand": 5.0, "synthesis": 50.0, "audio": 5.0, "total": 140.0}

BENCH_LINES = {
    "short": "今日の朝は公園を歩きますね。",
    "long": "新しい図書館は、来月の十五日に開館する予定で、児童書や専門書など三十万冊を所蔵します。",
}
"""61 and 211 symbols with blanks, 16 and 45 BERT tokens; real speech has about 3.1 frames a symbol, so 2.2 s and 7.6 s."""
BENCH_SENTENCE = "今日はとてもいい天気なので、駅前の公園まで歩いて行って、友達と写真を撮りました。夕方には家に帰って、温かいお茶を飲みながら本を読みました。"


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRow:
    """One stage, or several together, of one text on one backend, with text and caches in one state."""

    tokens: str  # see `BenchMeasurement.text`
    state: str
    stage: str
    runs: int
    mean_ms: float
    median_ms: float
    p95_ms: float
    p99_ms: float
    min_ms: float
    rtf: float | None  # of all stages together
    backend: str
    target_ms: float | None
    gmac: float | None  # gmac, expected_ms: work of a warm run, and the least that it takes
    expected_ms: float | None


STAGE_TABLE_COLUMNS = tuple(item.name for item in fields(StageRow))


def find_target_ms(row: str, backends: Mapping[str, str]) -> float | None:
    """Return the target of a stage, of `synthesis` (all graphs of the voice) or of `total` by where each stage runs; None if the guide has none."""
    return (CPU_MS if is_on_processor(find_row_backend(row, backends)) else GPU_MS).get(row)


def find_row_backend(row: str, backends: Mapping[str, str]) -> str:
    """Return where it runs; the whole counts as its decoder does, and what is no graph as the CPU's."""
    decoder = backends.get("decode", backends.get("synthesis", "cpu"))
    return decoder if row in ("synthesis", "total") else backends.get(row, "cpu")


def list_rows(*, is_single_graph: bool) -> tuple[str, ...]:
    """Return what is measured of a voice, in order: its stages, all of its graphs together, the first sound, and the whole."""
    stages = (
        SINGLE_GRAPH_STAGES
        if is_single_graph
        else (*PIPELINE_STAGES[: PIPELINE_STAGES.index("decode") + 1], "synthesis", *PIPELINE_STAGES[PIPELINE_STAGES.index("decode") + 1 :])
    )
    return (*stages, "first_audio", "total")


@dataclass(slots=True)
class BenchMeasurement:
    """One text spoken on one backend."""

    text: str  # "20" for so many tokens, or the name of a line
    backend: str  # as it was asked for
    ran_on: Mapping[str, str]
    is_single_graph: bool
    # State → for each run milliseconds by stage, `first_audio`, `total`, and `audio_s`.
    figures: dict[str, list[RunFigures]] = field(default_factory=lambda: defaultdict(list))
    workloads: Mapping[str, GraphWorkload] = field(default_factory=dict)  # multiply-adds by stage, where they were counted

    def compute_median(self, state: str, row: str) -> float:
        return float(np.median([figures.get(row, 0.0) for figures in self.figures[state]]))

    def build_rows(self, peak: ProcessorPeak | None) -> list[StageRow]:
        """Return what is printed of it, with the columns of COLUMNS."""
        return [self._build_row(state, row, peak) for state in CACHE_STATES for row in list_rows(is_single_graph=self.is_single_graph)]

    def _build_row(self, state: str, stage: str, peak: ProcessorPeak | None) -> StageRow:
        values = [figures.get(stage, 0.0) for figures in self.figures[state]]
        p50, p95, p99 = (float(value) for value in np.percentile(values, (50, 95, 99)))
        audio_s = float(np.median([figures["audio_s"] for figures in self.figures[state]]))
        work = self.find_workload(stage) if state == "warm" else None
        is_measured_here = is_on_processor(find_row_backend(stage, self.ran_on))  # whose peak was measured
        return StageRow(
            tokens=self.text,
            state=state,
            stage=stage,
            runs=len(values),
            mean_ms=float(np.mean(values)),
            median_ms=p50,
            p95_ms=p95,
            p99_ms=p99,
            min_ms=min(values),
            rtf=p50 / 1000 / audio_s if stage == "total" and audio_s else None,
            backend=self.backend,
            target_ms=find_target_ms(stage, self.ran_on),
            gmac=work.gmac if work is not None else None,
            expected_ms=peak.compute_expected_ms(work) if work is not None and peak is not None and is_measured_here else None,
        )

    def find_workload(self, row: str) -> GraphWorkload | None:
        """Return the multiply-adds of a stage or of several; None if none were counted."""
        parts = SYNTHESIS if row == "synthesis" and not self.is_single_graph else tuple(self.workloads) if row == "total" else (row,)
        workloads = [self.workloads[part] for part in parts if part in self.workloads]
        return sum(workloads, GraphWorkload()) if workloads else None


def build_bench_request(speaker: Speaker, text: str) -> SynthesisRequest:
    """Return a request that any voice can speak, without silences."""
    voice = speaker.pipeline.voice
    style, speaker_id = min(voice.styles, default=0), min(voice.speakers, default=0)
    return SynthesisRequest(text, style=style, speaker=speaker_id, pre_silence_s=0, post_silence_s=0)


def measure_text(
    speakers: Mapping[str, Speaker], name: str, text: str, turns: Callable[[int], Iterable[int]], *, runs: int, warmup: int
) -> list[BenchMeasurement]:
    """Speak a text on every backend: cold once, then in turns warm and with cached results; `turns` makes the loop, and may show how far it is."""
    measurements = {}
    for backend, speaker in speakers.items():
        speaker.pipeline.warm.clear()
        # Else a warm run would find its features on the disk.
        speaker.pipeline.caches.stored = None
        measurements[backend] = BenchMeasurement(name, backend, speaker.backends, speaker.pipeline.is_single_graph)
        measurements[backend].figures["cold"].append(run_once(speaker, build_bench_request(speaker, text), cached=False))
    for turn in turns(warmup + runs):
        for state in ("warm", "cached"):
            for backend, speaker in speakers.items():
                figures = run_once(speaker, build_bench_request(speaker, text), cached=state == "cached")
                if turn >= warmup:
                    measurements[backend].figures[state].append(figures)
    return list(measurements.values())


def run_once(speaker: Speaker, request: SynthesisRequest, *, cached: bool) -> RunFigures:
    """Return milliseconds by stage, to the first audio and in all; `audio_s` of sound, and its `frames`. Sound is never taken from a cache."""
    pipeline = speaker.pipeline
    if cached:
        pipeline.caches.forget_sound()
    else:
        pipeline.caches.clear()
    spent: dict[str, float] = defaultdict(float)

    def add_timing(timing: StageTiming) -> None:
        spent[timing.stage] += timing.ms
        if timing.stage in ("flow", "synthesis"):
            spent["frames"] += timing.frames

    began = time.perf_counter()
    for chunk in pipeline.synthesize(request, add_timing):
        if not chunk.silence:
            spent.setdefault("first_audio", (time.perf_counter() - began) * 1000)
            spent["audio_s"] += len(chunk.samples) / chunk.sampling_rate
    spent["total"] = (time.perf_counter() - began) * 1000
    if not pipeline.is_single_graph:
        spent["synthesis"] = sum(spent[stage] for stage in SYNTHESIS)
    return spent


@dataclass(frozen=True, slots=True)
class BackendCrossover:
    """From `tokens` on (between two lengths that were measured) `above` is faster than `below`."""

    tokens: float
    below: str
    above: str


def parse_backends(text: str) -> list[str]:
    """Return what `--backend` names: one placement, or several backends with commas between them."""
    names = [text] if "=" in text else list(dict.fromkeys(item.strip() for item in text.split(",")))
    if not all(names):
        raise InputError(
            localize(f"バックエンドの指定「{text}」が正しくありません。", f"“{text}” is not a valid list of backends."),
            localize("例: cpu,openvino", "For example: cpu,openvino"),
        )
    return names


def find_fastest_backends(results: Sequence[BenchMeasurement]) -> dict[str, str]:
    """Return by text the backend that spoke it fastest, warm."""
    texts = dict.fromkeys(item.text for item in results)
    return {text: min((item for item in results if item.text == text), key=_find_total_ms).backend for text in texts}


def find_crossovers(results: Sequence[BenchMeasurement]) -> list[BackendCrossover]:
    """Return where two backends change places, on a straight line between measured lengths."""
    lengths = sorted({int(item.text) for item in results if item.text.isdecimal()})
    total = {(item.backend, int(item.text)): _find_total_ms(item) for item in results if item.text.isdecimal()}
    backends = dict.fromkeys(item.backend for item in results)
    crossings = []
    for (first, second), (short, long) in itertools.product(itertools.combinations(backends, 2), itertools.pairwise(lengths)):
        gap_before, gap_after = (total[first, length] - total[second, length] for length in (short, long))
        if gap_before * gap_after < 0:
            tokens = short + (long - short) * gap_before / (gap_before - gap_after)
            crossings.append(BackendCrossover(tokens, *((first, second) if gap_before < 0 else (second, first))))
    return crossings


def _find_total_ms(item: BenchMeasurement) -> float:
    return item.compute_median("warm", "total")


def build_text(tokens: int) -> str:
    """Return a text that BERT reads as so many tokens, [CLS] and [SEP] among them."""
    length = max(1, tokens - 2)
    return (BENCH_SENTENCE * (length // len(BENCH_SENTENCE) + 1))[:length]
