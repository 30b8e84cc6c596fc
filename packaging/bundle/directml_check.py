"""What ONNX Runtime asks of DirectML while the program speaks, counted under Wine by a device that computes nothing (`counting_device/`).

Two voices (one made up in the public architecture, with its BERT, and the one that ships) speak 20 sentences each, with their decoder on the
device and with every graph there. A row a graph and size says where nodes are placed, what is copied between them and what is compiled.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bundle.command import PROJECT

if TYPE_CHECKING:
    from bundle.wine import Wine

SOURCES = Path(__file__).parent / "counting_device"
LIBRARIES = ("d3d12", "dxgi", "DirectML")
MADE, SHIPPED = "made", "mei"
DECODER_ONLY, EVERYTHING = "bert=cpu,prosody=cpu,decoder=directml:0", "directml:0"
LIMIT_S = 420  # for one voice in one placement; 80 s were taken at real size on two busy cores
COLUMNS = (
    "voice",
    "placement",
    "graph",
    "size",
    "nodes_device",
    "nodes_cpu",
    "copies",
    "compiled_at_open",
    "compiled_after_warm_up",
    "runs",
    "longest_gap_ms",
    "opened_in_ms",
    "held_share",
    "quiet_gap_ms",
    "voice_gap_ms",
)

# What must hold, in one place: unless ENFORCED, faults are printed and nothing fails.
ENFORCED = True
MUST_HOLD = ((MADE, DECODER_ONLY), (MADE, EVERYTHING))
# Of a creation, how long another thread may be blocked at every session of a graph; seen: 0.85 to 0.98 with Python's lock held, else 0.04.
MOST_HELD = 0.5
SHORTEST_MS = 200  # creations that are over sooner are not judged: one pause of a busy machine fills them
STAYS_AWAY = SHIPPED  # its graphs have no form of fixed sizes, and would be compiled again at every run


def faults(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A sentence for every row that is not as it must be."""
    for row in rows:
        where = f"{row['voice']}, {row['placement']}: {row['graph']} at {row['size']}"
        if row["voice"] == STAYS_AWAY and row["runs"]:
            yield f"{where}: ran on the device"
        if (row["voice"], row["placement"]) not in MUST_HOLD:
            continue
        for name in ("copies", "compiled_after_warm_up"):
            if row[name]:
                yield f"{where}: {name} is {row[name]}"
        if not row["runs"]:
            yield f"{where}: never ran on the device"
        if row["held_share"] > MOST_HELD and row["opened_in_ms"] >= SHORTEST_MS:
            yield f"{where}: Python stood still for {row['longest_gap_ms']} of the {row['opened_in_ms']} ms that a session was created in"
        if row["placement"] == DECODER_ONLY and row["sentences_on_cpu"]:
            yield f"{where}: {row['sentences_on_cpu']} sentences took the CPU"


def check(wine: Wine, work: Path, target: Path | None, *, small: bool) -> None:
    """Counts, prints a table and writes the rows; SystemExit where something must hold and does not, or nothing could be counted.

    Args:
        wine: a prefix that is ready.
        work: for the made-up models and the counting device.
        target: JSON file for the rows.
        small: a made-up voice of the same layers that is narrower and computed faster.
    """
    began = time.monotonic()
    runtime = counting_runtime(wine, work / "counting")
    home = models(work / f"home-{'small' if small else 'real'}", small=small)
    rows = [
        row
        for voice in (MADE, SHIPPED)
        for placement in (DECODER_ONLY, EVERYTHING)
        for row in counted(wine, runtime, home, voice, placement)
    ]
    if target is not None:
        target.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    show(rows)
    wrong = list(faults(rows))
    print(
        f"  {'FAILED' if wrong and ENFORCED else 'ok'}  DirectML counted in {time.monotonic() - began:.0f} s: {len(wrong)} faults",
        flush=True,
    )
    if wrong and ENFORCED:
        sys.exit("\n".join(wrong))


def counted(wine: Wine, runtime: Path, home: Path, voice: str, placement: str) -> list[dict[str, Any]]:
    """The rows of one voice in one placement."""
    environment = {
        "PYTHONPATH": windows_path(runtime),
        "KOEBAKO_HOME": windows_path(home),
        "WINEDLLOVERRIDES": wine.environment["WINEDLLOVERRIDES"] + ";d3d12,dxgi,directml=n,b",
    }
    script = Path(__file__).with_name("directml_count.py")
    printed = wine.run([wine.python, script, windows_path(runtime / "onnxruntime" / "capi"), voice, placement], LIMIT_S, environment)
    answer = json.loads(next(line for line in reversed(printed.splitlines()) if line.startswith("{")))
    return [{"voice": voice, "placement": placement} | row | {"fallback": answer["fallback"]} for row in answer["rows"]]


def show(rows: list[dict[str, Any]]) -> None:
    """A line a voice, placement and graph: the worst of its sizes."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["voice"], row["placement"], row["graph"]), []).append(row)
    for (voice, placement, graph), found in groups.items():
        most = {name: max(row[name] for row in found) for name in (*COLUMNS[4:-2], "sentences_on_cpu")}
        most |= {name: sum(row[name] for row in found) for name in ("runs", "compiled_after_warm_up")}
        figures = ", ".join(f"{name} {value}" for name, value in most.items())
        print(f"  {voice}, {placement}, {graph} ({len(found)} sizes): {figures}", flush=True)
    for (voice, placement), row in {(row["voice"], row["placement"]): row for row in rows}.items():
        while_opening, before = row["voice_gap_ms"], row["quiet_gap_ms"]
        print(
            f"  {voice}, {placement}: Python stood still for {while_opening} ms at most while the voice opened, {before} ms before",
            flush=True,
        )


def counting_runtime(wine: Wine, folder: Path) -> Path:
    """A folder with the ONNX Runtime of the Windows Python and the counting DirectML: ONNX Runtime loads the one in its own folder."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(wine.python.parent / "Lib" / "site-packages" / "onnxruntime", folder / "onnxruntime", copy_function=os.link)
    libraries = folder / "onnxruntime" / "capi"
    (libraries / "DirectML.dll").unlink()
    _compile(libraries / "counting.dll", *sorted(SOURCES.glob("*.c")))
    empty = folder / "empty.c"
    empty.write_text("int nothing;\n", encoding="utf-8")
    for name in LIBRARIES:  # all of them pass on what is exported by the one that counts
        _compile(libraries / f"{name}.dll", "-nostdlib", "-Wl,--entry=0", empty, SOURCES / f"{name}.def")
    return folder


def _compile(target: Path, *arguments: str | Path) -> None:
    subprocess.run(["x86_64-w64-mingw32-gcc", "-shared", "-O1", "-o", str(target), *map(str, arguments)], check=True)


def models(home: Path, *, small: bool) -> Path:
    """A home with the made-up voice and its BERT, written each time, so that they are what this program writes now."""
    sys.path.insert(0, str(PROJECT))  # the program's own writers
    from bundle.directml_models import REAL, SMALL, make_bert, make_voice

    shutil.rmtree(home, ignore_errors=True)
    widths = SMALL if small else REAL
    make_voice(home / "voices" / MADE, MADE, widths)
    make_bert(home / "bert" / MADE, PROJECT / "resources" / "bert" / "starter" / "vocab.txt", widths)
    return home


def windows_path(path: Path) -> str:
    r"""`/tmp/x` → `Z:\tmp\x`, as Wine sees it."""
    return "Z:" + str(path).replace("/", "\\")
