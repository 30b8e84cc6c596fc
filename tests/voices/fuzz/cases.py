"""Families of hostile sources. Each makes one in an empty folder and says which path a user would open."""

import base64
import contextlib
import json
import os
import random
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.voices.fuzz import mutations, small_voices
from tests.voices.fuzz.archive_cases import NAMES, beside, bomb, sbv2_members, tar_header, zip_directory, zip_end
from tests.voices.fuzz.mutations import BLIND, Damage, edited, edited_text, encoded
from tests.voices.prepare.public_graph import INPUTS, public_graph

Case = Callable[[random.Random, Path], Path]

CONTAINERS: dict[str, Callable[[], bytes]] = {
    "aivmx": lambda: small_voices.graph(small_voices.metadata()),
    "onnx": small_voices.graph,
    "onnx under other names": lambda: public_graph({name: f"arg {name}" for name in INPUTS}).SerializeToString(),
    "aivm": lambda: small_voices.weights(small_voices.metadata()),
    "safetensors": small_voices.weights,
    "sbv2": small_voices.sbv2,
    "zip": lambda: small_voices.zipped({name: data for name, data in small_voices.folder().items() if name != "model_e1.safetensors"}),
    "zip of aivmx": lambda: small_voices.zipped({"声/声.aivmx": CONTAINERS["aivmx"](), "声/readme.txt": b"hello"}, zipfile.ZIP_STORED),
}


def blind(content: bytes, damages: tuple[Damage, ...] = BLIND) -> Case:
    """A container, damaged without knowledge of its format."""

    def make(rng: random.Random, folder: Path) -> Path:
        return beside(folder, rng.choice(damages)(rng, content))

    return make


def sidecar_json(rng: random.Random, folder: Path) -> Path:
    """A voice folder whose settings or style vectors were edited."""
    path = beside(folder, small_voices.graph())
    if rng.random() < 0.7:
        (folder / "config.json").write_bytes(encoded(edited_text(rng, small_voices.CONFIG)))
    else:
        (folder / "style_vectors.npy").unlink()
        row = small_voices.vectors(1)[0].tolist()
        good = {"data": [row], "shape": [1, 256]}
        values = edited(rng, {"data": [row[:3]], "shape": [1, 256]}) if rng.random() < 0.5 else good | {"shape": edited(rng, [1, 256])}
        name = rng.choice(("style_vectors.json", "STYLE_VECTORS.JSON", "style_vectors_model.json"))
        (folder / name).write_bytes(encoded(json.dumps(values)))
    return rng.choice((path, folder))


def aivm_json(rng: random.Random, folder: Path) -> Path:
    """An AIVM container whose manifest, settings or vectors were edited."""
    texts = small_voices.metadata()
    key = rng.choice(list(texts))
    if key == "aivm_style_vectors":
        texts[key] = _damaged_base64(rng, texts[key])
    else:
        source: Any = small_voices.MANIFEST if key == "aivm_manifest" else small_voices.CONFIG
        texts[key] = edited_text(rng, source).encode("utf-8", "replace").decode()
    if rng.random() < 0.1:
        del texts[key]
    return beside(folder, small_voices.weights(texts) if rng.random() < 0.5 else small_voices.graph(texts))


def _damaged_base64(rng: random.Random, text: str) -> str:
    raw = rng.choice((mutations.flip_start, mutations.cut))(rng, base64.b64decode(text))
    return rng.choice(
        (base64.b64encode(raw).decode(), text[:-1], text + "=", text.replace("A", "\n", 3), "data:;base64," + text, "=" * 1000, "あ")
    )


def npy_header(rng: random.Random, folder: Path) -> Path:
    """Style vectors whose header lies."""
    path = beside(folder, small_voices.graph())
    shape = rng.choice(("(3, 256)", "(256, 3)", "(768,)", "()", "(3, 256, 1)", "(-3, -256)", "(10**9, 256)", "(99999999999, 256)", "(0, 256)", "(0, 99999999999999999999)", "(1e3, 1)", "(" * 5000))  # fmt: skip
    descr = rng.choice(
        ("'<f4'", "'<f2'", "'<f8'", "'>f4'", "'|O'", "'<i4'", "[('a', '<f4')]", "'<f4', 'x': 1", "__import__('os')", "'<M8[ns]'")
    )
    header = f"{{'descr': {descr}, 'fortran_order': {rng.choice(('True', 'False', '1'))}, 'shape': {shape}, }}".encode()
    header += b" " * rng.randrange(64) + b"\n"
    version = rng.choice((1, 2, 3, 0, 255))
    length = len(header) if rng.random() < 0.8 else rng.choice((0, 1, 65535, 2**32 - 1))
    size = length.to_bytes(4, "little")[: 2 if version == 1 else 4]
    data = rng.choice((small_voices.vectors().tobytes(), b"", bytes(3), small_voices.vectors().astype(np.float16).tobytes()))
    (folder / "style_vectors.npy").write_bytes(b"\x93NUMPY" + bytes((version, 0)) + size + header + data)
    return path


def safetensors_header(rng: random.Random, folder: Path) -> Path:
    """Weights whose header was edited, or whose length lies."""
    good = small_voices.weights(small_voices.metadata())
    length = int.from_bytes(good[:8], "little")
    header, data = json.loads(good[8 : 8 + length]), good[8 + length :]
    header["__metadata__"] = {"k": "v"} if rng.random() < 0.9 else header["__metadata__"]
    raw = encoded(edited_text(rng, header))
    content = small_voices.with_header(raw, data)
    if rng.random() < 0.3:
        content = rng.choice((0, 1, 7, 2**31, 2**32, 2**60, 2**63, 2**64 - 1, len(raw) + 1)).to_bytes(8, "little") + content[8:]
    return beside(folder, content, "model.safetensors")


