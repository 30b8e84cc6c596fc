"""A child that a graph has led astray brings back whatever it likes: only a voice, and nothing else, is taken from it."""

import json
import sys
from pathlib import Path

import pytest

from app.common.errors import VoiceError
from app.common.files import paths
from app.common.processes import launch
from app.install.install_bert import measure_agreements, parse_agreement
from app.install.sandboxed_import import UnsafeFileError, parse_bert, parse_case, prepare_bert_in_sandbox, prepare_voice_in_sandbox
from app.voices.bert_models import list_installed_berts
from app.voices.expected_outputs import CaseResult
from app.voices.installed_voices import find_voice
from app.voices.prepared_voice import read_manifest

CHILD = """
import json, os, shutil, sys
from pathlib import Path
print(json.dumps({{"pid": os.getpid()}}), flush=True)
given = json.loads(sys.stdin.readline())
folder = Path(given["arguments"][1])
for item in Path({shipped!r}).iterdir():
    if item.name in ("voice.json", "style_vectors.npy") or item.suffix in (".onnx", ".bin"):
        shutil.copyfile(item, folder / item.name)
def changed(**values):
    file = folder / "voice.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | values), encoding="utf-8")
found = {{"found": {{"max_abs_diff": 1e-6, "reason": None}}}}
answers = [found, {{"done": True}}]
{does}
for item in answers: print(json.dumps(item), flush=True)
"""
OUTSIDE = """
import onnx
model = onnx.load(str(folder / "decoder.onnx"))
tensor = next(item for item in model.graph.initializer if item.raw_data)
tensor.ClearField("raw_data")
tensor.data_location = onnx.TensorProto.EXTERNAL
entry = tensor.external_data.add()
entry.key, entry.value = "location", "../../secret"
onnx.save(model, str(folder / "{graph}.onnx"))
"""
LIES = {
    "a link": '(folder / "flow.bin").symlink_to("/etc/passwd")',
    "a folder": '(folder / "flow.bin").mkdir()',
    "a program": '(folder / "run.py").write_text("x")',
    "no graph": '(folder / "decoder.onnx").unlink()',
    "no description": '(folder / "voice.json").unlink()',
    "a graph elsewhere": 'changed(graphs={"whole": "../../whole.onnx"})',
    "weights elsewhere": OUTSIDE.format(graph="decoder"),
    "weights of the int8 decoder elsewhere": OUTSIDE.format(graph="decoder_int8")
    + 'changed(fast={"graphs": {"decoder": {"file": "decoder_int8.onnx", "snr_db": 40, "lsd_db": 0.1}}, "snr_db": 40, "lsd_db": 0.1})',
    "an int8 decoder elsewhere": 'changed(fast={"graphs": {"decoder": {"file": "../decoder.onnx", "snr_db": 40, "lsd_db": 0.1}}, "snr_db": 40, "lsd_db": 0.1})',
    "two answers": "answers.insert(0, found)",
    "no answer": "answers.remove(found)",
    "an answer of another shape": 'found["found"] = {"max_abs_diff": "1e-6", "reason": 5}',
    "a difference beyond numbers": 'found["found"]["max_abs_diff"] = 10**400',
}


def _astray(monkeypatch: pytest.MonkeyPatch, does: str) -> None:
    code = CHILD.format(shipped=str(paths.find_resources_dir() / "voices" / "mei"), does=does)
    monkeypatch.setattr(launch, "build_cli_command", lambda: [sys.executable, "-c", code])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def test_an_honest_one_is_believed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _astray(monkeypatch, "")
    prepared = prepare_voice_in_sandbox(folder.parent / "voice.onnx", folder)
    assert prepared.max_abs_diff == 1e-6
    assert prepared.manifest == read_manifest(folder)
    assert all(item.is_file() for item in folder.iterdir())


@pytest.mark.parametrize("lie", LIES)
def test_what_is_no_voice_is_not_taken(lie: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform == "win32" and lie == "a link":
        pytest.skip("links need a privilege on Windows")
    _astray(monkeypatch, LIES[lie])
    with pytest.raises(VoiceError) as caught:
        prepare_voice_in_sandbox(folder.parent / "voice.onnx", folder)
    assert caught.value.hint
    assert list(folder.iterdir()) == []


def test_what_is_no_bert_is_not_taken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _astray(monkeypatch, 'found["found"] = ' + repr(ANSWER))
    with pytest.raises(UnsafeFileError):  # a voice is what it has brought
        prepare_bert_in_sandbox(folder.parent / "bert.onnx", folder)
    assert list(folder.iterdir()) == []


ANSWER = {
    "architecture": [22, 16, 1024, 4096, 22012, 1e-7],
    "files": {"float32": "bert.onnx", "int8": "bert_int8.onnx"},
    "max_rel_diff": 1e-6,
    "int8_cosine": 0.9995,
    "int8_block": 256,
    "kept_whole": None,
}


def test_the_sizes_of_a_bert_are_numbers() -> None:
    assert parse_bert(ANSWER).build_description()["int8_block"] == 256
    for name, wrong in {
        "architecture": [1, 2],
        "files": {"int8": "bert_int8.onnx"},
        "max_rel_diff": float("nan"),
        "int8_cosine": "1",
        "int8_block": -1,
        "kept_whole": 7,
    }.items():
        with pytest.raises(UnsafeFileError):
            parse_bert(ANSWER | {name: wrong})
    with pytest.raises(UnsafeFileError):
        parse_bert(ANSWER | {"files": {"float32": "../bert.onnx"}})
    with pytest.raises(UnsafeFileError):
        parse_bert({name: value for name, value in ANSWER.items() if name != "files"})


def test_cases_and_shares_are_numbers_in_their_ranges() -> None:
    case = parse_case({"case": 0, "max_abs_diff": None, "durations_equal": True, "frames": 5})
    assert isinstance(case, CaseResult)
    assert case.frames == 5
    for wrong in ({"case": -1}, {"max_abs_diff": "x"}, {"frames": 1.5}):
        with pytest.raises(UnsafeFileError):
            parse_case({"case": 0, "max_abs_diff": None, "durations_equal": True, "frames": 5} | wrong)
    assert [parse_agreement({"share": value}) for value in (0.5, 0.0, 1.0, 1, "1", 1.5, -0.1, None)] == [0.5, 0.0, 1.0, *[None] * 5]


def test_more_shares_than_voices_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [{"found": {"read": True}}, *[{"found": {"share": 0.5}}] * 5, {"done": True}]
    code = f"import os, sys\nprint({json.dumps({'pid': 1})!r})\nsys.stdin.readline()\nprint({chr(10).join(map(json.dumps, said))!r})"
    if sys.platform == "win32":
        code = code.replace('{"pid": 1}', "{\"pid\": ' + str(os.getpid()) + '}")
    monkeypatch.setattr(launch, "build_cli_command", lambda: [sys.executable, "-c", code])
    (bert,) = list_installed_berts([paths.find_resources_dir() / "bert"])
    voice = find_voice("mei", paths.list_voice_dirs())
    assert list(measure_agreements(bert, [voice, voice])) == [0.5, 0.5]
