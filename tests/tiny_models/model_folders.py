"""Folders of tiny models as users have them: every container of a voice, a BERT in both precisions, and inputs with the outputs expected."""

import base64
import io
import json
import tarfile
import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import zstandard
from onnx import helper
from onnxruntime.transformers.float16 import convert_float_to_float16

from app.core.synthesis_types import BERT_WIDTH, STYLE_WIDTH, Float32
from tests.tiny_models.public_bert import HEADS, HIDDEN, INNER, LAYERS_READ, VOCABULARY, make_bert_weights, make_public_bert
from tests.tiny_models.public_voice import FRAMES, SCALARS, ExportForm, make_public_graph
from tests.tiny_models.voice_weights import STYLES, TinyVoice, make_config, make_style_vectors, make_weights
from tests.voices.prepare.bert.deberta_files import vocabulary
from tests.voices.safetensors_file import write_safetensors

VOICES = (
    TinyVoice("jp-extra-tiny", seed=1, layers=6, decoder_channels=64),
    TinyVoice("jp-extra-tiny-2spk", speakers=2, seed=7),
    TinyVoice("multilingual-tiny", multilingual=True, seed=3),
    TinyVoice("nanairo-tiny", speakers=2, nanairo=True, seed=4),
)
VARIANTS = {
    "variant-int32-rank1-single": ExportForm(18, int32=True, vector_scalars=True, all_outputs=False),
    "variant-no-noise-inputs": ExportForm(18, noise_inputs=False),
    "variant-opset17-raw": ExportForm(17, constant_nodes=True),
}
"""Folders of a voice as other exporters write it."""
BERT = "deberta-tiny"
ICON = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGMwSJgAAAHkASHKbNIyAAAAAElFTkSuQmCC"
CASES = ((31, 1.0, 0.0), (61, 0.8, 0.4), (15, 1.6, 1.0))
"""Symbols, length scale and share of the drawn durations of each case."""
BERT_CASES = (3, 12, 40, 130, 300)  # tokens


def make_models(folder: Path) -> None:
    """Write every model into a folder of its own."""
    for voice in VOICES:
        write_voice(folder / voice.name, voice)
    _write_variants(folder)
    _write_bert(folder / BERT)


