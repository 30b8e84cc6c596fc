"""Our path and the reference configuration on the same files, in one process, in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from app.adapters.ort.optimization_levels import open_with_ort_defaults
from app.adapters.ort.ort_synthesizer import OrtBert
from app.bench.bench_home import OriginalFiles, PreparedFiles
from app.bench.bench_texts import BENCH_LINES, build_text
from app.bench.reference_speaker import ReferenceSpeaker
from app.bench.repeated_runs import SpeedRatio, compute_ratio, list_figures, take_turns
from app.bench.stage_timing import RunFigures, build_bench_request, run_once
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.sound.ports import BertRunner
from app.core.sound.result_metrics import compute_min_cosine
from app.core.synthesis_types import Float32, Int64, SynthesisRequest
from app.settings.graph_precision import GraphPrecision
from app.settings.user_settings import PrecisionChoice

BERT_TOKENS = 20
Turns = Callable[[str], Iterable[int]]


@dataclass(frozen=True, slots=True)
class BertComparisonResult:
    """The result of BERT at BERT_TOKENS.

    Attributes:
        precision: that a user gets with this voice.
        ms: median by way: reference, exported, exact, auto.
        against_reference, against_exported: `exact` and `auto` → times faster.
        cosine_min: the token whose features are least like the reference's, `exact` and `auto`.
    """

    tokens: int
    precision: str
    ms: Mapping[str, float]
    against_reference: Mapping[str, SpeedRatio]
    against_exported: Mapping[str, SpeedRatio]
    cosine_min: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class LineComparisonResult:
    """The result of one line. `auto` is the user's setting, `exact` is float32 throughout, `fast` is `auto` with the voice's int8 graphs.

    Attributes:
        phones: symbols, blanks counted.
        frames: of each way.
        ms: median by way, the whole line.
        first_audio_ms: likewise, until the first sound.
        first_audio: the reference's whole line against our first sound.
        whole_line: against our whole line.
        synthesiser: the reference's one graph against our three.
        turns: every turn's total by way.
    """

    line: str
    phones: int
    tokens: int
    frames: Mapping[str, int]
    ms: Mapping[str, float]
    first_audio_ms: Mapping[str, float]
    first_audio: Mapping[str, SpeedRatio]
    whole_line: Mapping[str, SpeedRatio]
    synthesiser: Mapping[str, SpeedRatio]
    turns: Mapping[str, list[float]] = field(repr=False)

    def build_json_record(self) -> dict[str, Any]:
        """Return the result for a JSON line."""
        return {key: value for key, value in asdict(self).items() if key != "turns"}


@dataclass(slots=True)
class ReferenceComparison:
    """Everything that takes turns, opened.

    Attributes:
        ours: way → speaker.
    """

    reference: ReferenceSpeaker
    exported: OrtBert | None
    ours: dict[str, Speaker]

    @classmethod
    def open_comparison(cls, originals: OriginalFiles, prepared: PreparedFiles) -> ReferenceComparison:
        """Open both sides; the benchmark's own home has to be in force."""
        exported = OrtBert(open_with_ort_defaults(originals.exported, "BERT"), "") if originals.exported is not None else None
        return cls(ReferenceSpeaker(originals), exported, open_our_speakers(prepared))

    def measure_bert(self, turns: Turns) -> BertComparisonResult:
        """Measure BERT alone."""
        ids = self.reference.tokenizer.encode(build_text(BERT_TOKENS))
        runners: dict[str, BertRunner] = {"reference": self.reference.bert}
        if self.exported is not None:
            runners["exported"] = self.exported
        own = {way: self.ours[way].pipeline.bert for way in ("exact", "auto")}
        runners |= {way: runner for way, runner in own.items() if runner is not None}
        rows: dict[str, Float32] = {}
        ways = {way: lambda way=way, runner=runner: _measure_bert_run(way, runner, ids, rows) for way, runner in runners.items()}
        found = take_turns(ways, turns("BERT"))
        ms = {way: list_figures(figures, "ms") for way, figures in found.items()}
        ours = [way for way in ms if way not in ("reference", "exported")]
        return BertComparisonResult(
            tokens=len(ids),
            precision=find_bert_precision(self.ours["auto"]),
            ms={way: float(np.median(values)) for way, values in ms.items()},
            against_reference={way: compute_ratio(ms["reference"], ms[way]) for way in ours},
            against_exported={way: compute_ratio(ms["exported"], ms[way]) for way in ours} if "exported" in ms else {},
            cosine_min={way: compute_min_cosine([rows["reference"]], [rows[way]]) for way in ours},
        )

    def measure_line(self, name: str, turns: Turns) -> LineComparisonResult:
        """Measure one line from text to sound, with empty caches."""
        request = build_line_request(self.ours["auto"], BENCH_LINES[name])
        ways: dict[str, Callable[[], RunFigures]] = {"reference": lambda: self.reference.speak_request(request)}
        ways |= {way: lambda speaker=speaker: run_once(speaker, request, cached=False) for way, speaker in self.ours.items()}  # type: ignore[misc]
        found = take_turns(ways, turns(name))
        whole = {way: list_figures(figures, "total") for way, figures in found.items()}
        first = {way: list_figures(figures, "first_audio") for way, figures in found.items()}
        phones = self.ours["auto"].pipeline.g2p.convert_sentence(BENCH_LINES[name])
        return LineComparisonResult(
            line=name,
            phones=2 * len(phones.phones) + 1,
            tokens=len(phones.text) + 2,
            frames={way: round(figures[-1]["frames"]) for way, figures in found.items()},
            ms={way: float(np.median(values)) for way, values in whole.items()},
            first_audio_ms={way: float(np.median(values)) for way, values in first.items()},
            first_audio={way: compute_ratio(whole["reference"], first[way]) for way in self.ours},
            whole_line={way: compute_ratio(whole["reference"], whole[way]) for way in self.ours},
            synthesiser={
                way: compute_ratio(list_figures(found["reference"], "synthesis"), list_figures(found[way], "synthesis"))
                for way in self.ours
            },
            turns=whole,
        )


