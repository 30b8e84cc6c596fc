"""Our path and the reference configuration on the same files: in one process, in turns; memory and loading time in a fresh process each.

The reference is how the closest product computes on a CPU, re-created from its settings: the float16 BERT without optimisation and without
an arena, the voice as one graph without optimisation, one run for the whole text, and nothing remembered. Text is read by our own front
end, so that both speak the same.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.lab_sessions import open_like_reference, open_with_ort_defaults
from app.adapters.ort.ort_synthesizer import OrtBert, OrtSingleGraphSynthesizer
from app.bench.multiply_adds import measure_peak_mb
from app.bench.repeated_runs import SpeedRatio, compute_ratio, list_figures, measure_ms, take_turns
from app.bench.stage_timing import BENCH_LINES, RunFigures, build_bench_request, build_text, run_once
from app.common.errors import InputError, InternalError
from app.common.files import paths
from app.common.files.untrusted_json import parse_object_lines
from app.common.language import localize
from app.common.processes.launch import run_own_program
from app.common.progress import Report, build_part_report
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.compose.text_front_end import open_g2p
from app.core.sound.durations import expand_to_phones
from app.core.sound.ports import BertRunner, SingleGraphInput
from app.core.sound.result_metrics import compute_min_cosine
from app.core.sound.voice_traits import compute_style_vector
from app.core.synthesis_types import Float32, SynthesisRequest
from app.core.text.phone_ids import convert_phones_to_ids
from app.install.install_bert import add_bert, measure_missing_agreements
from app.install.refinement_runs import refine_installed
from app.install.voice_import import ImportOptions, add_voice
from app.install.voice_licence import AskLicence
from app.settings.user_settings import GraphPrecision, PrecisionChoice
from app.voices import prepare
from app.voices.bert_models import VOCABULARY_NAME, read_bert
from app.voices.containers.container_recognition import recognise_container
from app.voices.containers.voice_sources import read_voice_source
from app.voices.pending_refinement import is_refinement_pending
from app.voices.voice_card_data import read_card

FLOAT16_NAME, FLOAT32_NAME = "model_fp16.onnx", "model.onnx"


@dataclass(frozen=True, slots=True)
class OriginalFiles:
    """The files that are compared, as published: a voice in one graph, the float16 BERT, if any, and its float32 file, if any."""

    voice: Path
    bert: Path
    exported: Path | None


@dataclass(frozen=True, slots=True)
class PreparedFiles:
    """The same files prepared: ids in the benchmark's own home, and notes why they are not as fast as they might be."""

    home: Path
    voice: str
    bert: str
    notes: tuple[str, ...] = ()


def find_originals(voice: str | None, bert: str | None) -> OriginalFiles:
    """Return the files that `--voice` and `--bert` name; raise InputError if they name none."""
    graph = _find_file(voice, (FLOAT32_NAME,))
    model = _find_file(bert, (FLOAT16_NAME, FLOAT32_NAME))
    if graph is None or model is None:
        raise InputError(
            localize("比較する元のファイルが見つかりません。", "The original files to compare with were not found."),
            localize(
                "--voice に model.onnx のあるフォルダーか声のファイルを、--bert に model_fp16.onnx のあるフォルダーを指定してください。",
                "Set --voice to a voice file or a folder with model.onnx, and --bert to a folder with model_fp16.onnx.",
            ),
        )
    if recognise_container(graph) == "safetensors":
        # Reported before minutes of work, not after them.
        raise create_no_graph_error(graph)
    exported = model.parent / FLOAT32_NAME
    return OriginalFiles(graph, model, exported if exported.is_file() and exported != model else None)


def create_no_graph_error(voice: Path) -> InputError:
    """Return the error for a voice of weights: only our own program makes graphs of them."""
    return InputError(
        localize(f"この声には比較できるグラフがありません: {voice}", f"This voice has no graph to compare with: {voice}"),
        localize("ONNX 形式の声（.onnx、.aivmx、.sbv2）を指定してください。", "Specify a voice in ONNX format (.onnx, .aivmx, .sbv2)."),
    )


def _find_file(name_or_path: str | None, names: tuple[str, ...]) -> Path | None:
    if name_or_path is None:
        return None
    path = Path(name_or_path)
    candidates = [path] if path.is_file() else [path / name for name in names if (path / name).is_file()]
    return next(iter(candidates), None)


@contextmanager
def use_bench_home() -> Iterator[Path]:
    """Keep all data in a folder of the benchmark's own until the block ends; models that an older program prepared there are removed."""
    root = paths.find_data_dir() / "cache" / "bench"
    home = root / _identify_program()
    for folder in paths.list_subfolders(root):
        if folder != home:
            shutil.rmtree(folder, ignore_errors=True)
    before = os.environ.get(paths.HOME_VARIABLE)
    os.environ[paths.HOME_VARIABLE] = str(home)
    try:
        yield home
    finally:
        if before is None:
            del os.environ[paths.HOME_VARIABLE]
        else:
            os.environ[paths.HOME_VARIABLE] = before


