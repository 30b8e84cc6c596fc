"""The choice of a backend: trials in child processes, what is judged good enough, and what is remembered."""

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.adapters.ort.device_placement import CPU_ONLY, parse_placement
from app.adapters.ort.devices import ort_devices
from app.adapters.ort.devices.device_sessions import OpenedSession, open_session
from app.adapters.ort.devices.ort_devices import BackendDevice, list_backends
from app.adapters.ort.profiled_session import trace_runs
from app.adapters.probe_results import FIRST_RETRY_DELAY_S, MAX_RETRY_DELAY_S, ProbeResultStore
from app.backends import backend_probe, backend_trial
from app.backends.backend_probe import BackendProbe, ProbeResult, choose_fastest, evaluate_trial, find_best_mix, run_trial
from app.backends.backend_trial import load_reference_runs, record_reference_runs, try_placement
from app.cli.main import main
from app.common.errors import BackendError
from app.common.files import paths
from app.common.processes import launch
from app.compose import device_opening
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker, record_speaker
from app.compose.speaker_plan import choose_placement
from app.voices.bert_models import find_bert
from app.voices.installed_voices import find_voice


def line(**changes: Any) -> dict[str, Any]:
    """What a child prints."""
    values: dict[str, Any] = {
        "ran_on": {"bert": "cuda", "prosody": "cuda", "flow": "cuda", "decoder": "cuda"},
        "fallback": None,
        "half": False,
        "first_audio_ms": 10.0,
        "total_ms": 50.0,
        "max_abs_diff": {"bert": 1e-6, "prosody": 1e-6, "decoder": 2e-5},
        "group_ms": {"bert": 5.0, "prosody": 5.0, "decoder": 30.0},
        "trace": [],
    }
    return values | changes


CPU_LINE = line(ran_on=dict.fromkeys(("bert", "prosody", "flow", "decoder"), "cpu"), first_audio_ms=20.0, total_ms=100.0)