def protobuf(rng: random.Random, folder: Path) -> Path:
    """A graph whose lengths lie, that is nested without end, or that wants other files."""
    choice = rng.randrange(4)
    if choice == 0:
        return beside(folder, mutations.nest(rng, small_voices.graph()))
    if choice == 1:
        return beside(
            folder, small_voices.graph() + rng.choice((b"\x0a\x00", b"\x3a\x02\x0a\x00", b"\x72\x00")) * rng.choice((1, 10, 1000))
        )
    if choice == 2:
        model = small_voices.model()
        tensor = rng.choice(
            (model.graph.initializer[0], model.graph.node[0].attribute[0].t, model.graph.node[1].attribute[0].g.node[0].attribute[0].t)
        )
        tensor.data_location = 1
        location = rng.choice(
            (*NAMES, "/etc/passwd", "../../secret", "model.onnx", "config.json", "link", "/dev/zero", "file:///etc/passwd")
        )
        for key, value in (
            ("location", location),
            ("offset", rng.choice(("0", "-1", "9" * 40, "x"))),
            ("length", rng.choice(("4", "-4", str(2**62)))),
        ):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, value
        with contextlib.suppress(OSError):
            (folder / "link").symlink_to("/etc/passwd")
        return beside(folder, model.SerializeToString())
    return beside(folder, mutations.lengthen(rng, rng.choice((CONTAINERS["aivmx"](), small_voices.graph()))))


def rewired(rng: random.Random, folder: Path) -> Path:
    """A graph under other names in which nodes read and make one another's values, or are other operators."""
    model = public_graph({name: f"arg {name}" for name in INPUTS})
    nodes = model.graph.node
    for _ in range(rng.choice((1, 2, 5, 30))):
        one, other = rng.choice(nodes), rng.choice(nodes)
        kind = rng.randrange(5)
        if kind == 0 and one.input:
            one.input[rng.randrange(len(one.input))] = rng.choice((*other.input, *other.output, ""))
        elif kind == 1:
            one.op_type = other.op_type
        elif kind == 2:
            del one.input[rng.randrange(len(one.input) + 1) :]
        elif kind == 3:
            one.input.extend(other.input)
        else:
            del (one.output if rng.random() < 0.5 else model.graph.input)[rng.randrange(2) :]
    return beside(folder, model.SerializeToString())


def many_fields(rng: random.Random, folder: Path) -> Path:
    """A graph of more parts than a voice can have; each of them is nothing."""
    part = rng.choice((b"\x0a\x00", b"\x3a\x02\x0a\x00", b"\x72\x00", b"\x3a\x04\x2a\x02\x70\x01"))
    return beside(folder, small_voices.graph() + part * 1_100_000)


def rubbish(rng: random.Random, folder: Path) -> Path:
    """Random bytes, behind the magic of some format."""
    magic = rng.choice(
        (
            b"",
            b"\x28\xb5\x2f\xfd",
            b"PK\3\4",
            b"PK\5\6",
            b"\x93NUMPY",
            b"\x08\x09",
            b"\x40\0\0\0\0\0\0\0{",
            b"\x80\x02",
            b"<html>",
            b"RIFF",
            b"{",
            b"\x3a",
        )
    )
    return beside(folder, magic + rng.choice((rng.randbytes(rng.randrange(3000)), bytes(rng.randrange(3000)), b"\xff" * 50, b"\x80" * 50)))


def arranged(rng: random.Random, folder: Path) -> Path:
    """A folder in which something is missing, doubled, a pipe, a link in a circle, locked, or of another kind."""
    if sys.platform == "win32":
        raise NotImplementedError("pipes of Unix")
    for name, content in small_voices.folder().items():
        if rng.random() < 0.8:
            (folder / name.upper() if rng.random() < 0.2 else folder / name).write_bytes(content)
    odd = folder / rng.choice(("model.onnx", "config.json", "style_vectors.npy", "x", "voice.json", "model_e2.safetensors"))
    odd.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        change = rng.randrange(6)
        if change == 0:
            os.mkfifo(odd)
        elif change == 1:
            odd.symlink_to(rng.choice((".", "..", odd.name, "/dev/zero", "/dev/stdin", "missing", "/proc/self/mem")))
        elif change == 2:
            odd.mkdir()
        elif change == 3:
            odd.write_bytes(rng.choice((b"", b"{}", b"[]", rng.randbytes(100))))
        elif change == 4:
            odd.write_bytes(encoded(edited_text(rng, _prepared_manifest())))
    return rng.choice((folder, folder, odd))


def _prepared_manifest() -> dict[str, Any]:
    names = {"id": "x", "name": "x", "format": "onnx", "bert": "b", "sampling_rate": 44100, "hop_length": 512, "windows": [16, 32]}
    return names | {
        "speakers": [{"id": 0, "name": "a"}],
        "styles": [{"id": 0, "name": "n"}],
        "graphs": {"whole": "model.onnx"},
        "margin_frames": 16,
    }


FAMILIES: dict[str, Case] = {f"blind {name}": blind(make()) for name, make in CONTAINERS.items()} | {
    "sidecar json": sidecar_json,
    "aivm json": aivm_json,
    "npy header": npy_header,
    "safetensors header": safetensors_header,
    "protobuf": protobuf,
    "rewired": rewired,
    "zip directory": zip_directory,
    "zip end": zip_end,
    "tar header": tar_header,
    "sbv2 members": sbv2_members,
    "rubbish": rubbish,
    "arranged": arranged,
}
RARE: dict[str, Case] = {"bomb": bomb, "many fields": many_fields}