def write_voice(folder: Path, voice: TinyVoice) -> None:
    folder.mkdir(parents=True)
    config, styles, weights = make_config(voice), make_style_vectors(voice), make_weights(voice)
    (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    np.save(folder / "style_vectors.npy", styles)
    stored = weights | {"iteration": np.array([1000])}
    write_safetensors(folder / "model.safetensors", stored)
    if voice.nanairo:  # nobody exports one as a graph
        return
    graph = make_public_graph(weights)
    onnx.save(graph, str(folder / "model.onnx"))
    aivm = _aivm_texts(voice, config, styles)
    write_safetensors(folder / "model.aivm", stored, aivm | {"aivm_manifest": aivm["aivm_manifest"].replace('"ONNX"', '"Safetensors"')})
    (folder / "model.sbv2").write_bytes(_sbv2(graph, styles))
    np.savez_compressed(folder / "expected.npz", **_voice_cases(graph, voice))  # type: ignore[arg-type]  # numpy's stubs see `allow_pickle` in every name
    helper.set_model_props(graph, aivm)
    onnx.save(graph, str(folder / "model.aivmx"))


def _write_variants(folder: Path) -> None:
    """Write one voice in every form; its cases come from the usual graph, as a graph without an input for noise always has noise."""
    voice = TinyVoice("variant", seed=5)
    weights = make_weights(voice)
    cases = _voice_cases(make_public_graph(weights), voice)
    for name, form in VARIANTS.items():
        own = folder / name
        own.mkdir(parents=True)
        (own / "config.json").write_text(json.dumps(make_config(replace(voice, name=name)), indent=2), encoding="utf-8")
        np.save(own / "style_vectors.npy", make_style_vectors(voice))
        onnx.save(make_public_graph(weights, form), str(own / "model.onnx"))
        np.savez_compressed(own / "expected.npz", **{item: _as_declared(item, values, form) for item, values in cases.items()})  # type: ignore[arg-type]  # numpy's stubs see `allow_pickle` in every name


def _as_declared(item: str, values: np.ndarray, form: ExportForm) -> np.ndarray:
    """Return an array of a case in the type and shape that graphs of a form take."""
    name = item.partition(".")[2]
    if form.int32 and values.dtype == np.int64 and name != "durations_frames":
        return values.astype(np.int32)
    return values.reshape(1) if form.vector_scalars and name in SCALARS else values


def _aivm_texts(voice: TinyVoice, config: Mapping[str, Any], styles: Float32) -> dict[str, str]:
    """Return the three texts of an AIVM container."""
    names = ("ノーマル", *STYLES[1:])
    identity = uuid.uuid5(uuid.NAMESPACE_URL, f"{voice.name}/{voice.seed}")
    speakers = [
        {
            "name": f"speaker{number}", "icon": ICON, "supported_languages": ["ja"], "uuid": str(uuid.uuid5(identity, str(number))),
            "local_id": number,
            "styles": [{"name": name, "icon": None, "local_id": local, "voice_samples": []} for local, name in enumerate(names)],
        }
        for number in range(voice.speakers)
    ]  # fmt: skip
    manifest = {
        "manifest_version": "1.0", "name": f"{voice.name} 試験", "description": "", "creators": [], "license": None,
        "model_architecture": "Style-Bert-VITS2" if voice.multilingual else "Style-Bert-VITS2 (JP-Extra)", "model_format": "ONNX",
        "training_epochs": None, "training_steps": None, "uuid": str(identity), "version": "1.0.0", "speakers": speakers,
    }  # fmt: skip
    data = dict(config["data"]) | {"style2id": {name: number for number, name in enumerate(names)}}
    vectors = io.BytesIO()
    np.save(vectors, styles)
    return {
        "aivm_manifest": json.dumps(manifest, ensure_ascii=False, separators=(",", ":")),
        "aivm_hyper_parameters": json.dumps(dict(config) | {"model_name": manifest["name"], "data": data}, ensure_ascii=False),
        "aivm_style_vectors": base64.b64encode(vectors.getvalue()).decode(),
    }


def _sbv2(graph: onnx.ModelProto, styles: Float32) -> bytes:
    """Return an `.sbv2`: a tar under Zstandard."""
    vectors = json.dumps({"data": styles.tolist(), "shape": styles.shape}).encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in (("version.txt", b"1"), ("model.onnx", graph.SerializeToString()), ("style_vectors.json", vectors)):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return zstandard.ZstdCompressor(level=3).compress(packed.getvalue())


def make_inputs(voice: TinyVoice, symbols: int, seed: int) -> dict[str, np.ndarray]:
    """Return the inputs of a public graph for random symbols with blanks between them, the noise off."""
    random = np.random.default_rng(seed)
    phones, tones, language = random.integers(1, 100, (1, symbols)), random.integers(6, 8, (1, symbols)), np.ones((1, symbols), np.int64)
    for row in (phones, tones, language):
        row[0, ::2] = 0
    features = random.standard_normal((1, BERT_WIDTH, symbols)).astype(np.float32)
    texts = {"bert": np.zeros_like(features), "ja_bert": features, "en_bert": np.zeros_like(features)} if voice.multilingual else {}
    return {
        "x_tst": phones, "x_tst_lengths": np.array([symbols]), "sid": np.array([voice.speakers - 1]), "tones": tones, "language": language,
        **(texts or {"bert": features}), "style_vec": random.standard_normal((1, STYLE_WIDTH)).astype(np.float32),
        **dict.fromkeys(SCALARS, np.array(0.0, np.float32)),
    }  # fmt: skip


def _voice_cases(graph: onnx.ModelProto, voice: TinyVoice) -> dict[str, np.ndarray]:
    """Return inputs, and what the graph makes of them without noise, as ONNX Runtime computes it without any optimisation."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    shown = onnx.ModelProto()
    shown.CopyFrom(graph)
    shown.graph.output.append(helper.make_tensor_value_info(FRAMES, onnx.TensorProto.FLOAT, None))
    session = onnxruntime.InferenceSession(shown.SerializeToString(), options)
    found: dict[str, np.ndarray] = {}
    for case, (symbols, length_scale, sdp_ratio) in enumerate(CASES):
        inputs = make_inputs(voice, symbols, voice.seed + case)
        inputs |= {"length_scale": np.array(length_scale, np.float32), "sdp_ratio": np.array(sdp_ratio, np.float32)}
        audio, frames = session.run(["output", FRAMES], inputs)
        found |= {f"case{case}.{name}": values for name, values in inputs.items()}
        found |= {f"case{case}.output": audio, f"case{case}.durations_frames": frames.reshape(-1).astype(np.int64)}
    return found


def _write_bert(folder: Path) -> None:
    folder.mkdir(parents=True)
    config = {
        "model_type": "deberta-v2", "vocab_size": VOCABULARY, "hidden_size": HIDDEN, "num_hidden_layers": LAYERS_READ + 2,
        "num_attention_heads": HEADS, "attention_head_size": HIDDEN // HEADS, "intermediate_size": INNER, "hidden_act": "gelu",
        "max_position_embeddings": 512, "type_vocab_size": 0, "layer_norm_eps": 1e-7, "relative_attention": True, "share_att_key": True,
        "norm_rel_ebd": "layer_norm", "pos_att_type": ["p2c", "c2p"], "position_buckets": 256, "conv_kernel_size": 3, "conv_act": "gelu",
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    (folder / "vocab.txt").write_text(vocabulary(VOCABULARY), encoding="utf-8")
    graph = make_public_bert(make_bert_weights())
    onnx.save(graph, str(folder / "model.onnx"))
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    expected = {}
    for case, tokens in enumerate(BERT_CASES):
        ids = np.random.default_rng(case).integers(5, VOCABULARY, (1, tokens))
        ids[0, 0], ids[0, -1] = 1, 2
        expected[f"case{case}.input_ids"] = ids
        expected[f"case{case}.output"] = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0]
    np.savez_compressed(folder / "expected.npz", **expected)  # type: ignore[arg-type]  # numpy's stubs see `allow_pickle` in every name
    half = convert_float_to_float16(
        graph, keep_io_types=True, disable_shape_infer=True, force_fp16_initializers=True, op_block_list=["Range"]
    )
    onnx.save(half, str(folder / "model_fp16.onnx"))
