"""Checks of the built program with the tiny reference voices: they are imported, prepared, checked and spoken with."""

import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import soundfile
from bundle.expectations import SHARED, ended
from bundle.program import Program

REFERENCE = SHARED / "reference" / "jp-extra-tiny"
CONTAINERS = ("model.onnx", "model.safetensors", "model.aivmx", "model.aivm", "model.sbv2", "voice.zip")
AT_ONCE = 2  # starting takes much of the time, and of one core only
ABSENT = f"skipped: no reference voices at {REFERENCE}"


def imports(program: Program, folder: Path) -> str:
    """A tiny voice in every container is added, checked and spoken with."""
    if not REFERENCE.is_dir():
        return ABSENT
    with ThreadPoolExecutor(AT_ONCE) as runs:
        return ", ".join(runs.map(lambda name: _import(program, folder, name), CONTAINERS))


def _import(program: Program, folder: Path, name: str) -> str:
    """Adds the voice in one container and speaks with it; tells how long adding took."""
    source = _zipped(folder / name) if name.endswith(".zip") else REFERENCE / name
    environment = {"KOEBAKO_HOME": str(folder / "voices" / name)}
    finished = program.run("koebako-cli", "voices", "add", source, "--accept-licence", "--json", env=environment, timeout_s=300)
    added = ended(finished).report()
    assert added["path"].endswith(added["id"]), added
    assert not added["opaque"], added
    output = folder / f"{name}.wav"
    command = ["speak", "はい。", "--voice", added["id"], "--accept-licence", "--force-bert", "--style-weight", "1", "-o", output, "--json"]
    ended(program.run("koebako-cli", *command, env=environment))
    samples, rate = soundfile.read(output)
    assert rate == added["sampling_rate"], rate
    assert len(samples) > rate * 0.1, f"{len(samples)} samples"
    assert np.isfinite(samples).all()
    assert np.abs(samples).max() > 0, "silence"
    return f"{name} {finished.seconds:.1f} s"


def _zipped(target: Path) -> Path:
    with zipfile.ZipFile(target, "w") as archive:
        for name in ("config.json", "style_vectors.npy", "model.safetensors"):
            archive.write(REFERENCE / name, f"声/{name}")
    return target


def containers(program: Program, folder: Path) -> str:
    """Every container gives the expected samples."""
    if not REFERENCE.is_dir():
        return ABSENT

    def worst(name: str) -> str:
        command = ["voices", "check", str(REFERENCE / name), "--expected", str(REFERENCE / "expected.npz"), "--json"]
        return f"{name} {ended(program.run('koebako-cli', *command)).report()['worst']:.0e}"

    with ThreadPoolExecutor(AT_ONCE) as runs:
        return ", ".join(runs.map(worst, CONTAINERS[:-1]))


def optimised(program: Program, folder: Path) -> str:
    """A child writes the optimised copy of a graph into a folder with a Japanese name and spaces."""
    (graph,) = program.folder.rglob("voices/mei/prosody.onnx")
    target = folder / "写し の フォルダー"
    target.mkdir()
    ended(program.run("koebako-cli", "--optimise", graph, target))
    sizes = {path.name: path.stat().st_size for path in target.iterdir()}
    assert sizes.get("graph.onnx", 0) > 1_000, sizes
    assert sizes.get("weights.bin", 0) > graph.stat().st_size // 2, sizes
    return ", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in sorted(sizes.items()))


def report(program: Program, folder: Path) -> str:
    """`selftest --report` runs its own children and tells what a maintainer asks for."""
    target = folder / "報告.json"
    ended(program.run("koebako-cli", "selftest", "--report", target, env={"KOEBAKO_HOME": str(folder / "home")}, timeout_s=600))
    value = json.loads(target.read_text(encoding="utf-8"))
    assert value["ok"], value
    cpu = value["backends"][0]
    assert cpu["backend"] == "cpu", value["backends"]
    assert cpu["bench"], cpu
    return ", ".join(f"{item['backend']} {'ok' if item['ok'] else 'refused'}" for item in value["backends"])
