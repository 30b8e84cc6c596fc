"""Graphs that read well and compute nonsense, put through the whole preparation: cut, run by ONNX Runtime, compared.

ONNX Runtime may abort on a hostile graph, or ask for all the memory there is: that stays in the child where it happens.
`python -m tests.voices.fuzz.prepared_cases --seconds 600 --seed 1` prints a JSON line.
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import onnx

from app.common.errors import AppError
from app.common.progress import ignore_report
from app.install.sandboxed_import import LIMITS_BY_SUBJECT, UnsafeFileError, prepare_voice_in_sandbox
from tests.conftest import SHARED

LONGEST_S = 90  # of processor time; a good tiny voice takes five
NUMBERS = (0, 1, -1, 2, 3, 7, 255, 2**20, 2**31 - 1, 2**31, 2**40, 2**62, -(2**40))
Change = Callable[[random.Random, onnx.GraphProto], object]


def _attribute(rng: random.Random, graph: onnx.GraphProto) -> None:
    attributes = [item for node in graph.node for item in node.attribute if item.ints or item.type == onnx.AttributeProto.INT]
    attribute = rng.choice(attributes)
    if attribute.ints:
        attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice(NUMBERS)
    else:
        attribute.i = rng.choice(NUMBERS)


def _wide(rng: random.Random, graph: onnx.GraphProto) -> None:
    convolutions = [
        item for node in graph.node if "Conv" in node.op_type for item in node.attribute if item.name in ("dilations", "pads", "strides")
    ]
    rng.choice(convolutions).ints[0] = rng.choice(NUMBERS)


def _shape(rng: random.Random, graph: onnx.GraphProto) -> None:
    tensor = rng.choice([item for item in graph.initializer if item.dims])
    tensor.dims[rng.randrange(len(tensor.dims))] = rng.choice(NUMBERS)


def _integers(rng: random.Random, graph: onnx.GraphProto) -> None:
    """Shapes, axes and bounds are constants of integers."""
    tensors = [item for item in graph.initializer if item.data_type == onnx.TensorProto.INT64 and item.raw_data]
    tensor = rng.choice(tensors)
    place = 8 * rng.randrange(len(tensor.raw_data) // 8)
    raw = bytearray(tensor.raw_data)
    raw[place : place + 8] = rng.choice(NUMBERS).to_bytes(8, "little", signed=True)
    tensor.raw_data = bytes(raw)


def _cut_data(rng: random.Random, graph: onnx.GraphProto) -> None:
    tensor = rng.choice([item for item in graph.initializer if item.raw_data])
    tensor.raw_data = tensor.raw_data[: rng.randrange(len(tensor.raw_data))]


def _weights(rng: random.Random, graph: onnx.GraphProto) -> None:
    tensor = rng.choice([item for item in graph.initializer if item.raw_data and item.data_type == onnx.TensorProto.FLOAT])
    tensor.raw_data = rng.choice((b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\xff\xff\x7f\x7f", b"\0\0\0\0")) * (len(tensor.raw_data) // 4)


def _type(rng: random.Random, graph: onnx.GraphProto) -> None:
    rng.choice(graph.initializer).data_type = rng.choice((0, 1, 6, 7, 8, 10, 16, 99))


def _wire(rng: random.Random, graph: onnx.GraphProto) -> None:
    """A node takes what another gives, which may be itself."""
    node, other = rng.choice(graph.node), rng.choice(graph.node)
    if node.input and other.output:
        node.input[rng.randrange(len(node.input))] = rng.choice((other.output[0], "", "nowhere", node.output[0]))


def _drop(rng: random.Random, graph: onnx.GraphProto) -> None:
    for _ in range(rng.choice((1, 1, 50))):
        del graph.node[rng.randrange(len(graph.node))]


def _operator(rng: random.Random, graph: onnx.GraphProto) -> None:
    node = rng.choice(graph.node)
    node.op_type = rng.choice(
        ("", "Loop", "If", "Scan", "Nothing", "Ceil", "RandomNormalLike", "ConstantOfShape", "Range", "Tile", "Resize")
    )
    node.domain = rng.choice(("", "", "com.microsoft", "ai.onnx.ml", "x"))


def _declared(rng: random.Random, graph: onnx.GraphProto) -> None:
    """An input of another type or rank, or none at all."""
    item = rng.choice(graph.input)
    shape = item.type.tensor_type.shape
    change = rng.randrange(4)
    if change == 0:
        item.type.tensor_type.elem_type = rng.choice((1, 6, 7, 8, 10, 99))
    elif change == 1:
        shape.dim.add().dim_value = rng.choice(NUMBERS)
    elif change == 2 and shape.dim:
        shape.dim[0].dim_value = rng.choice(NUMBERS)
    else:
        item.name += "x"


CHANGES: tuple[Change, ...] = (
    _attribute, _wide, _shape, _integers, _cut_data, _weights, _type, _wire, _drop, _operator, _declared,
)  # fmt: skip


def make(seed: str, source: Path, folder: Path) -> Path:
    """A damaged copy of a reference voice."""
    rng = random.Random(seed)
    for name in ("config.json", "style_vectors.npy"):
        shutil.copy(source.parent / name, folder / name)
    model = onnx.load(str(source))
    for _ in range(rng.choice((1, 1, 1, 3))):
        rng.choice(CHANGES)(rng, model.graph)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return folder / "model.onnx"


def outcome(path: Path, target: Path) -> tuple[str, str]:
    """What became of a voice, and what is to be told of that."""
    try:
        prepare_voice_in_sandbox(path, target, ignore_report)
        return "prepared", ""
    except AppError as exc:
        told = f"{exc.message!r} {exc.hint!r}"
        if not exc.message or not exc.hint or any(target.iterdir()):
            return "wrong", f"{told} left: {list(target.iterdir())}"
        return (exc.reason, told) if isinstance(exc, UnsafeFileError) else ("refused", "")
    except BaseException:
        return "wrong", traceback.format_exc(limit=-5)


def main() -> int:
    """Entry of the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--source", type=Path, default=SHARED / "reference" / "jp-extra-tiny" / "model.onnx")
    options = parser.parse_args()
    LIMITS_BY_SUBJECT["voice"] = (LIMITS_BY_SUBJECT["voice"][0], LONGEST_S)
    counts: Counter[str] = Counter()
    notes: list[str] = []
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        case = f"{options.seed} {counts.total()}"
        with tempfile.TemporaryDirectory(prefix="koebako-fuzz-") as root:
            folder, target = (Path(root) / name for name in ("source", "target"))
            folder.mkdir()
            target.mkdir()
            kind, told = outcome(make(case, options.source, folder), target)
            counts[kind] += 1
            if told:
                notes.append(f"[{case}] {kind} {told}")
    print(json.dumps({"cases": counts.total(), "outcomes": counts, "notes": notes}))
    return 1 if counts["wrong"] or counts["time"] else 0


if __name__ == "__main__":
    sys.exit(main())
