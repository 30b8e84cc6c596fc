"""Records the inputs that a subject's pipeline gives its graphs for sentences: real text with features of its BERT, noise from the seed.

Also: the same as inputs of the public graph that a voice was cut from.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.graph_session import RunnableSession
from app.bench.multiply_adds import RecordedGraphRun, record_runs
from app.bench.stage_timing import BENCH_LINES, build_bench_request
from app.compose.graph_runner import SYMBOL_TYPES_INPUT
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.synthesis_types import Int64
from app.lab.lab_subject import LabSubject
from app.lab.report_rows import INT8_SUFFIX
from app.voices.prepared_voice import Voice

CallsByGraph = dict[str, list[RecordedGraphRun]]  # graph → one call a sentence, in the same order
PUBLIC_STYLE_WIDTH = 256


@dataclass(frozen=True, slots=True)
class RecordedInputs:
    """Sentences as graphs see them."""

    calls: CallsByGraph  # by exact graph; of the decoder all frames of a sentence at once
    seconds: Mapping[str, float]  # of speech, by sentence; empty for a BERT
    bert: str  # id of the BERT that read; another one than the voice's own where that is not installed
    speaker: Speaker | None = None  # that spoke; None for a BERT

    def find_calls(self, graph: str) -> list[RecordedGraphRun]:
        """Return the inputs of a graph, exact or in int8."""
        return self.calls[graph.removesuffix(INT8_SUFFIX)]


def record_inputs(subject: LabSubject, texts: Mapping[str, str] = BENCH_LINES) -> RecordedInputs:
    """Record the inputs of each graph for each text, on the CPU. Raises InputError where nothing can be spoken or read."""
    subject.require_runnable()
    if subject.bert is not None:
        tokenizer = CharTokenizer(subject.bert.vocabulary)
        calls = [RecordedGraphRun(name, build_bert_values(tokenizer.encode(text))) for name, text in texts.items()]
        return RecordedInputs({"bert": calls}, {}, subject.bert.id)
    assert subject.voice is not None
    voice, speaker = subject.voice, open_subject(subject)
    # Else features would be found on the disk.
    speaker.pipeline.caches.stored = None
    runs_by_graph = record_runs(speaker, {name: build_bench_request(speaker, text) for name, text in texts.items()})
    widest = {graph: _pick_widest_calls(items) for graph, items in runs_by_graph.items() if graph in voice.graphs}
    if "flow" in widest:
        widest["decoder"] = [
            _merge_decode_windows(voice, speaker.sessions, *graph_calls)
            for graph_calls in zip(widest["flow"], widest["decoder"], strict=True)
        ]
        rate, hop = voice.manifest.sampling_rate, voice.manifest.hop_length
        seconds = {call.request: call.values["z"].shape[-1] * hop / rate for call in widest["decoder"]}
    else:
        # Cached results of the pipeline are reused.
        spoken = {name: speaker.pipeline.synthesize(build_bench_request(speaker, text)) for name, text in texts.items()}
        seconds = {name: sum(len(chunk.samples) / chunk.sampling_rate for chunk in chunks) for name, chunks in spoken.items()}
    return RecordedInputs(widest, seconds, speaker.bert, speaker)


def open_subject(subject: LabSubject, device: str = "cpu") -> Speaker:
    """Open the pipeline of a voice; if its own BERT is missing, another one reads for it, for the lab judges no speech."""
    assert subject.voice is not None
    return open_speaker(str(subject.voice.path), device, force_bert=True, precision="float32", graph_precision="exact")


def build_bert_values(ids: Int64) -> dict[str, np.ndarray]:
    """Return the inputs of any BERT for token ids int64 (n,); a graph takes those that it declares."""
    return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}


def _pick_widest_calls(calls: list[RecordedGraphRun]) -> list[RecordedGraphRun]:
    """Return the widest call of each sentence: one of several windows, or the only one."""
    widest: dict[str, RecordedGraphRun] = {}
    for call in calls:
        size = sum(value.size for value in call.values.values())
        before = widest.get(call.request)
        if before is None or size > sum(value.size for value in before.values.values()):
            widest[call.request] = call
    return list(widest.values())


def _merge_decode_windows(
    voice: Voice, sessions: Mapping[str, RunnableSession], flow_call: RecordedGraphRun, window_call: RecordedGraphRun
) -> RecordedGraphRun:
    """Merge the decode windows of a sentence into one call with all frames."""
    z = sessions["flow"].run_graph(dict(flow_call.values), ["z"])[0]
    return replace(
        window_call, values={**window_call.values, **build_decoder_values(z, voice.manifest.hop_length, window_call.values.get("sid", 0))}
    )


def build_decoder_values(z: np.ndarray, hop: int, speaker: Any) -> dict[str, Any]:
    """Return every input that a decoder may take for z (D, F)."""
    frames = z.shape[-1]
    noise = np.random.default_rng(0).standard_normal(frames * hop, dtype=np.float32)
    return {"z": z, "noise": noise, "sid": speaker, "first": np.array([0]), "last": np.array([frames])}


def build_public_inputs(call: RecordedGraphRun, *, multilingual: bool) -> dict[str, np.ndarray]:
    """Return the inputs of the public graph, without noise, for a run of the prosody graph; see `app.compose.graph_runner`."""
    values = call.values
    symbols = values["x_tst"].size
    features = values.get("ja_bert" if multilingual else "bert")
    whole = {
        name: np.asarray(values[name], np.int64).reshape(1, -1)
        for name in ("x_tst", "tones", "language", SYMBOL_TYPES_INPUT)
        if name in values
    }
    case: dict[str, np.ndarray] = {name: np.zeros((1, symbols), np.int64) for name in ("tones", "language", SYMBOL_TYPES_INPUT)} | whole
    case |= {"x_tst_lengths": np.array([symbols]), "sid": np.asarray(values.get("sid", 0)).reshape(1)}
    case["style_vec"] = np.asarray(values.get("style_vec", np.zeros(PUBLIC_STYLE_WIDTH)), np.float32).reshape(1, -1)
    case |= {
        name: np.asarray(value, np.float32)
        for name, value in {"length_scale": 1, "noise_scale": 0, "noise_scale_w": 0, "sdp_ratio": 0}.items()
    }
    if features is not None:
        case["bert"] = features = features.reshape(1, -1, symbols)
        if multilingual:
            case |= {"ja_bert": features, "bert": np.zeros_like(features), "en_bert": np.zeros_like(features)}
    return case
