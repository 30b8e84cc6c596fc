"""What is counted of DirectML: how the log and the counters are read, what must hold, and that the made-up voice is as a real one is."""

import ctypes
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from bundle import directml_check, directml_count
from bundle.beat import Beat
from bundle.directml_models import SMALL, Widths, shapes

from app.voices.untrusted.safetensors_file import SafetensorsFile

LOG = """\
[V:onnxruntime:, session_state.cc:1313 VerifyEachNodeIsAssignedToAnEp]  All nodes placed on [CPUExecutionProvider]. Number of nodes: 700
counting: opened BERT
[I:onnxruntime:, transformer_memcpy.cc:393 AddCopyNode] Add MemcpyFromHost after a/ScatterElements_2 for DmlExecutionProvider
[I:onnxruntime:, transformer_memcpy.cc:393 AddCopyNode] Add MemcpyToHost before b for DmlExecutionProvider
[V:onnxruntime:, session_state.cc:1313 VerifyEachNodeIsAssignedToAnEp]  Node(s) placed on [DmlExecutionProvider]. Number of nodes: 707
[V:onnxruntime:, session_state.cc:1313 VerifyEachNodeIsAssignedToAnEp]  Node(s) placed on [CPUExecutionProvider]. Number of nodes: 27
counting: opened 声: 二: flow
"""
ROW = {
    "voice": directml_check.MADE, "placement": directml_check.DECODER_ONLY, "graph": "decoder", "size": 64, "nodes_device": 1, "nodes_cpu": 0,
    "copies": 0, "compiled_at_open": 1, "compiled_after_warm_up": 0, "runs": 7, "sentences_on_cpu": 0,
    "longest_gap_ms": 9.0, "opened_in_ms": 640.0, "held_share": 0.01, "quiet_gap_ms": 4.0, "voice_gap_ms": 13.0,
}  # fmt: skip


def test_the_log_tells_where_nodes_are() -> None:
    assert directml_count.placements(LOG) == {"flow": Counter(DmlExecutionProvider=707, CPUExecutionProvider=27, memcpy=2)}


class Device:
    """Counts what a test tells it to."""

    def __init__(self) -> None:
        self.counted = Counter[str]()

    def ReadCounters(self, values: Any) -> None:  # noqa: N802 — as in objects.c
        """As the library does it."""
        values[:] = [self.counted[name] for name in directml_count.COUNTERS]


def test_a_run_is_what_happened_since_the_one_before() -> None:
    device = Device()
    watch = directml_count.Watch(device)
    device.counted.update(compiled_graphs=1)
    watch.opened("made: decoder")
    watch.sentence = 0
    for compiled in (0, 3):
        watch.fed({"z": np.zeros((192, 64)), "sid": np.zeros(1)})
        device.counted.update(executed=1, copied=2 + 1 + 4, compiled=compiled)
        watch.ran("decoder", ["audio"])
    watch.ran("decoder", ["audio"])  # nothing was asked of the device
    speaker = SimpleNamespace(sessions={"decoder": SimpleNamespace(place="directml"), "bert": SimpleNamespace(place="cpu")})
    (row,) = directml_count.rows(speaker, watch, LOG)
    assert row == {
        "graph": "decoder", "size": 64, "nodes_device": 0, "nodes_cpu": 0, "copies": 4, "compiled_at_open": 1, "compiled_after_warm_up": 3,
        "runs": 2, "sentences_on_cpu": 1,
    }  # fmt: skip


def test_the_counters_are_those_of_the_device() -> None:
    told = re.search(r"uint64_t ([\w, ]+);\n} counters", (directml_check.SOURCES / "device.h").read_text(encoding="utf-8"))
    assert told is not None
    assert tuple(told[1].split(", ")) == directml_count.COUNTERS
    assert ctypes.sizeof(ctypes.c_uint64) * len(directml_count.COUNTERS) == 72


