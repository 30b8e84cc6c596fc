"""What people take for an SBV2 voice is named, with what to do instead."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from app.common.errors import VoiceError
from app.voices.containers.unsupported_formats import UNSUPPORTED_FORMATS
from app.voices.containers.voice_sources import find_checkpoints, read_voice_source
from tests.voices.fuzz import small_voices
from tests.voices.fuzz.small_voices import npy, zipped
from tests.voices.prepare.public_graph import INPUTS, SPEAKERS, public_graph
from tests.voices.safetensors_file import write_safetensors


def _graph(*inputs: str, outputs: tuple[str, ...] = ("output",)) -> bytes:
    return small_voices.model(inputs, outputs).SerializeToString()


def _torch(*names: str) -> bytes:
    """A PyTorch file: a stored zip around a pickle. Unpickling this one would raise."""
    return zipped(
        {"archive/data.pkl": b"\x80\x02cposix\nsystem\n" + " ".join(names).encode(), "archive/data/0": bytes(8)}, zipfile.ZIP_STORED
    )


GRAPHS = {
    "piper": _graph("input", "input_lengths", "scales", "sid", "lid", "prosody_features"),
    "kokoro": _graph("tokens", "style", "speed"),
    "vits": _graph("x", "x_length", "noise_scale", "length_scale", "noise_scale_w"),
    "espnet": _graph("text", "sids"),
    "rvc": _graph("phone", "phone_lengths", "pitch", "pitchf", "ds", "rnd"),
    "gpt_sovits": _graph("text_seq", "pred_semantic", "ref_audio"),
    "voicevox": _graph("phoneme_list", "speaker_id"),
    "bert": _graph("input_ids", "attention_mask", "token_type_ids"),
    "bert_vits2": _graph("x_tst", "x_tst_lengths", "sid", "tones", "language", "bert", "ja_bert", "en_bert"),
    "duration_predictor": public_graph({"x_tst": "x", "tones": "tone"}, decoder=False).SerializeToString(),
    "other_graph": _graph("data"),
}
OTHER_NAMES = {name: f"arg{number}" for number, name in enumerate(INPUTS)}
FILES = {
    "checkpoint": _torch("enc_p.style_proj.weight", "optimizer"),
    "rvc": _torch("enc_p.emb_phone.weight"),
    "gpt_sovits": _torch("enc_p.ssl_proj.weight"),
    "irodori": _torch("cond_module.0.weight", "blocks.0.attention.wk_speaker.weight"),
    "irovoice": zipped({"voice.json": b'{"format": "irovoice", "version": 1, "clips": []}', "clips/01.flac": b"fLaC"}),
    "dacvae": _torch("encoder.block.0.weight_g", "quantizer.in_proj.weight_g"),
    "lora": _torch("base_model.model.blocks.0.attention.wq.lora_A.weight"),
    "mb_istft": _torch("enc_p.emb.weight", "dec.subband_conv_post.weight_v"),
    "kokoro": zipped({"af_heart.npy": npy(), "jf_alpha.npy": npy()}),
    "bert": _torch("deberta.encoder.layer.0"),
    "pickle": b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.",
    "voicevox": zipped({"manifest.json": b"{}", "metas.json": b"[]", "model.bin": b"x"}),
    "voicevox_plugin": zipped({"engine_manifest.json": b"{}", "run.exe": b"MZ"}),
    "utau": zipped({"voice/oto.ini": b"a.wav=a", "voice/a.wav": b"RIFF"}),
    "hts": b"[GLOBAL]\nHTS_VOICE_VERSION:1.0\n",
    "sound": b"RIFF\x24\0\0\0WAVEfmt ",
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(20),
    "archive": b"7z\xbc\xaf\x27\x1c" + bytes(20),
    "index": b"IxFI" + bytes(20),
    "other_model": b"GGUF" + bytes(20),
    "program": b"MZ\x90\0" + bytes(20),
    "document": b"%PDF-1.7",
    "text": "これは説明です。".encode("cp932"),
    "web_page": b"\n<!DOCTYPE html><html><title>404</title>",
    "pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
    "settings": json.dumps(small_voices.CONFIG).encode(),
    "project": b'{"appVersion": "1", "talk": {"audioKeys": []}}',
    "vectors": npy(),
    "empty": b"",
    "zeros": bytes(5000),
}
WEIGHTS = {
    "irodori": "cond_module.0.weight",
    "dacvae": "quantizer.in_proj.weight_v",
    "lora": "base_model.model.in_proj.lora_A.weight",
    "kokoro": "bert_encoder.weight",
    "mb_istft": "dec.multistream_conv_post.weight_v",
    "discriminator": "discriminators.0.convs.0.weight",
    "bert": "deberta.embeddings.word_embeddings.weight",
    "rvc": "enc_p.emb_phone.weight",
    "gpt_sovits": "enc_p.ssl_proj.weight",
    "bert_vits2": "enc_p.bert_proj.weight",
    "vits": "text_encoder.embed_tokens.weight",
    "other_weights": "w",
}


def _refused(path: Path, kind: str) -> None:
    for action in (read_voice_source, lambda source: find_checkpoints(source, path.parent)):
        with pytest.raises(VoiceError) as caught:
            action(path)
        assert UNSUPPORTED_FORMATS[kind].en in caught.value.message
        assert UNSUPPORTED_FORMATS[kind].hint_en in caught.value.hint
        assert path.name in caught.value.message


@pytest.mark.parametrize("kind", GRAPHS)
def test_other_graphs_are_read_by_their_inputs(tmp_path: Path, kind: str) -> None:
    (tmp_path / "voice.onnx").write_bytes(GRAPHS[kind])
    _refused(tmp_path / "voice.onnx", kind)


def test_a_voice_of_transformers_is_told_from_a_bert_by_its_output(tmp_path: Path) -> None:
    (tmp_path / "voice.onnx").write_bytes(_graph("input_ids", "attention_mask", outputs=("waveform",)))
    _refused(tmp_path / "voice.onnx", "vits")


def test_a_voice_under_other_names_is_one(tmp_path: Path) -> None:
    (tmp_path / "style_vectors.npy").write_bytes(npy())
    onnx.save(public_graph(OTHER_NAMES), str(tmp_path / "voice.onnx"))
    onnx.save(public_graph(OTHER_NAMES, decoder=False), str(tmp_path / "durations.onnx"))  # passed over
    assert [(item.label, item.format) for item in find_checkpoints(tmp_path, tmp_path)] == [("voice.onnx", "onnx")]
    voice = read_voice_source(tmp_path)
    graph = voice.graphs["whole"]
    assert isinstance(graph, bytes)
    assert {item.name for item in onnx.load_from_string(graph).graph.input} == {*INPUTS}
    assert [item.id for item in voice.manifest.speakers] == [0]


def test_speakers_are_counted_whatever_their_table_is_called(tmp_path: Path) -> None:
    (tmp_path / "style_vectors.npy").write_bytes(npy())
    (tmp_path / "config.json").write_text(json.dumps({"data": {"spk2id": {"a": SPEAKERS}}}), encoding="utf-8")
    onnx.save(public_graph(), str(tmp_path / "voice.onnx"))
    with pytest.raises(VoiceError, match=f"it names speaker {SPEAKERS}, but the model has {SPEAKERS}"):
        read_voice_source(tmp_path / "voice.onnx")


def test_a_bert_vits2_without_styles_is_known_under_other_names(tmp_path: Path) -> None:
    model = public_graph(OTHER_NAMES)
    reader = next(node for node in model.graph.node if OTHER_NAMES["style_vec"] in node.input)
    reader.input[0] = model.graph.initializer[0].name
    onnx.save(model, str(tmp_path / "voice.onnx"))
    _refused(tmp_path / "voice.onnx", "bert_vits2")


@pytest.mark.parametrize("names", [{}, OTHER_NAMES], ids=["usual names", "other names"])
def test_an_input_that_is_not_clear_is_named(tmp_path: Path, names: dict[str, str]) -> None:
    model = public_graph(names)
    model.graph.input.append(onnx.helper.make_tensor_value_info("breath", onnx.TensorProto.FLOAT, [1]))
    model.graph.node.append(onnx.helper.make_node("Sin", ["breath"], ["breathed"]))
    onnx.save(model, str(tmp_path / "voice.onnx"))
    with pytest.raises(VoiceError, match="unclear what these inputs are for: breath") as caught:
        read_voice_source(tmp_path / "voice.onnx")
    assert "safetensors" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "sizes"), [("x_tst", [1, 20]), ("bert", [1, 1024, 20]), ("tones", [4, "T"])], ids=["symbols", "features", "several at once"]
)
@pytest.mark.parametrize("names", [{}, OTHER_NAMES], ids=["usual names", "other names"])
def test_a_graph_of_a_fixed_length_is_named_as_such(tmp_path: Path, names: dict[str, str], name: str, sizes: list[int | str]) -> None:
    model = public_graph(names)
    declared = next(item for item in model.graph.input if item.name == names.get(name, name))
    declared.CopyFrom(onnx.helper.make_tensor_value_info(declared.name, declared.type.tensor_type.elem_type, sizes))
    onnx.save(model, str(tmp_path / "voice.onnx"))
    with pytest.raises(VoiceError, match="exported for texts of one fixed length") as caught:
        find_checkpoints(tmp_path / "voice.onnx", None)
    assert "damaged" not in f"{caught.value.message} {caught.value.hint}"
    assert "dynamic axes" in caught.value.hint


@pytest.mark.parametrize("kind", FILES)
def test_other_files_are_read_by_how_they_begin(tmp_path: Path, kind: str) -> None:
    (tmp_path / "voice.aivmx").write_bytes(FILES[kind])
    _refused(tmp_path / "voice.aivmx", kind)
    assert [item.name for item in tmp_path.iterdir()] == ["voice.aivmx"]


@pytest.mark.parametrize("kind", WEIGHTS)
def test_other_weights_are_read_by_the_names_of_tensors(tmp_path: Path, kind: str) -> None:
    _refused(write_safetensors(tmp_path / "voice.safetensors", {WEIGHTS[kind]: np.zeros(1, np.float32)}), kind)


def test_what_else_of_other_software_is_named(tmp_path: Path) -> None:
    _refused(write_safetensors(tmp_path / "a.speaker.safetensors", {"speaker_embedding": np.zeros((4, 8), np.float32)}), "irodori")
    files = {
        "piper": _torch("model_g.enc_p.emb.weight", "model_g.dec.subband_conv_post.weight"),
        "kokoro": _torch("bert_encoder.weight", "predictor.lstm.weight_ih_l0"),
        "gpt_sovits": _torch("model.ar_text_embedding.word_embeddings.weight"),
    }
    for kind, content in files.items():
        (tmp_path / "model.pth").write_bytes(content)
        _refused(tmp_path / "model.pth", kind)
    for version in (b"03", b"06"):  # GPT-SoVITS writes its version over the first letters of a zip
        (tmp_path / "model.pth").write_bytes(version + _torch("enc_p.ssl_proj.weight")[2:])
        _refused(tmp_path / "model.pth", "gpt_sovits")


def test_an_irovoice_is_none_of_ours_although_its_description_has_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "声.irovoice").write_bytes(FILES["irovoice"])
    with pytest.raises(VoiceError) as caught:
        find_checkpoints(tmp_path, tmp_path)
    assert ".irovoice" in caught.value.message
    assert "Koebako opens Style-Bert-VITS2 voices" in caught.value.message
    assert "Irodori-TTS" in caught.value.hint


def test_every_kind_is_tested_but_those_that_only_differ_in_their_words() -> None:
    assert set(UNSUPPORTED_FORMATS) == {*GRAPHS, *FILES, *WEIGHTS}


@pytest.mark.parametrize("architecture", ["Style-Bert-VITS3", None, 5, ["Style-Bert-VITS2"]])
def test_a_successor_is_named(tmp_path: Path, architecture: object) -> None:
    texts = small_voices.metadata(small_voices.MANIFEST | {"model_architecture": architecture})
    (tmp_path / "voice.aivmx").write_bytes(small_voices.graph(texts))
    with pytest.raises(VoiceError, match="not supported") as caught:
        read_voice_source(tmp_path / "voice.aivmx")
    assert str(architecture) in caught.value.message
    assert "update Koebako" in caught.value.hint


FOLDERS: dict[str, Callable[[Path], object]] = {
    "utau": lambda folder: ((folder / "oto.ini").write_bytes(b"a.wav=a"), (folder / "a.wav").write_bytes(b"RIFF")),
    "piper": lambda folder: ((folder / "x.onnx").write_bytes(GRAPHS["piper"]), (folder / "x.onnx.json").write_bytes(b"{}")),
    "checkpoint": lambda folder: ((folder / "G_100.pth").write_bytes(FILES["checkpoint"]), (folder / "config.json").write_bytes(b"{}")),
}


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_folder_without_a_voice_says_what_it_holds_instead(tmp_path: Path, kind: str) -> None:
    FOLDERS[kind](tmp_path)
    (tmp_path / "readme.txt").write_text("hello")
    with pytest.raises(VoiceError) as caught:
        read_voice_source(tmp_path)
    assert UNSUPPORTED_FORMATS[kind].en in caught.value.message


def test_the_bert_of_the_reference_is_no_voice(tiny_models: Path) -> None:
    path = tiny_models / "deberta-tiny" / "model.onnx"
    with pytest.raises(VoiceError, match="a BERT") as caught:
        read_voice_source(path)
    assert "koebako bert add" in caught.value.hint


def test_an_hts_voice_of_the_reference_is_no_voice(shared: Path) -> None:
    path = shared / "htsvoice" / "mei_normal.htsvoice"
    if not path.is_file():
        pytest.skip(f"no HTS voice at {path}")
    with pytest.raises(VoiceError, match="HTS voice"):
        read_voice_source(path)