def open_our_speakers(prepared: PreparedFiles) -> dict[str, Speaker]:
    """Return speakers by way; `fast` only if graphs of the voice passed their check in int8."""
    ours = {"auto": open_bench_speaker(prepared), "exact": open_bench_speaker(prepared, precision="float32")}
    faster = open_bench_speaker(prepared, graph_precision="fast", reuse_from=ours["auto"])
    return ours | ({"fast": faster} if faster.fast_graphs else {})


def open_bench_speaker(
    prepared: PreparedFiles,
    precision: PrecisionChoice = "auto",
    graph_precision: GraphPrecision = "exact",
    reuse_from: Speaker | None = None,
) -> Speaker:
    """Open a speaker as a user has it, except that features are never taken from the disk."""
    speaker = open_speaker(
        prepared.voice,
        "cpu",
        bert=prepared.bert,
        force_bert=True,
        precision=precision,
        graph_precision=graph_precision,
        reuse_from=reuse_from,
    )
    speaker.pipeline.caches.stored = None
    return speaker


def find_bert_precision(speaker: Speaker) -> str:
    """Return the precision that its BERT runs in."""
    return "int8" if "int8" in speaker.models["bert"].stem else "float32"


def build_line_request(speaker: Speaker, text: str) -> SynthesisRequest:
    """Return a request for durations without noise, so that both sides speak equally long; the computation stays the same."""
    return replace(build_bench_request(speaker, text), noise_w=0.0, sdp_ratio=0.0)


def compute_overall_ratio(lines: Iterable[LineComparisonResult], way: str) -> SpeedRatio | None:
    """Return the ratio of all lines together, turn by turn; None if there is no such way."""
    known = list(lines)
    if any(way not in item.turns for item in known):
        return None
    slow, fast = (np.sum([item.turns[name] for item in known], axis=0) for name in ("reference", way))
    return compute_ratio(slow.tolist(), fast.tolist())


def _measure_bert_run(way: str, runner: BertRunner, ids: Int64, rows: dict[str, Float32]) -> RunFigures:
    began = time.perf_counter()
    rows[way] = runner.run_graph(ids)
    return {"ms": (time.perf_counter() - began) * 1000}
