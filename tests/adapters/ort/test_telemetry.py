"""ONNX Runtime reports nothing to its maker."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUNS = {
    "a session": """
from app.adapters.ort.devices.device_sessions import open_session
from app.voices.prepare.processor_probes import build_product_graph
open_session(build_product_graph(int8=False), "cpu", "product")
""",
    "a reading, by a library that opens graphs of its own": "from app.adapters.openjtalk.mecab_words import load_pyopenjtalk; load_pyopenjtalk()",
    "a dictionary, by the same library": """
import sys; from app.adapters.openjtalk import compiled_dictionary
sys.argv[1:] = ["--dictionary", "none.csv", "none.dic"]
assert compiled_dictionary.main() == 70
""",
}
LOADED = "\nimport sys; assert 'onnxruntime' in sys.modules"


@pytest.mark.parametrize("run", RUNS)
def test_nothing_is_kept_or_sent(run: str, tmp_path: Path) -> None:
    ignored = ("CI", "ORT_DISABLE_TELEMETRY", "ORT_RUNNING_UNIT_TESTS", "GITHUB_ACTIONS", "TF_BUILD")  # what turns it off where tests run
    folders = {name: str(tmp_path) for name in ("TMPDIR", "HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "KOEBAKO_HOME")}
    environment = {name: value for name, value in os.environ.items() if name not in ignored} | folders
    subprocess.run([sys.executable, "-c", RUNS[run] + LOADED], check=True, env=environment, cwd=Path(__file__).parents[3])
    assert not list(tmp_path.rglob(".ses")), "the identifier of this machine"
