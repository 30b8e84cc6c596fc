"""Voices of a few kilobytes in every container, made here: they are read like real ones, and thousands can be tried in seconds."""

import base64
import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import onnx
import zstandard
from onnx import TensorProto, helper, numpy_helper

from tests.voices.safetensors_file import header_of

INPUTS = (
    "x_tst",
    "x_tst_lengths",
    "sid",
    "tones",
    "language",
    "bert",
    "style_vec",
    "length_scale",
    "sdp_ratio",
    "noise_scale",
    "noise_scale_w",
)
CONFIG: dict[str, Any] = {
    "model_name": "small",
    "version": "2.5.0-JP-Extra",
    "train": {"epochs": 1000, "learning_rate": 0.0001, "betas": [0.8, 0.99]},
    "data": {
        "sampling_rate": 44100,
        "hop_length": 512,
        "add_blank": True,
        "n_speakers": 2,
        "spk2id": {"声": 0, "b": 1},
        "num_styles": 3,
        "style2id": {"Neutral": 0, "Happy": 1, "怒り": 2},
    },
    "model": {"n_heads": 2, "upsample_rates": [8, 8, 2, 2, 2], "resblock_dilation_sizes": [[1, 3, 5]] * 3, "resblock": "1"},
}
MANIFEST: dict[str, Any] = {
    "manifest_version": "1.0",
    "name": "小さな声",
    "description": "説明",
    "creators": ["誰か"],
    "license": "CC0",
    "model_architecture": "Style-Bert-VITS2 (JP-Extra)",
    "model_format": "ONNX",
    "uuid": "40286735-e9ec-5b46-ba35-1fa85ec661d0",
    "version": "1.0.0",
    "speakers": [
        {
            "name": "声",
            "icon": "data:image/png;base64,iVBORw0KGgo=",
            "supported_languages": ["ja"],
            "uuid": "40286735-e9ec-5b46-ba35-1fa85ec661d1",
            "local_id": 0,
            "styles": [
                {
                    "name": "ノーマル",
                    "icon": None,
                    "local_id": 0,
                    "voice_samples": [{"audio": "data:audio/wav;base64,UklGRg==", "transcript": "あ"}],
                }
            ],
        }
    ],
}


@cache
def vectors(styles: int = 3) -> np.ndarray:
    """Style vectors."""
    return np.random.default_rng(0).standard_normal((styles, 256)).astype(np.float32)


def npy(values: np.ndarray | None = None) -> bytes:
    """A `.npy` of style vectors."""
    buffer = io.BytesIO()
    np.save(buffer, vectors() if values is None else values)
    return buffer.getvalue()


def metadata(manifest: Any = MANIFEST, config: Any = CONFIG, values: bytes | None = None) -> dict[str, str]:
    """The three texts of an AIVM container."""
    return {
        "aivm_manifest": json.dumps(manifest, ensure_ascii=False),
        "aivm_hyper_parameters": json.dumps(config, ensure_ascii=False),
        "aivm_style_vectors": base64.b64encode(npy() if values is None else values).decode(),
    }


def model(inputs: tuple[str, ...] = INPUTS, outputs: tuple[str, ...] = ("output",)) -> onnx.ModelProto:
    """A graph with the inputs of a voice, and everything that can hide a tensor: constants, and a graph inside a node."""
    weights = numpy_helper.from_array(np.ones((2, 4), np.float32), "emb_g.weight")
    inner = helper.make_graph(
        [helper.make_node("Constant", [], ["inner"], value=numpy_helper.from_array(np.ones(3, np.float32), "c"))],
        "inner",
        [],
        [helper.make_tensor_value_info("inner", TensorProto.FLOAT, [3])],
    )
    nodes = [
        helper.make_node("Constant", [], ["yes"], value=numpy_helper.from_array(np.array(True), "yes")),
        helper.make_node("If", ["yes"], ["output"], then_branch=inner, else_branch=inner),
        helper.make_node("Transpose", ["emb_g.weight"], ["turned"], perm=[1, 0]),
    ]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [3]) for name in outputs],
        [weights],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def graph(texts: Mapping[str, str] | None = None) -> bytes:
    """A serialised model, an AIVMX when texts are given."""
    made = model()
    helper.set_model_props(made, dict(texts or {}))
    return made.SerializeToString()


def weights(texts: Mapping[str, str] | None = None) -> bytes:
    """A safetensors file, an AIVM when texts are given; no complete voice, but one to look at."""
    tensors = {name: np.ones((2, 3), np.float32) for name in ("enc_p.style_proj.weight", "dec.conv_pre.weight", "emb_g.weight")}
    header: dict[str, Any] = header_of(tensors) | ({"__metadata__": dict(texts)} if texts else {})
    return with_header(json.dumps(header).encode(), b"".join(values.tobytes() for values in tensors.values()))


def with_header(header: bytes, data: bytes) -> bytes:
    """A safetensors file of these parts."""
    return len(header).to_bytes(8, "little") + header + data


def tar(members: Mapping[str, bytes] | None = None) -> bytes:
    """What an `.sbv2` unpacks to."""
    style = json.dumps({"data": vectors().tolist(), "shape": [3, 256]}).encode()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in (members or {"version.txt": b"1", "model.onnx": graph(), "style_vectors.json": style}).items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def sbv2(members: Mapping[str, bytes] | None = None) -> bytes:
    """An `.sbv2`."""
    return zstandard.compress(tar(members))


def zipped(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of files by name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@cache
def folder() -> Mapping[str, bytes]:
    """An SBV2 folder: content by file name."""
    return {
        "config.json": json.dumps(CONFIG).encode(),
        "style_vectors.npy": npy(),
        "model.onnx": graph(),
        "model_e1.safetensors": weights(),
    }
