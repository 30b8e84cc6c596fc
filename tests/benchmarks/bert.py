"""How many times faster the lean BERT is than the files it is made from.

    python -m tests.benchmarks.bert SOURCE_FOLDER BERT_FOLDER [--tokens 7,20,42,102] [--runs 20]

SOURCE_FOLDER holds model_fp16.onnx and model.onnx, BERT_FOLDER what `koebako bert add` made of one of them. All sessions take turns, so
that each finds its weights cold, as between the graphs of a voice. Ratios are of runs in the same turn: median and quartiles.

"reference" re-creates the settings of one product: the float16 file, no optimisation, no arena. "exported" is the float32 file with
all optimisations. "exact" is the lean graph in float32, "int8" the one with int8 products: nobody should mistake one for the other.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import onnxruntime as ort

from app.adapters.ort.session_options import count_intra_threads
from app.voices.bert_models import read_bert


def session(path: Path, *, reference: bool = False) -> ort.InferenceSession:
    """A session as the product opens it, or as the reference does."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = count_intra_threads()
    options.log_severity_level = 4
    if reference:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.enable_cpu_mem_arena = False
    else:
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run(opened: ort.InferenceSession, ids: np.ndarray) -> tuple[float, np.ndarray]:
    """Seconds and features (n, width)."""
    feed = {}
    for item in opened.get_inputs():
        values = np.ones_like(ids) if item.name == "attention_mask" else np.zeros_like(ids) if item.name == "token_type_ids" else ids
        feed[item.name] = values[np.newaxis] if len(item.shape) == 2 else values
    began = time.perf_counter()
    (rows,) = opened.run(None, feed)
    return time.perf_counter() - began, rows


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    """Of the rows that are least alike."""
    return float(((a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)).min())


def quartiles(values: list[float]) -> list[float]:
    """25 %, 50 %, 75 %."""
    return [round(float(value), 2) for value in np.percentile(values, [25, 50, 75])]


def measure(sessions: dict[str, ort.InferenceSession], tokens: int, runs: int) -> dict[str, object]:
    """One line of the result."""
    ids = np.random.default_rng(tokens).integers(5, 500, size=tokens)
    times: dict[str, list[float]] = {name: [] for name in sessions}
    rows = {}
    for turn in range(runs + 2):
        for name, opened in sessions.items():
            seconds, rows[name] = run(opened, ids)
            if turn >= 2:  # the first runs of a length set up memory
                times[name].append(seconds)
    line: dict[str, object] = {"tokens": tokens, "ms": {name: round(1000 * float(np.median(values)), 1) for name, values in times.items()}}
    for base in ("reference", "exported"):
        for name in ("exact", "int8"):
            if name in times:
                line[f"{name}_against_{base}"] = quartiles([a / b for a, b in zip(times[base], times[name], strict=True)])
    line["cosine_min"] = {name: round(cosine(rows["exported"], rows[name]), 6) for name in ("exact", "int8") if name in rows}
    return line


def main() -> None:
    """Prints a JSON line a length."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("bert", type=Path)
    parser.add_argument("--tokens", default="7,20,42,102")
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    lean = read_bert(options.bert)
    sessions = {
        "reference": session(options.source / "model_fp16.onnx", reference=True),
        "exported": session(options.source / "model.onnx"),
        "exact": session(lean.graphs["float32"]),
    }
    if "int8" in lean.graphs:
        sessions["int8"] = session(lean.graphs["int8"])
    print(json.dumps({"ort": ort.__version__, "threads": count_intra_threads(), "turns": options.runs}))
    for tokens in options.tokens.split(","):
        print(json.dumps(measure(sessions, int(tokens), options.runs)), flush=True)


if __name__ == "__main__":
    main()
