"""`koebako selftest`: one file with what a maintainer wants to know."""

import json
import sys
from pathlib import Path

import pytest

from app.adapters.ort.devices import ort_devices
from app.adapters.ort.devices.ort_devices import BackendDevice
from app.backends import backend_probe
from app.cli.commands.selftest import run as selftest
from app.cli.main import main
from app.common.processes import launch


@pytest.mark.slow
def test_the_report_tells_how_the_cpu_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)  # its name must not be in the file
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    report = tmp_path / "報告.json"
    assert main(["selftest", "--report", str(report)]) == 0
    text = report.read_text(encoding="utf-8")
    assert str(tmp_path) not in text
    value = json.loads(text)
    assert value["ok"] is True
    assert value["machine"]["memory_gb"] > 0
    cpu = value["backends"][0]
    assert (cpu["backend"], cpu["ok"], cpu["max_abs_diff"]) == ("cpu", True, 0.0)
    assert cpu["total_ms"] >= cpu["first_audio_ms"] > 0
    assert {"decode", "total"} <= {row.get("stage") for row in cpu["bench"]}
    assert value["doctor"]["ok"] is True
    placed = value["placements"][0]
    assert (placed["placement"], placed["max_abs_diff"]) == ("cpu", {"bert": 0.0, "prosody": 0.0, "decoder": 0.0})
    assert len(placed["sentences"]) == 3
    assert all(
        {"first_audio", "total", "bert", "prosody", "decoder"} <= set(item["cold"]) & set(item["warm"]) for item in placed["sentences"]
    )
    assert (value["window"]["ok"], value["window"]["errors"]) == (True, [])
    assert value["window"]["screens"][0]["scale"] >= 1


def test_a_window_program_that_dies_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "build_window_command", lambda: [sys.executable, "-c", "import os; os.abort()"])
    found = selftest.run_window_selftest()
    assert found["ok"] is False
    assert found["errors"][0].startswith("exit code")


def test_a_backend_that_kills_its_process_is_one_line_of_the_report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(launch, "build_cli_command", lambda: [sys.executable, "-c", "import os; os.abort()"])
    trial = selftest.try_backend("directml", tmp_path)
    assert not trial.ok
    assert trial.exit_code not in (0, None)
    assert trial.total_ms is None


def test_a_report_that_cannot_be_written_is_refused_at_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["selftest", "--report", str(tmp_path / "no" / "a.json")]) == 7
    assert "could not be written" in capsys.readouterr().err


def fake_trials(monkeypatch: pytest.MonkeyPatch, answers: dict[str, backend_probe.TrialExit]) -> list[str]:
    """What children say by placement; the rest is well. Returns those that were tried."""
    tried: list[str] = []

    def run(trial: str, _wanted: str | None, _calls: Path) -> backend_probe.TrialExit:
        tried.append(trial)
        return answers.get(trial, backend_probe.TrialExit(line={"total_ms": 5.0}))

    monkeypatch.setattr(selftest, "run_trial", run)
    return tried


def test_every_group_of_every_device_is_in_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend_probe, "list_places", lambda: ["cpu", "directml:0", "directml:1"])
    hung = "bert=cpu,prosody=cpu,decoder=directml:0"
    tried = fake_trials(monkeypatch, {hung: backend_probe.TrialExit(error="did not finish", has_crashed=True)})
    found = {item["placement"]: item for item in selftest.measure_placements()}
    on_second = [
        f"bert=cpu,prosody=cpu,decoder={(two := 'directml:1')}",
        f"bert=cpu,prosody={two},decoder=cpu",
        f"bert={two},prosody=cpu,decoder=cpu",
        two,
    ]
    assert list(found) == ["cpu", hung, *on_second]  # a device that hung is not tried with the other groups
    assert tried == ["record", *found]
    assert found[hung] == {"placement": hung, "error": "did not finish", "crashed": True}
    assert found["cpu"]["total_ms"] == 5.0


def test_a_cpu_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = fake_trials(monkeypatch, {"record": backend_probe.TrialExit(error="broken")})
    assert selftest.measure_placements() == [{"placement": "cpu", "error": "broken", "crashed": False}]
    assert tried == ["record"]


def test_adapters_are_told_with_their_drivers(monkeypatch: pytest.MonkeyPatch) -> None:
    card = BackendDevice("directml", 1, "Radeon RX 6600", 8192, 0)
    monkeypatch.setattr(selftest, "list_devices", lambda: [card])
    monkeypatch.setattr(ort_devices, "list_devices", lambda: [card])
    monkeypatch.setattr(ort_devices, "_list_drivers", lambda: ["Intel UHD 31.0", "Radeon RX 6600 32.0.1"])
    monkeypatch.setattr(ort_devices, "list_backends", lambda: ["directml", "cpu"])
    (told,) = selftest.describe_devices()
    assert (told["place"], told["name"], told["memory_mb"]) == ("directml:1", "Radeon RX 6600", 8192)
    assert told["facts"][1:] == ["directml", "Radeon RX 6600", "Radeon RX 6600 32.0.1"]  # another card's driver changes nothing
