"""Every stage of a voice on WebGPU's software adapter beside the CPU: how far apart, which nodes are placed where, what a new length costs in shaders.

    python3 packaging/swiftshader.py
    python -m tests.benchmarks.webgpu [--voice mei] [--lengths 30] [--write]

A software adapter shows what is right, not what is fast: there are no times here.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.adapters.ort.test_webgpu import find_software_adapter
from tests.benchmarks.page import put

PARTS = ("今日は", "とてもいい", "天気なので、", "駅前の公園まで", "歩いて行って、", "友達と", "写真を", "たくさん", "撮りました")
LONGEST_RUN_S = 3600.0
INNER = "TESTS_WEBGPU_INNER"


def make_texts(count: int) -> tuple[str, ...]:
    """Texts of growing length, no two of the same."""
    endless = "".join(PARTS) * (1 + 2 * count // len("".join(PARTS)))
    return tuple(endless[: 2 + 2 * index] + "。" for index in range(count))


def measure(voices: list[str], count: int) -> dict[str, Any]:
    """Rows of each voice and the nodes of its graphs by provider; in the process that sees the adapter."""
    from app.adapters.ort.devices import failover_session
    from app.adapters.ort.profiled_session import count_assigned_nodes
    from tests.adapters.ort.webgpu_child import EVERYTHING, compare_stages, open_exact

    found: dict[str, Any] = {}
    # A software adapter compiles for longer than a device may take to answer.
    failover_session.FIRST_RUN_TIMEOUT_S = failover_session.MIN_RUN_TIMEOUT_S = LONGEST_RUN_S
    for voice in voices:
        rows = list(compare_stages(open_exact(voice, EVERYTHING), voice, make_texts(count)))
        models = open_exact(voice, "cpu").models
        counts = {graph: count_assigned_nodes(model, "webgpu", graph) or {} for graph, model in models.items()}
        nodes = {graph: {provider: kinds.total() for provider, kinds in parts.items()} or None for graph, parts in counts.items()}
        found[voice] = {"rows": rows, "nodes": nodes}
    return found


def format_table(found: dict[str, Any]) -> str:
    """The table as Markdown."""
    lines = [
        "| voice | graph | runs | sizes | largest difference | runs on | nodes on WebGPU / CPU | shaders: first size, all later ones |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for voice, result in found.items():
        graphs: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in result["rows"]:
            graphs[row["graph"]].append(row)
        for graph, rows in graphs.items():
            there = [row for row in rows if row["ran_on"] == "webgpu"]
            nodes = result["nodes"].get(graph) or {}
            reason = next((row["fallback"] for row in rows if row["fallback"]), None)
            where = "WebGPU" if len(there) == len(rows) else f"CPU ({reason})"
            worst = f"{max(row['difference'] for row in there):.1e}" if there else ""
            placed = f"{nodes.get('WebGpuExecutionProvider', 0)} / {nodes.get('CPUExecutionProvider', 0)}" if nodes else ""
            later = sum(row["shaders"] for row in rows[1:])
            sizes = len({row["size"] for row in rows})
            lines.append(f"| {voice} | {graph} | {len(rows)} | {sizes} | {worst} | {where} | {placed} | {rows[0]['shaders']}, {later} |")
    return "\n".join(lines)


def main() -> None:
    """Measure in a child that sees the adapter, and print or keep the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--voice", action="append", metavar="VOICE", help="may be given again; default: mei")
    parser.add_argument("--lengths", type=int, default=30)
    parser.add_argument("--write", action="store_true", help="into tests/benchmarks/README.md")
    options = parser.parse_args()
    voices = options.voice or ["mei"]
    if INNER in os.environ:
        print(json.dumps(measure(voices, options.lengths)))
        return
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        environment = {**os.environ, **find_software_adapter(), INNER: "1", "ORT_WEBGPU_EP_SHADER_DUMP_FILE": str(Path(folder) / "shaders")}
        environment.setdefault("KOEBAKO_HOME", str(Path(folder) / "home"))
        command = [sys.executable, "-m", "tests.benchmarks.webgpu", "--lengths", str(options.lengths)]
        command += [part for voice in voices for part in ("--voice", voice)]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    import onnxruntime as ort

    table = f"ONNX Runtime {ort.__version__}, plug-in 0.4.0, SwiftShader, float32, sentences: {options.lengths}\n\n" + format_table(
        json.loads(done.stdout.splitlines()[-1])
    )
    print(table)
    if options.write:
        put("webgpu", table)


if __name__ == "__main__":
    main()
