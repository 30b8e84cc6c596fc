"""How fast the included voice speaks, as `koebako bench` measures it, as a table.

python -m tests.benchmarks.included_voice [--runs 20] [--write]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from app.bench.texts import LINES, text_of
from tests.benchmarks.page import put

MAIN = [sys.executable, str(Path(__file__).parents[2] / "main.py")]
TEXTS = ("short", "22", "long")


def table(rows: list[dict[str, Any]], runs: int) -> str:
    """The lines of `bench --json` as Markdown."""
    machine = rows[-1]
    found = {(row["tokens"], row["state"], row["stage"]): row for row in rows[:-1]}
    lines = [
        f"{machine['cpu']}, {machine['threads']} threads, ONNX Runtime {machine['ort']}, {time.strftime('%Y-%m-%d')}, runs: {runs}, medians\n",
        "| text | first audio, nothing cached | from the caches | whole line, real-time factor |",
        "|---|---|---|---|",
    ]
    for name in TEXTS:
        first, again = (found[name, state, "first_audio"]["median_ms"] for state in ("warm", "cached"))
        lines.append(f"| {described(name)} | {first:.0f} ms | {again:.0f} ms | {found[name, 'warm', 'total']['rtf']:.3f} |")
    return "\n".join(lines)


def described(name: str) -> str:
    """What a text is called in the table."""
    text = LINES[name] if name in LINES else text_of(int(name))
    return f"a {name} line ({len(text)} characters)" if name in LINES else f"{len(text)} characters"


def main() -> None:
    """Prints the table, or writes it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--write", action="store_true", help="into tests/benchmarks/README.md")
    options = parser.parse_args()
    command = [*MAIN, "bench", "--tokens", "22", "--lines", "--runs", str(options.runs), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    shown = table([json.loads(line) for line in done.stdout.decode().splitlines()], options.runs)
    if options.write:
        put("included_voice", shown)
    print(shown)


if __name__ == "__main__":
    main()
