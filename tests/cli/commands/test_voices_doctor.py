"""`koebako voices` and `doctor`."""

import json
from pathlib import Path

import numpy as np
import pytest

from app.cli.commands.voices.voice_records import build_list_record, format_field
from app.cli.main import main
from app.common.files import paths
from app.common.files.paths import find_resources_dir
from app.common.language import set_language
from app.install.voice_preparation import prepare_voice
from app.voices.prepared_voice import read_manifest
from app.voices.voice_card_data import VoiceCardData
from tests.brief_preparation import verify_briefly


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_list_shows_the_starter_voice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["voices", "list", "--json"]) == 0
    (voice,) = lines(capsys.readouterr().out)
    assert set(voice) == {"id", "name", "source", "format", "opaque", "speakers", "styles", "sampling_rate", "bert", "path"} | {
        "architecture",
        "ready",
        "default",
    }
    assert (voice["id"], voice["architecture"], voice["ready"]) == ("mei", "mei", "better")
    assert voice["opaque"] is False
    assert len(voice["styles"]) >= 5  # type: ignore[arg-type]
    assert main(["voices", "list"]) == 0
    assert "Happy" in capsys.readouterr().out


def test_info_shows_licence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["voices", "info", "mei"]) == 0
    assert "CC BY" in capsys.readouterr().out
    assert main(["voices", "info", "mei", "--json"]) == 0
    assert lines(capsys.readouterr().out)[0]["id"] == "mei"


def test_people_read_japanese_and_programs_what_they_know(capsys: pytest.CaptureFixture[str]) -> None:
    set_language("ja")
    for command in (["voices", "info", "mei"], ["voices", "list"], ["doctor"]):
        assert main(command) == 0
        assert "Mei（付属）" in (told := capsys.readouterr().out)
        assert "Mei (starter)" not in told
    assert main(["voices", "info", "mei"]) == 0
    told = capsys.readouterr().out
    assert {"形式: Koebako 付属", "一体型: いいえ", "利用規約への同意: 済み", "音声合成の精度: 高精度"} <= set(told.splitlines())
    assert not {field for field in VoiceCardData.__dataclass_fields__ if f"\n{field}: " in told}
    assert main(["doctor", "--only", "dictionary"]) == 0
    assert capsys.readouterr().out == "✓ ユーザー辞書（dictionary）: 0 語\n"
    assert main(["voices", "info", "mei", "--json"]) == 0
    (info,) = lines(capsys.readouterr().out)
    assert (info["name"], info["format"], info["opaque"]) == ("Mei (starter)", "starter", False)
    assert main(["doctor", "--json"]) == 0
    assert "Mei (starter): " in capsys.readouterr().out


def test_every_field_of_a_voice_has_a_label() -> None:
    set_language("ja")
    fields = set(build_list_record(read_manifest(find_resources_dir() / "voices" / "mei"), Path())) | set(
        VoiceCardData.__dataclass_fields__
    ) - {"speakers"}
    assert {field for field in fields | {"description", "licence", "hop_length", "precision"} if format_field(field) == field} == set()


def test_check_fails_on_a_wrong_output_or_length(
    tiny_models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    verify_briefly(monkeypatch)
    source = tiny_models / "jp-extra-tiny"
    with np.load(source / "expected.npz") as data:
        values = {name: data[name] for name in data.files if name.startswith("case0")}
    values["case0.output"] = values["case0.output"] + np.float32(0.01)
    np.savez(tmp_path / "wrong.npz", **values)
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    prepare_voice(source / "model.safetensors", prepared, int8=False)
    arguments = ["voices", "check", str(prepared), "--json", "--expected"]
    assert main([*arguments, str(tmp_path / "wrong.npz")]) == 3
    assert lines(capsys.readouterr().out)[0]["max_abs_diff"] == pytest.approx(0.01, abs=1e-4)
    assert main([*arguments, str(tmp_path / "wrong.npz"), "--tolerance", "0.02"]) == 0
    capsys.readouterr()
    values["case0.output"] = values["case0.output"][..., :-512]
    np.savez(tmp_path / "short.npz", **values)
    assert main([*arguments, str(tmp_path / "short.npz")]) == 3
    case = lines(capsys.readouterr().out)[0]
    assert case["max_abs_diff"] is None
    assert case["durations_equal"] is False


@pytest.mark.parametrize("content", [b"", b"not a file of arrays", b"PK\x03\x04broken"])
def test_check_refuses_a_broken_npz(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.npz").write_bytes(content)
    assert main(["voices", "check", "x.onnx", "--expected", str(tmp_path / "bad.npz")]) == 2
    assert "expected outputs" in capsys.readouterr().err


def test_doctor_finds_all_that_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    (report,) = lines(capsys.readouterr().out)
    assert set(report) == {"ok", "checks", "versions", "providers", "audio_devices", "paths"}
    assert report["ok"] is True
    checks: list[dict[str, str]] = report["checks"]  # type: ignore[assignment]
    assert all(set(check) == {"id", "status", "found", "fix"} for check in checks)
    assert {check["id"]: check["status"] for check in checks if check["id"] != "audio"} == dict.fromkeys(
        ["python", "onnxruntime", "g2p", "dictionary", "voice", "voices", "backends", "sound_files", "data_dir", "window"], "ok"
    )


def test_doctor_looks_at_one_thing_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json", "--only", "g2p"]) == 0
    (report,) = lines(capsys.readouterr().out)
    assert [check["id"] for check in report["checks"]] == ["g2p"]  # type: ignore[attr-defined]
    assert report["providers"] == []
    assert main(["doctor", "--only", "nothing"]) == 2
    assert "Available: python, " in capsys.readouterr().err


def test_doctor_says_what_is_broken(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    monkeypatch.setattr(paths, "find_resources_dir", lambda: tmp_path)
    assert main(["doctor"]) == 70
    assert "✗ voice: There are no voices." in capsys.readouterr().out