def child_that(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Trials run this Python code instead of our command line."""
    monkeypatch.setattr(launch, "build_cli_command", lambda: [sys.executable, "-c", code])


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the voice that ships does on the CPU, which trials are compared with."""
    file = tmp_path_factory.mktemp("recorded") / "calls.npz"
    record_reference_runs(None, file)
    return file


@pytest.fixture
def few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """For trials of which more is asked than how long each length takes."""
    monkeypatch.setattr(backend_trial, "TIMED_TEXTS", backend_trial.TIMED_TEXTS[:2])


@pytest.fixture
def memory(tmp_path: Path) -> ProbeResultStore:
    return ProbeResultStore(tmp_path / "cache" / "probe.json")


@pytest.mark.usefixtures("few_texts")
def test_a_trial_on_the_cpu_equals_the_cpu_and_is_timed(recorded: Path) -> None:
    found = try_placement("cpu", None, recorded)
    assert found.max_abs_diff == {"bert": 0.0, "prosody": 0.0, "decoder": 0.0}
    assert found.graph_diffs == {"bert": 0.0, "prosody": 0.0, "flow": 0.0, "decoder": 0.0}
    assert 0 < found.first_audio_ms <= found.total_ms
    assert sum(found.group_ms.values()) <= found.total_ms
    assert found.fallback is None
    assert json.dumps(asdict(found))


@pytest.mark.usefixtures("few_texts")
def test_a_voice_in_one_graph_is_compared_without_its_noise(tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend_trial, "COMPARED_TEXTS", ("はい。",))  # such a voice runs as it came, and slowly
    source = str(tiny_models / "jp-extra-tiny-2spk" / "model.onnx")
    record_reference_runs(source, tmp_path / "calls.npz")
    found = try_placement("cpu", source, tmp_path / "calls.npz")
    assert found.max_abs_diff == {"bert": 0.0, "decoder": 0.0}  # with noise, no two runs are the same
    cpu = evaluate_trial("cpu", asdict(found))
    gpu = evaluate_trial(
        "cuda", asdict(found) | {"ran_on": {"bert": "cuda", "whole": "cuda"}, "group_ms": {"bert": 1e6, "prosody": 0.0, "decoder": 0.1}}
    )
    assert find_best_mix([cpu, gpu]) == "bert=cpu,prosody=cpu,decoder=cuda"


def test_every_graph_can_be_traced(recorded: Path) -> None:
    models = open_speaker(None, "cpu").models
    traces = {call.graph: trace_runs(models[call.graph], "cpu", call.graph, [call.values]) for call in load_reference_runs(recorded)}
    assert set(traces) == {"bert", "prosody", "flow", "decoder"}
    for found in traces.values():
        assert "error" not in found
        assert found["run_ms"] > 0
        assert found["cpu_nodes"]


@pytest.mark.usefixtures("few_texts")
def test_a_device_that_computes_something_else_is_found_out(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slightly:
        def __init__(self, real: Any) -> None:
            self._real, self.create_run_options = real, real.create_run_options

        def run(self, *arguments: Any) -> list[np.ndarray]:
            return [item + np.float32(3e-4) for item in self._real.run(*arguments)]

    def wrong(model: Any, place: str, name: str, store: Any = None) -> OpenedSession:
        opened = open_session(model, "cpu", name, store)
        if name.endswith("decoder"):
            opened.session._session = Slightly(opened.session._session)  # type: ignore[assignment]
        return OpenedSession(opened.session, place, None)

    monkeypatch.setattr(device_opening, "open_session", wrong)
    found = try_placement("cuda", None, recorded, should_trace=False)
    assert found.max_abs_diff["decoder"] == pytest.approx(3e-4, rel=0.05)
    assert found.max_abs_diff["bert"] == 0.0
    verdict = evaluate_trial("cuda", asdict(found))
    assert verdict.ok is False
    assert "decoder" in str(verdict.reason)
    assert evaluate_trial("cuda", asdict(found) | {"half": True}).ok  # within what float16 may differ


@pytest.mark.parametrize("broken", [None, 2e-4])
def test_wrong_values_and_no_numbers_are_refused(broken: float | None) -> None:
    verdict = evaluate_trial("cuda", line(max_abs_diff={"bert": broken, "prosody": 0.0, "decoder": 0.0}))
    assert verdict.ok is False
    assert "bert" in str(verdict.reason)


def test_the_fastest_is_taken_and_the_cpu_stays_where_the_gain_is_small() -> None:
    cpu, gpu = evaluate_trial("cpu", CPU_LINE), evaluate_trial("cuda", line())
    assert choose_fastest([cpu, gpu]) is gpu
    hardly = evaluate_trial("cuda", line(first_audio_ms=19.0, total_ms=95.0))
    assert choose_fastest([cpu, hardly]) is cpu
    wrong = evaluate_trial("cuda", line(max_abs_diff={"bert": 1.0}))
    assert choose_fastest([cpu, wrong]) is cpu
    with pytest.raises(BackendError):
        choose_fastest([ProbeResult("cpu", ok=False, reason="broken"), gpu])


def test_what_is_fast_in_parts_is_mixed() -> None:
    cpu = evaluate_trial("cpu", CPU_LINE | {"group_ms": {"bert": 2.0, "prosody": 8.0, "decoder": 60.0}})
    assert find_best_mix([cpu, evaluate_trial("cuda", line())]) == "bert=cpu,prosody=cuda,decoder=cuda"
    assert find_best_mix([cpu]) is None
    refused_prosody = {"bert": "cuda", "prosody": "cpu", "flow": "cuda", "decoder": "cuda"}
    partly = evaluate_trial("cuda", line(ran_on=refused_prosody, fallback="refused"))
    assert find_best_mix([cpu, partly]) == "bert=cpu,prosody=cpu,decoder=cuda"
    wrong = evaluate_trial("cuda", line(max_abs_diff={"bert": 0.0, "prosody": 0.0, "decoder": 1.0}))
    assert find_best_mix([cpu, wrong]) == "bert=cpu,prosody=cuda,decoder=cpu"


@pytest.mark.parametrize(
    ("code", "crashed", "words"),
    [
        ("import os; os.abort()", True, "crashed"),
        ("import time; time.sleep(30)", True, "did not finish"),
        ("print('nonsense'); print('[1]')", True, "crashed"),
        ("print('[' * 100_000); print('{' * 100_000); print('1' * 100_000)", True, "crashed"),
        ("""print('{"error": {"family": "backend", "message": "no luck", "hint": "try less"}}')""", False, "no luck try less"),
    ],
)
def test_however_a_child_ends_the_parent_goes_on(
    code: str, crashed: bool, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(backend_probe, "TRIAL_TIME_LIMIT_S", 5.0 if "sleep" not in code else 0.5)
    child_that(monkeypatch, code)
    ended = run_trial("directml:0", None, tmp_path / "x")
    assert ended.line is None
    assert ended.has_crashed is crashed
    assert words in str(ended.error)


@pytest.mark.parametrize(
    "printed",
    [{}, {"error": 5}, {"max_abs_diff": 5}, line(total_ms="x"), line(max_abs_diff={"bert": "x"}), line(ran_on=None), line(trace=5)],
)
def test_a_child_that_says_something_else_counts_as_crashed(printed: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend_probe, "list_places", lambda: ["cpu", "cuda"])
    answers = {"record": {"ok": True}, "cpu": CPU_LINE, "cuda": printed}
    child_that(monkeypatch, f"import json, sys; print(json.dumps({answers!r}[sys.argv[3]]))")
    monkeypatch.setattr(BackendProbe, "list_candidates", lambda _probe: ["cpu", "cuda"])
    cpu, cuda = BackendProbe().run_trials()
    assert (cpu.ok, cuda.ok) == (True, False)
    assert cuda.crashed
    assert "could not be read" in str(cuda.reason)
    assert {item.backend: item.crashed for item in BackendProbe().list_known_results()}["cuda"]


def fake_child(results: dict[str, backend_probe.TrialExit], tried: list[str]) -> Any:
    def run(trial: str, _wanted: str | None, _calls: Path) -> backend_probe.TrialExit:
        tried.append(trial)
        return results[trial]

    return run


def test_a_crashed_trial_is_left_alone_and_the_choice_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    mix = "bert=cpu,prosody=cpu,decoder=cuda"
    results = {
        "record": backend_probe.TrialExit(line={"ok": True}),
        "cpu": backend_probe.TrialExit(line=CPU_LINE | {"group_ms": {"bert": 2.0, "prosody": 3.0, "decoder": 60.0}}),
        "bert=cpu,prosody=cpu,decoder=directml:0": backend_probe.TrialExit(error="died", has_crashed=True),
        mix: backend_probe.TrialExit(line=line(total_ms=40.0)),
        "bert=cpu,prosody=cuda,decoder=cpu": backend_probe.TrialExit(line=line(total_ms=98.0)),
        "bert=cuda,prosody=cpu,decoder=cpu": backend_probe.TrialExit(line=line(max_abs_diff={"bert": 1.0, "prosody": 0.0, "decoder": 0.0})),
        "cuda": backend_probe.TrialExit(line=line(total_ms=60.0)),
    }
    broken = "bert=cpu,prosody=cpu,decoder=directml:0"
    on_directml = [broken, "bert=cpu,prosody=directml:0,decoder=cpu", "bert=directml:0,prosody=cpu,decoder=cpu", "directml:0"]
    monkeypatch.setattr(backend_probe, "list_places", lambda: ["cpu", "directml:0", "cuda"])
    monkeypatch.setattr(backend_probe, "run_trial", fake_child(results, tried))
    found = list(BackendProbe().run_trials())
    assert [(item.backend, item.ok, item.chosen) for item in found] == [
        ("cpu", True, False),
        *((place, False, False) for place in on_directml),
        (mix, True, True),
        ("bert=cpu,prosody=cuda,decoder=cpu", True, False),
        ("bert=cuda,prosody=cpu,decoder=cpu", False, False),
        ("cuda", True, False),
    ]
    assert tried == [
        "record",
        "cpu",
        broken,
        *list(results)[3:],
        "cpu",
    ]  # a device that crashed once is left alone; the CPU has a second chance
    assert "in the trial before" in str(found[2].reason)
    voice = find_voice(None, paths.list_voice_dirs())
    bert = find_bert(voice.manifest.bert, paths.list_bert_dirs())
    assert choose_placement(voice, bert) == parse_placement(mix)
    assert {item.backend: item.chosen for item in BackendProbe().list_known_results()}[mix]

    tried.clear()
    again = {item.backend: item for item in BackendProbe().run_trials()}
    assert broken not in tried
    assert "will be tried again" in str(again[broken].reason)
    tried.clear()
    list(BackendProbe().run_trials(should_retry=True))
    assert broken in tried

    opened = open_speaker(None, "auto")  # the remembered backend is not there now: the voice speaks, and says so
    assert opened.backends["decode"] == "cpu"
    assert opened.fallback is None or "CUDA" in opened.fallback


def test_a_trial_that_took_the_machine_with_it_counts_as_failed(memory: ProbeResultStore) -> None:
    memory.begin_trial("directml:0", "voice")
    assert 0 < memory.compute_retry_delay("directml:0", "voice") <= FIRST_RETRY_DELAY_S
    assert memory.compute_retry_delay("directml:0", "another voice") == 0


def test_what_fails_again_and_again_waits_longer_and_success_forgets(tmp_path: Path) -> None:
    now = [1000.0]
    memory = ProbeResultStore(tmp_path / "probe.json", lambda: now[0])
    waits = []
    for _ in range(8):
        memory.begin_trial("cuda", "voice")
        memory.end_trial("cuda", {"crashed": True}, "voice")
        waits.append(memory.compute_retry_delay("cuda", "voice"))
    assert waits[:3] == [FIRST_RETRY_DELAY_S, 4 * FIRST_RETRY_DELAY_S, 16 * FIRST_RETRY_DELAY_S]
    assert waits[-1] == MAX_RETRY_DELAY_S
    now[0] = -1e9  # a clock set back
    assert memory.compute_retry_delay("cuda", "voice") <= MAX_RETRY_DELAY_S
    memory.begin_trial("cuda", "voice")
    memory.end_trial("cuda", {"crashed": False}, "voice")
    assert memory.compute_retry_delay("cuda", "voice") == 0


def test_a_trial_the_user_stopped_says_nothing(memory: ProbeResultStore) -> None:
    memory.begin_trial("cuda", "voice")
    memory.cancel_trial("cuda", "voice")
    assert memory.compute_retry_delay("cuda", "voice") == 0


def test_a_choice_is_forgotten_when_a_driver_changes(memory: ProbeResultStore, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.save_placement("cuda", "voice")
    assert memory.find_placement("voice") == "cuda"
    monkeypatch.setattr(ort_devices, "collect_machine_facts", lambda: ["another driver"])
    assert memory.find_placement("voice") is None


@pytest.mark.parametrize("content", ["", "[]", "{", '{"x": 1}', "\x00"])
def test_a_damaged_memory_is_an_empty_one(content: str, memory: ProbeResultStore, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "probe.json").write_text(content, encoding="utf-8")
    assert memory.find_placement("voice") is None
    memory.save_placement(str(CPU_ONLY), "voice")
    assert memory.find_placement("voice") == "cpu"


def test_a_graph_is_timed_with_lengths_it_has_not_met(recorded: Path) -> None:
    """As a device that compiles for each new length: what is timed must not have been spoken before."""
    met: list[tuple[str, int]] = []
    real = backend_trial._measure_speech

    def listen(speaker: Speaker, text: str) -> dict[str, float]:
        recorded, sessions = record_speaker(speaker)
        times = real(recorded, text)
        met.extend((text, run.values["x_tst"].size) for run in sessions["prosody"].runs)
        return times

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend_trial, "_measure_speech", listen)
        try_placement("cpu", None, recorded)
    warm = {size for text, size in met if text in backend_trial.COMPARED_TEXTS}
    timed = [size for text, size in met if text in backend_trial.TIMED_TEXTS]
    assert len(timed) >= len(backend_trial.TIMED_TEXTS)
    assert not warm & set(timed)
    assert len(set(timed)) == len(backend_trial.TIMED_TEXTS)


def test_a_small_adapter_is_not_even_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    results = {"record": backend_probe.TrialExit(line={"ok": True}), "cpu": backend_probe.TrialExit(line=CPU_LINE)}
    monkeypatch.setattr(backend_probe, "list_places", lambda: ["cpu", "directml:0"])
    monkeypatch.setattr(
        backend_probe, "find_effective_device", lambda place: None if place == "cpu" else BackendDevice("directml", 0, "Old card", 256, 0)
    )
    monkeypatch.setattr(backend_probe, "run_trial", fake_child(results, tried))
    found = list(BackendProbe().run_trials())
    assert tried == ["record", "cpu"]
    assert found[1].ok is False
    assert "256 MB" in str(found[1].reason)
    assert found[0].chosen
    monkeypatch.setattr(
        backend_probe,
        "find_effective_device",
        lambda place: BackendDevice("directml", 0, "Card", round(backend_probe.RESERVED_DEVICE_MB + 10), 0),
    )
    for group in ("bert", "decoder"):
        results[str(replace(CPU_ONLY, **{group: "directml:0"}))] = backend_probe.TrialExit(line=CPU_LINE | {"total_ms": 1e9})
    needed = {item.backend: item.reason for item in BackendProbe().run_trials(should_retry=True) if item.ok is False}
    assert set(needed) == {"bert=cpu,prosody=directml:0,decoder=cpu", "directml:0"}  # a group is measured by its own weights
    assert "about 526 MB required" in str(needed["bert=cpu,prosody=directml:0,decoder=cpu"])


def test_the_list_says_what_was_not_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backends", "--json"]) == 0
    lines = [json.loads(item) for item in capsys.readouterr().out.splitlines()]
    assert lines[0]["backend"] == "cpu"
    fields = ["backend", "adapter", "ok", "max_abs_diff", "first_audio_ms", "total_ms", "chosen", "reason"]
    assert all(list(item) == fields for item in lines)
    assert lines[0]["ok"] is None
    assert lines[0]["chosen"] is True


@pytest.mark.slow
def test_this_machine_is_probed_for_real(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backends", "--probe", "--json"]) == 0
    lines = [json.loads(item) for item in capsys.readouterr().out.splitlines()]
    found = {item["backend"]: item for item in lines if "backend" in item}
    assert found["cpu"]["ok"] is True
    assert found["cpu"]["max_abs_diff"] == 0.0
    assert sum(item["chosen"] for item in found.values()) == 1
    assert set(list_backends()) <= set(found)
    assert main(["backends"]) == 0
    assert "used by auto" in capsys.readouterr().out


def test_before_any_measurement_the_first_guess_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Auto takes is marked, even where it is none of the places that are tried."""
    assert [finding.backend for finding in BackendProbe().list_known_results() if finding.chosen] == ["cpu"]
    guess = replace(CPU_ONLY, decoder="cuda")
    monkeypatch.setattr(backend_probe, "guess_placement", lambda _voice: guess)
    (chosen,) = [finding for finding in BackendProbe().list_known_results() if finding.chosen]
    assert chosen.backend == str(guess)
    assert chosen.ok is None
