"""Settings and manifests that no voice can have are refused; texts from strangers disturb nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.json_text import long_text, parse_object, short_text
from app.voices.containers.sources import read_source
from app.voices.untrusted.limits import LARGEST_JSON_BYTES
from tests.voices.fuzz.small_voices import CONFIG, MANIFEST, graph, metadata
from tests.voices.hostile_voice import refused, voice


def config(**data: Any) -> bytes:
    return json.dumps(CONFIG | {"data": CONFIG["data"] | data}).encode()


CONFIGS = {
    "too deep": b'{"a":' + b"[" * 100_000,
    "too many values": b'{"a":[' + b"[]," * 600_000 + b"[]]}",
    "a name twice": b'{"data": {}, "data": {}}',
    "not a number": b'{"data": {"sampling_rate": NaN}}',
    "no object": b"[]",
    "no UTF-8": b'{"a": "\xff"}',
    "a rate of nothing": config(sampling_rate=0),
    "a rate of a text": config(sampling_rate="44100"),
    "an endless rate": config(sampling_rate=2**60),
    "a broken rate": config(sampling_rate=44100.5),
    "a truth as rate": config(sampling_rate=True),
    "frames of nothing": config(hop_length=0),
    "endless frames": config(hop_length=2**40),
    "a style below nothing": config(style2id={"a": -1}),
    "a style too many": config(style2id={"a": 3}),
    "an endless style": config(style2id={"a": 2**40}),
    "a style of a text": config(style2id={"a": "0"}),
    "a style twice": config(style2id={"a": 0, "b": 0}),
    "styles as a list": config(style2id=["a"]),
    "a speaker that the graph does not have": config(spk2id={"a": 2}),
    "a speaker below nothing": config(spk2id={"a": -1}),
    "blanks of a text": config(add_blank="no"),
    "data of a text": json.dumps({"data": "x"}).encode(),
}


@pytest.mark.parametrize("case", CONFIGS)
def test_settings_that_no_voice_has_are_refused(tmp_path: Path, case: str) -> None:
    refused(voice(tmp_path, config__json=CONFIGS[case]), r"settings of this voice cannot be read: (config.json|model.onnx)")


def test_settings_of_many_megabytes_are_not_parsed(tmp_path: Path) -> None:
    refused(voice(tmp_path, config__json=b" " * (LARGEST_JSON_BYTES + 1)), "too large")


MANIFESTS: dict[str, dict[str, Any]] = {
    "no uuid": {"uuid": None},
    "a uuid that leads outside": {"uuid": "../../40286735-e9ec-5b46-ba35-1fa85ec661d0"},
    "no name": {"name": 5},
    "speakers of a text": {"speakers": "x"},
    "speakers of numbers": {"speakers": [1]},
    "a speaker without an id": {"speakers": [{"name": "a"}]},
    "a speaker with an endless id": {"speakers": [{"name": "a", "local_id": 2**40}]},
    "styles of a text": {"speakers": [{"name": "a", "local_id": 0, "styles": "x"}]},
    "a licence of a number": {"license": 5},
}


@pytest.mark.parametrize("case", MANIFESTS)
def test_manifests_that_no_voice_has_are_refused(tmp_path: Path, case: str) -> None:
    (tmp_path / "voice.aivmx").write_bytes(graph(metadata(MANIFEST | MANIFESTS[case])))
    refused(tmp_path / "voice.aivmx", "settings of this voice cannot be read")


def test_names_of_the_manifest_win_over_those_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "voice.aivmx").write_bytes(graph(metadata()))
    info = read_source(tmp_path / "voice.aivmx").manifest
    assert [(item.id, item.name) for item in info.styles] == [(0, "ノーマル"), (1, "Happy"), (2, "怒り")]
    assert info.id == MANIFEST["uuid"]


def test_texts_cannot_disturb_a_terminal() -> None:
    assert short_text("a\x1b[31m\n\tb\u202ec\ud800" + "x" * 1000) == ("a[31m bc" + "x" * 1000)[:200]
    assert long_text("一行\r\n二行\x00\u200d\u200b ") == "一行\n二行\u200d"
    assert short_text("x" * 10_000_000) == "x" * 200
    with pytest.raises(ValueError, match="no text"):
        long_text(5)
    with pytest.raises(ValueError, match="twice"):
        parse_object('{"a": 1, "a": 2}')