def _identify_program() -> str:
    """Return a name for the program that prepares: models prepared by other code would be measured in vain."""
    sources = sorted(Path(prepare.__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(item.read_bytes() for item in sources)).hexdigest()[:12]


def prepare_files(originals: OriginalFiles, home: Path, confirm: AskLicence, report: Report) -> PreparedFiles:
    """Prepare voice and BERT to the end, unless an earlier run did; raise VoiceError if that is not possible.

    What is refined in the background for a user is finished here, or the figures would be those of the first minutes with a voice.
    """
    bert = add_bert(originals.bert, build_part_report(report, 0.0, 0.2)).bert
    voice = add_voice(originals.voice, ImportOptions(confirm, should_keep_both=True), build_part_report(report, 0.2, 0.3)).voice
    if is_refinement_pending(bert.folder):
        refine_installed(bert, build_part_report(report, 0.3, 0.5))
    if is_refinement_pending(voice.path):
        refine_installed(voice, build_part_report(report, 0.5, 0.95))
    measure_missing_agreements(build_part_report(report, 0.95, 1.0))
    notes = (read_bert(bert.folder).note, *read_card(voice.path).notes)
    return PreparedFiles(home, voice.path.name, bert.id, tuple(filter(None, notes)))


BERT_TOKENS = 20
Turns = Callable[[str], Iterable[int]]

BenchSide = Literal["ours", "reference"]
BENCH_CHILD_LIMIT_S = 600.0


@dataclass(frozen=True, slots=True)
class BertComparisonResult:
    """The result of BERT at BERT_TOKENS."""

    tokens: int
    precision: str  # that a user gets with this voice
    ms: Mapping[str, float]  # median by way: reference, exported, exact, auto
    against_reference: Mapping[str, SpeedRatio]  # against_reference, against_exported: `exact` and `auto` → times faster
    against_exported: Mapping[str, SpeedRatio]
    cosine_min: Mapping[str, float]  # the token whose features are least like the reference's, `exact` and `auto`


@dataclass(frozen=True, slots=True)
class LineComparisonResult:
    """The result of one line. `auto` is the user's setting, `exact` is float32 throughout, `fast` is `auto` with the voice's int8 graphs."""

    line: str
    phones: int  # symbols, blanks counted
    tokens: int
    frames: Mapping[str, int]  # of each way
    ms: Mapping[str, float]  # median by way, the whole line
    first_audio_ms: Mapping[str, float]  # median by way, until the first sound
    first_audio: Mapping[str, SpeedRatio]  # the reference's whole line against our first sound
    whole_line: Mapping[str, SpeedRatio]  # against our whole line
    synthesiser: Mapping[str, SpeedRatio]  # the reference's one graph against our three
    turns: Mapping[str, list[float]] = field(repr=False)  # every turn's total by way

    def build_json_record(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if key != "turns"}


class ReferenceSpeaker:
    """Speaks with the files as they come."""

    def __init__(self, originals: OriginalFiles) -> None:
        voice = read_voice_source(originals.voice)
        if not voice.manifest.is_single_graph:
            raise create_no_graph_error(originals.voice)
        self.bert = OrtBert(open_like_reference(originals.bert, "BERT", has_arena=False), "")
        self.tokenizer = CharTokenizer(originals.bert.parent / VOCABULARY_NAME)
        self._synthesizer = OrtSingleGraphSynthesizer(open_like_reference(voice.graphs["whole"], voice.manifest.name, has_arena=True))
        self._info, self._styles, self._g2p = voice.manifest, voice.style_vectors, open_g2p()

    def speak_request(self, request: SynthesisRequest) -> RunFigures:
        """Return the milliseconds of `bert`, of `synthesis` and in all, and `frames`; the first sound comes with the last."""
        spent: dict[str, float] = defaultdict(float)
        began = time.perf_counter()
        phones = self._g2p.convert_sentence(request.text)
        ids = convert_phones_to_ids(phones, multilingual=self._info.multilingual, add_blank=self._info.add_blank)
        token_ids = self.tokenizer.encode(phones.text)
        before = time.perf_counter()
        tokens = self.bert.run_graph(token_ids)
        spent["bert"] = (time.perf_counter() - before) * 1000
        features = expand_to_phones(tokens, ids.word2ph)
        style = compute_style_vector(self._styles, request.style, request.style_weight)
        before = time.perf_counter()
        samples, _ = self._synthesizer.synthesize(
            SingleGraphInput(
                ids.phones, ids.tones, ids.language, features, style, request.speaker,
                1 / request.speed, request.sdp_ratio, request.noise, request.noise_w,
            )
        )  # fmt: skip
        ended = time.perf_counter()
        spent["synthesis"], spent["total"] = (ended - before) * 1000, (ended - began) * 1000
        spent["first_audio"] = spent["total"]
        spent["frames"] = len(np.atleast_1d(samples)) // self._info.hop_length
        return spent


@dataclass(slots=True)
class ReferenceComparison:
    """Everything that takes turns, opened; ours by way."""

    reference: ReferenceSpeaker
    exported: OrtBert | None
    ours: dict[str, Speaker]

    @classmethod
    def open_comparison(cls, originals: OriginalFiles, prepared: PreparedFiles) -> ReferenceComparison:
        """Open both sides; the benchmark's own home has to be in force."""
        exported = OrtBert(open_with_ort_defaults(originals.exported, "BERT"), "") if originals.exported is not None else None
        return cls(ReferenceSpeaker(originals), exported, open_our_speakers(prepared))

    def measure_bert(self, turns: Turns) -> BertComparisonResult:
        ids = self.reference.tokenizer.encode(build_text(BERT_TOKENS))
        runners: dict[str, BertRunner] = {"reference": self.reference.bert}
        if self.exported is not None:
            runners["exported"] = self.exported
        our_runners = {way: self.ours[way].pipeline.bert for way in ("exact", "auto")}
        runners |= {way: runner for way, runner in our_runners.items() if runner is not None}
        rows: dict[str, Float32] = {}
        ways = {
            way: lambda way=way, runner=runner: {"ms": measure_ms(lambda: rows.update({way: runner.run_graph(ids)}))}
            for way, runner in runners.items()
        }
        ms = {way: list_figures(figures, "ms") for way, figures in take_turns(ways, turns("BERT")).items()}
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
        turn_figures = take_turns(ways, turns(name))
        whole = {way: list_figures(figures, "total") for way, figures in turn_figures.items()}
        first = {way: list_figures(figures, "first_audio") for way, figures in turn_figures.items()}
        phones = self.ours["auto"].pipeline.g2p.convert_sentence(BENCH_LINES[name])
        return LineComparisonResult(
            line=name,
            phones=2 * len(phones.phones) + 1,
            tokens=len(phones.text) + 2,
            frames={way: round(figures[-1]["frames"]) for way, figures in turn_figures.items()},
            ms={way: float(np.median(values)) for way, values in whole.items()},
            first_audio_ms={way: float(np.median(values)) for way, values in first.items()},
            first_audio={way: compute_ratio(whole["reference"], first[way]) for way in self.ours},
            whole_line={way: compute_ratio(whole["reference"], whole[way]) for way in self.ours},
            synthesiser={
                way: compute_ratio(list_figures(turn_figures["reference"], "synthesis"), list_figures(turn_figures[way], "synthesis"))
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
    return "int8" if "int8" in speaker.models["bert"].stem else "float32"


def build_line_request(speaker: Speaker, text: str) -> SynthesisRequest:
    """Return a request for durations without noise, so that both sides speak equally long; the computation stays the same."""
    return replace(build_bench_request(speaker, text), noise_w=0.0, sdp_ratio=0.0)


def compute_overall_ratio(lines: Iterable[LineComparisonResult], way: str) -> SpeedRatio | None:
    """Return the ratio of all lines together, turn by turn; None if there is no such way."""
    results = list(lines)
    if any(way not in item.turns for item in results):
        return None
    slow, fast = (np.sum([item.turns[name] for item in results], axis=0) for name in ("reference", way))
    return compute_ratio(slow.tolist(), fast.tolist())


@dataclass(frozen=True, slots=True)
class ProcessCost:
    """The time until voice and BERT are open, and the memory after both lines were spoken twice, in a process of its own."""

    load_ms: float
    peak_mb: float


def measure_ours(prepared: PreparedFiles) -> ProcessCost:
    began = time.perf_counter()
    speaker = open_bench_speaker(prepared)
    load_ms = (time.perf_counter() - began) * 1000
    for text in (*BENCH_LINES.values(), *BENCH_LINES.values()):
        run_once(speaker, build_line_request(speaker, text), cached=False)
    return ProcessCost(load_ms, measure_peak_mb())


def measure_reference(originals: OriginalFiles) -> ProcessCost:
    began = time.perf_counter()
    reference = ReferenceSpeaker(originals)
    load_ms = (time.perf_counter() - began) * 1000
    for text in (*BENCH_LINES.values(), *BENCH_LINES.values()):
        reference.speak_request(SynthesisRequest(text, noise_w=0.0, sdp_ratio=0.0))
    return ProcessCost(load_ms, measure_peak_mb())


def measure_in_child(side: BenchSide, voice: str, bert: str) -> ProcessCost:
    """Measure a side in a child; `voice` and `bert` are ids for ours, files for the reference."""
    done = run_own_program("bench", "--memory-of", side, "--voice", voice, "--bert", bert, "--json", timeout_s=BENCH_CHILD_LIMIT_S)
    text = done.stdout.decode("utf-8", "replace")
    values = next((line for line in parse_object_lines(text) if {"load_ms", "peak_mb"} <= line.keys()), None)
    if values is None or done.returncode:
        reason = (text.splitlines() or done.stderr.decode("utf-8", "replace").splitlines() or [""])[-1]
        raise InternalError(localize("メモリーの測定に失敗しました。", "Memory use could not be measured."), reason[:300])
    return ProcessCost(values["load_ms"], values["peak_mb"])
