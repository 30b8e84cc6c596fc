"""How long a BERT of real size takes until it can be used, and until it is fully prepared, in processor seconds, seconds and memory.

    python -m tests.benchmarks.bert_import FOLDER [--file model_fp16.onnx] [--turns 3] [--make VOCABULARY_FOLDER]

FOLDER holds the model and its vocabulary; with `--make` a model of random weights in the size of the BERT that SBV2 voices use is written
there first, as a float16 and as a float32 file. Each turn adds the model to an empty library twice, with `bert add` and `bert add --wait`,
each in a process of its own; processor seconds are those of it and all of its children. A version without `--wait` is measured with
`--old`, in turns by a shell loop.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from unittest import mock

import onnx
import psutil
from onnxruntime.transformers.float16 import convert_float_to_float16

from app.install.install_bert import STANDARD_BERT_SIZES
from tests.tiny_models import public_bert

assert sys.platform == "linux"

POLL_S = 0.05


def make_real_size(folder: Path, vocabulary: Path) -> None:
    """Writes model.onnx and model_fp16.onnx of random weights, with the vocabulary beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    layers, heads, hidden, inner = STANDARD_BERT_SIZES
    tokens = len((vocabulary / "vocab.txt").read_text(encoding="utf-8").splitlines())
    sizes: dict[str, Any] = {"VOCABULARY": tokens, "HIDDEN": hidden, "INNER": inner, "HEADS": heads, "LAYERS_READ": layers}
    with mock.patch.multiple(public_bert, **sizes):
        graph = public_bert.make_public_bert(public_bert.make_bert_weights())
    onnx.save(graph, str(folder / "model.onnx"))
    half = convert_float_to_float16(
        graph, keep_io_types=True, disable_shape_infer=True, force_fp16_initializers=True, op_block_list=["Range"]
    )
    onnx.save(half, str(folder / "model_fp16.onnx"))
    shutil.copyfile(vocabulary / "vocab.txt", folder / "vocab.txt")


def measure_command(arguments: list[str], home: Path) -> dict[str, float]:
    """Seconds, processor seconds and the most memory of its own that a process of `koebako` and its children have."""
    before, began, peak = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter(), 0
    environment = os.environ | {"KOEBAKO_HOME": str(home)}
    with subprocess.Popen([sys.executable, "main.py", *arguments], stdout=subprocess.DEVNULL, env=environment) as child:
        done = threading.Event()

        def watch() -> None:
            nonlocal peak
            while not done.wait(POLL_S):
                try:
                    parent = psutil.Process(child.pid)
                    family = [parent, *parent.children(recursive=True)]
                    memory = [item.memory_info() for item in family]
                except psutil.Error:
                    continue
                peak = max(peak, sum(item.rss - item.shared for item in memory))

        watcher = threading.Thread(target=watch)
        watcher.start()
        code = child.wait()
        seconds = time.perf_counter() - began
        done.set()
        watcher.join()
    if code:
        raise SystemExit(f"{arguments}: exit code {code}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": round(seconds, 1), "processor_s": round(used, 1), "peak_mb": round(peak / 1e6)}


def main() -> None:
    """Prints a JSON line a run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--file", default="model_fp16.onnx")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--make", type=Path, metavar="VOCABULARY_FOLDER")
    parser.add_argument("--old", action="store_true", help="a version that does all at once")
    options = parser.parse_args()
    if options.make is not None:
        make_real_size(options.folder, options.make)
    for turn in range(options.turns):
        for name, extra in (("all", []),) if options.old else (("usable", []), ("all", ["--wait"])):
            with tempfile.TemporaryDirectory(dir=options.folder.parent) as home:
                found = measure_command(["bert", "add", str(options.folder / options.file), *extra], Path(home))
                kept = sum(item.stat().st_size for item in Path(home).rglob("*") if item.is_file())
            print(json.dumps({"turn": turn, "until": name, **found, "disk_mb": round(kept / 1e6)}), flush=True)


if __name__ == "__main__":
    main()
