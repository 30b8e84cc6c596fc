"""Settings and manifests that no voice can have are refused; texts from strangers disturb nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.common.files.untrusted_json import parse_object, sanitise_long_text, sanitise_short_text
from app.voices.containers.voice_sources import read_voice_source
from app.voices.prepared_voice import NamedId
from app.voices.untrusted.voice_limits import MAX_VOICE_JSON_BYTES
from tests.voices.fuzz.small_voices import CONFIG, MANIFEST, graph, metadata
from tests.voices.hostile_voice import refused, voice


def config(**data: Any) -> bytes:
    return json.dumps(CONFIG | {"data": CONFIG["data"] | data}).encode()


DATA = r"“data\.%s” in config\.json is not valid: "
CONFIGS: dict[str, tuple[bytes, str]] = {
    "too deep": (b'{"a":' + b"[" * 100_000, "a value is not allowed"),
    "too many values": (b'{"a":[' + b"[]," * 600_000 + b"[]]}", "a value is not allowed"),
    "a name twice": (b'{"data": {}, "data": {}}', "a name that occurs twice"),
    "not a number": (b'{"data": {"sampling_rate": NaN}}', "such as NaN"),
    "no JSON": (b'{"data": {},\n}', "line 2, column 1"),
    "no object": (b"[]", "not a JSON object"),
    "no UTF-8": (b'{"a": "\xff"}', "not UTF-8"),
    "nothing": (b"", "“config.json” is an empty file"),
    "zeros": (bytes(20), "“config.json” is a file that contains only zeros"),
    "a web page": (b"<!DOCTYPE html><html>", "“config.json” is a saved web page"),
    "a pointer": (b"version https://git-lfs.github.com/spec/v1\n", "“config.json” is a Git LFS pointer"),
    "an archive": (b"PK\x03\x04", "“config.json” is a zip"),
    "a rate of nothing": (config(sampling_rate=0), DATA % "sampling_rate" + "0 is not a whole number from 1000 to 384000"),
    "a rate of a text": (config(sampling_rate="fast"), DATA % "sampling_rate" + '"fast" is not a whole number'),
    "an endless rate": (config(sampling_rate=2**60), DATA % "sampling_rate"),
    "an endless rate as text": (config(sampling_rate="9" * 400), DATA % "sampling_rate"),
    "an endless rate as float": (config(sampling_rate=1e300), DATA % "sampling_rate"),
    "a broken rate": (config(sampling_rate=44100.5), DATA % "sampling_rate" + "44100.5"),
    "a truth as rate": (config(sampling_rate=True), DATA % "sampling_rate" + "true"),
    "no rate": (config(sampling_rate=None), DATA % "sampling_rate" + "null"),
    "frames of nothing": (config(hop_length=0), DATA % "hop_length"),
    "endless frames": (config(hop_length=2**40), DATA % "hop_length"),
    "a style below nothing": (config(style2id={"a": -1}), DATA % r"style2id\.a" + "-1"),
    "a style too many": (config(style2id={"a": 3}), DATA % "style2id" + "it names style 3, but the number of style vectors is 3"),
    "an endless style": (config(style2id={"a": 2**40}), DATA % r"style2id\.a"),
    "a style of a text": (config(style2id={"a": "first"}), DATA % r"style2id\.a" + '"first"'),
    "a style twice": (config(style2id={"a": 0, "b": 0}), DATA % "style2id" + "a number occurs twice"),
    "styles as a list": (config(style2id=["a"]), DATA % "style2id" + r"\[\"a\"\] is not an object"),
    "a speaker that the graph does not have": (config(spk2id={"a": 2}), DATA % "spk2id" + "it names speaker 2, but the model has 2"),
    "a speaker below nothing": (config(spk2id={"a": -1}), DATA % r"spk2id\.a"),
    "a speaker that would disturb a terminal": (config(spk2id={"\x1b[31m\u202e": -1}), DATA % r"spk2id\.\[31m"),
    "blanks of a text": (config(add_blank="perhaps"), DATA % "add_blank" + '"perhaps" is neither true nor false'),
    "blanks of a number": (config(add_blank=2), DATA % "add_blank"),
    "data of a text": (json.dumps({"data": "x"}).encode(), "“data” in config.json"),
}


@pytest.mark.parametrize("case", CONFIGS)
def test_settings_that_no_voice_has_are_refused_and_the_field_is_named(tmp_path: Path, case: str) -> None:
    content, says = CONFIGS[case]
    error = refused(voice(tmp_path, config__json=content), says)
    assert "config.json" in error.message
    assert "damaged" not in f"{error.message} {error.hint}"


@pytest.mark.parametrize(
    ("values", "field", "expected"),
    [
        *(({"sampling_rate": value}, "sampling_rate", 44100) for value in (44100.0, "44100", " 44100 ", "44100.0", "+44100")),
        *(({"add_blank": value}, "add_blank", True) for value in (1, 1.0, "true", "TRUE", "yes", "on", "1")),
        *(({"add_blank": value}, "add_blank", False) for value in (0, 0.0, "false", "No", "off", "0")),
        ({"hop_length": 512.0}, "hop_length", 512),
        *(({"spk2id": {"a": value}}, "speakers", (NamedId(1, "a"),)) for value in (1.0, "1", True)),
        ({"more": [1], "n_speakers": "many"}, "hop_length", 512),
    ],
)
def test_values_that_sbv2_takes_are_taken(tmp_path: Path, values: dict[str, Any], field: str, expected: object) -> None:
    assert getattr(read_voice_source(voice(tmp_path, config__json=config(**values))).manifest, field) == expected


def test_what_the_settings_leave_out_is_what_sbv2_assumes(tmp_path: Path) -> None:
    info = read_voice_source(voice(tmp_path, config__json=b'{"model_name": 5}')).manifest
    assert (info.name, info.sampling_rate, info.hop_length, info.add_blank) == ("model", 44100, 512, True)


def test_settings_of_many_megabytes_are_not_parsed(tmp_path: Path) -> None:
    refused(voice(tmp_path, config__json=b" " * (MAX_VOICE_JSON_BYTES + 1)), "too large")


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
    refused(tmp_path / "voice.aivmx", "AIVM manifest of this voice cannot be read: voice.aivmx")


def test_settings_inside_of_a_container_are_named_as_such(tmp_path: Path) -> None:
    data = CONFIG["data"] | {"spk2id": {"a": 7}}
    (tmp_path / "voice.aivmx").write_bytes(graph(metadata(config=CONFIG | {"data": data})))
    refused(tmp_path / "voice.aivmx", r"“data.spk2id” in voice.aivmx \(aivm_hyper_parameters\) is not valid: it names speaker 7")


def test_names_of_the_manifest_win_over_those_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "voice.aivmx").write_bytes(graph(metadata()))
    info = read_voice_source(tmp_path / "voice.aivmx").manifest
    assert [(item.id, item.name) for item in info.styles] == [(0, "ノーマル"), (1, "Happy"), (2, "怒り")]
    assert info.id == MANIFEST["uuid"]


def test_texts_cannot_disturb_a_terminal() -> None:
    assert sanitise_short_text("a\x1b[31m\n\tb\u202ec\ud800" + "x" * 1000) == ("a[31m bc" + "x" * 1000)[:200]
    assert sanitise_long_text("一行\r\n二行\x00\u200d\u200b ") == "一行\n二行\u200d"
    assert sanitise_short_text("x" * 10_000_000) == "x" * 200
    with pytest.raises(ValueError, match="no text"):
        sanitise_long_text(5)
    with pytest.raises(ValueError, match="twice"):
        parse_object('{"a": 1, "a": 2}')
