"""The same networks written by torch's three exporters and by our own writers: what comes out, which fail, and how long it takes.

    python -m tests.benchmarks.exporters [--runs 20] [--write]

Needs the extra `training`, and onnxscript and transformers, in an environment of its own. Weights are random: they tell nodes, bytes and
time, and whether the numbers agree; nothing of how a voice sounds. A graph is written with an example of one length and run with another.
Runs take turns, on one thread, whose processor time counts: other programs hardly disturb that. The ratio is how many times faster a graph is
than the trace exporter's.

"trace" writes down what one run did, "script" compiles the source, "dynamo" follows Python's bytecode.
"""

import argparse
import logging
import re
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import torch

from tests.benchmarks.exported_networks import Inputs, Network, networks
from tests.benchmarks.page import put

EXAMPLE, OTHER = 12, 31  # length that a graph is written with, and the one it is run with
OPSET = 18
LONGEST_REASON = 100
WARMUP = 2
HEAD = ("network", "writer", "opset", "nodes", "bytes", "difference", "ms", "times faster than trace", "fails with")
Run = Callable[[], list[np.ndarray]]


@dataclass(slots=True)
class Written:
    """What a writer made of a network.

    Attributes:
        difference: from what torch computes, relative to its largest number.
        reason: why it is not there.
    """

    network: str
    writer: str
    opset: int | None = None
    nodes: int | None = None
    size_bytes: int | None = None
    difference: float | None = None
    ms: float | None = None
    ratio: float | None = None
    reason: str = ""

    def row(self) -> str:
        """A row of Markdown."""
        figures = [self.opset, self.nodes, f"{self.size_bytes:,}" if self.size_bytes else None]
        figures += [f"{value:.2g}" if value is not None else None for value in (self.difference, self.ms, self.ratio)]
        return f"| {self.network} | {self.writer} | {' | '.join('' if item is None else str(item) for item in figures)} | {self.reason} |"


def export(network: Network, writer: str, path: Path) -> None:
    """Raises whatever torch raises."""
    given = network.inputs(EXAMPLE)
    settings: dict[str, Any] = {"input_names": list(given), "opset_version": OPSET, "dynamo": writer == "dynamo"}
    if writer == "own":
        assert network.own is not None
        network.own(path)
    elif writer == "dynamo":
        sizes = tuple({1: torch.export.Dim.AUTO} if name in network.growing else {} for name in given)
        torch.onnx.export(network.model, tuple(given.values()), str(path), dynamic_shapes=sizes, verbose=False, **settings)
    else:
        model = torch.jit.script(network.model) if writer == "script" else network.model
        torch.onnx.export(model, tuple(given.values()), str(path), dynamic_axes={name: {1: "n"} for name in network.growing}, **settings)


def written(network: Network, writer: str, folder: Path) -> tuple[Written, Run | None]:
    """Exports, looks at what came, and runs it with another length; the second is what runs it again."""
    result, path = Written(network.name, writer), folder / "graph.onnx"
    folder.mkdir()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            export(network, writer, path)
        model = onnx.load(str(path), load_external_data=False)
        result.opset = max(item.version for item in model.opset_import if item.domain in ("", "ai.onnx"))
        result.nodes, result.size_bytes = len(model.graph.node), sum(item.stat().st_size for item in folder.iterdir())
        given = network.inputs(OTHER)
        run = opened(path, network.own_feed(given) if writer == "own" else {name: value.numpy() for name, value in given.items()})
        result.difference = largest_difference(network, given, run())
    except Exception as exc:  # exporters and ONNX Runtime raise a dozen types; which is the finding
        result.reason = reason_of(exc)
        return result, None
    return result, run


def reason_of(exc: BaseException) -> str:
    """The first cause, on one line of a table, without colours and without how many times a class was made."""
    while exc.__cause__ is not None:
        exc = exc.__cause__
    words = re.sub(r"\x1b\[\d+m|___torch_mangle_\d+\.?|0x[0-9a-f]+", "", f"{type(exc).__name__}: {exc}")
    return " ".join(words.split())[:LONGEST_REASON].replace("|", "/")


def opened(path: Path, feed: Mapping[str, np.ndarray]) -> Run:
    """A session on one thread of the CPU, otherwise as ONNX Runtime opens it by itself, and what it is given; an exporter may have left an input out."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    taken = {item.name: feed[item.name] for item in session.get_inputs()}
    return lambda: list(session.run(None, taken))


def largest_difference(network: Network, given: Inputs, results: Sequence[np.ndarray]) -> float:
    """See `Written`; a batch of one makes no difference."""
    with torch.no_grad():
        found = network.model(*given.values())
    expected = [item.numpy() for item in (found if isinstance(found, tuple) else (found,))]
    pairs = zip(expected, results, strict=True)
    return max(float(np.abs(a.reshape(-1) - b.reshape(-1)).max() / np.abs(a).max()) for a, b in pairs)


def time_in_turns(ways: Mapping[str, Run], runs: int) -> dict[str, list[float]]:
    """Milliseconds by way, turn by turn."""
    found: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(runs + WARMUP):
        for name in np.random.default_rng(turn).permutation(list(ways)).tolist():
            began = time.thread_time()
            ways[name]()
            if turn >= WARMUP:
                found[name].append(1000 * (time.thread_time() - began))
    return found


def compared(network: Network, folder: Path, runs: int) -> list[Written]:
    """One network by every writer there is for it."""
    folder.mkdir()
    made = {
        writer: written(network, writer, folder / writer) for writer in ("trace", "script", "dynamo", *(["own"] if network.own else []))
    }
    times = time_in_turns({writer: run for writer, (_, run) in made.items() if run is not None}, runs)
    for writer, values in times.items():
        made[writer][0].ms = float(np.median(values))
        if "trace" in times:
            made[writer][0].ratio = float(np.median([a / b for a, b in zip(times["trace"], values, strict=True)]))
    return [result for result, _ in made.values()]


def main() -> None:
    """Prints the table; `--write` puts it on the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20, metavar="N")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    logging.getLogger("torch").setLevel(logging.ERROR)
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    about = f"torch {torch.__version__}, ONNX Runtime {ort.__version__}, one thread, random weights, runs: {options.runs}, medians"
    lines = [about, "", f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        for index, network in enumerate(networks(Path(name) / "deberta")):
            lines += [item.row() for item in compared(network, Path(name) / str(index), options.runs)]
    print("\n".join(lines))
    if options.write:
        put("exporters", "\n".join(lines))


if __name__ == "__main__":
    main()