def test_a_thread_notices_that_it_does_not_get_pythons_lock() -> None:
    beat, held_s, kept = Beat(), 0.3, sys.getswitchinterval()
    stretches = []
    try:
        for interval in (10.0, kept, kept, kept):  # seconds for which a thread may keep the lock
            sys.setswitchinterval(interval)
            time.sleep(0.01)
            began = time.perf_counter()
            while time.perf_counter() < began + held_s:
                pass
            stretches.append((began, time.perf_counter()))
    finally:
        sys.setswitchinterval(kept)
        beat.end()
    held, *free = (beat.longest_ms(*stretch) for stretch in stretches)
    assert held > 900 * held_s
    assert min(free) < 500 * held_s, "the machine may pause once, but hardly each time"
    told = directml_count.standstill(beat, stretches)
    assert told["longest_gap_ms"] == pytest.approx(held, abs=0.1)
    assert told["held_share"] < directml_check.MOST_HELD
    assert directml_count.standstill(beat, stretches[:1])["held_share"] > directml_check.MOST_HELD
    assert directml_count.standstill(beat, []) == {"longest_gap_ms": 0.0, "opened_in_ms": 0.0, "held_share": 0.0}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, []),
        ({"copies": 1}, ["copies is 1"]),
        ({"compiled_after_warm_up": 5, "sentences_on_cpu": 2}, ["compiled_after_warm_up is 5", "2 sentences took the CPU"]),
        ({"runs": 0}, ["never ran on the device"]),
        ({"placement": directml_check.EVERYTHING, "sentences_on_cpu": 2}, []),
        ({"voice": directml_check.SHIPPED, "placement": directml_check.EVERYTHING, "runs": 0}, []),
        ({"voice": directml_check.SHIPPED}, ["ran on the device"]),
        ({"held_share": 0.9, "longest_gap_ms": 576.0}, ["Python stood still for 576.0 of the 640.0 ms"]),
        ({"held_share": 0.9, "opened_in_ms": 80.0}, []),
    ],
)
def test_what_must_hold(changes: dict[str, Any], said: list[str]) -> None:
    found = list(directml_check.faults([ROW | changes]))
    assert len(found) == len(said)
    assert all(words in fault for words, fault in zip(said, found, strict=True))


class CountingWine:
    """Prints what `directml_count.py` prints."""

    python = Path("python.exe")
    environment: Mapping[str, str] = {"WINEDLLOVERRIDES": "mscoree="}

    def run(self, command: Sequence[str | Path], timeout_s: float, env: Mapping[str, str] | None = None) -> str:
        """Pretends to run a Windows program."""
        row = {name: value for name, value in ROW.items() if name not in ("voice", "placement")} | {"copies": 3}
        return f"something else\n{json.dumps({'rows': [row], 'fallback': None})}\n"


@pytest.mark.parametrize("enforced", [False, True])
def test_faults_are_printed_and_fail_where_they_are_enforced(
    enforced: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(directml_check, "ENFORCED", enforced)
    monkeypatch.setattr(directml_check, "counting_runtime", lambda wine, folder: folder)
    monkeypatch.setattr(directml_check, "models", lambda home, small: home)
    target = tmp_path / "rows.json"
    if enforced:
        with pytest.raises(SystemExit, match="decoder at 64: copies is 3"):
            directml_check.check(CountingWine(), tmp_path, target, small=True)  # type: ignore[arg-type]
    else:
        directml_check.check(CountingWine(), tmp_path, target, small=True)  # type: ignore[arg-type]
    rows = json.loads(target.read_text(encoding="utf-8"))
    assert [(row["voice"], row["placement"]) for row in rows] == [
        (voice, placement) for voice in ("made", "mei") for placement in (directml_check.DECODER_ONLY, "directml:0")
    ]
    assert {*directml_check.COLUMNS, "sentences_on_cpu"} <= set(rows[0])
    assert "4 faults" in capsys.readouterr().out


def test_the_made_up_voice_has_the_weights_of_a_real_one(tiny_models: Path) -> None:
    path = tiny_models / "jp-extra-tiny" / "model.safetensors"
    file = SafetensorsFile(path)
    unused = ("enc_q.", "sdp.post_", "iteration")
    real = {name: file[name].shape for name in file if not name.startswith(unused) and not name.endswith("weight_g")}
    real = {name.replace("weight_v", "weight"): shape for name, shape in real.items()}
    tiny = Widths(hidden=32, inner=64, speaker=48, decoder=64, bert_inner=SMALL.bert_inner, bert_layers=SMALL.bert_layers)
    assert dict(shapes(tiny)) == real


def test_the_sentences_differ_in_length() -> None:
    assert len(directml_count.SENTENCES) == 20
    lengths = sorted(map(len, directml_count.SENTENCES))
    assert lengths[0] <= 4
    assert lengths[-1] >= 40
    assert len(set(lengths)) >= 15
