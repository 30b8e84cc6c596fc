"""Files are read before they are needed; what is not there stops nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.adapters import file_prefetch

LOADING = """
import sys, threading, time
import numpy
ticks, ended = [], threading.Event()

def tick():
    while not ended.wait(0.0005):
        ticks.append(time.perf_counter())

threading.Thread(target=tick, daemon=True).start()
time.sleep(0.05)
began = time.perf_counter()
if sys.argv[1] == "onnxruntime":
    import onnxruntime.capi.onnxruntime_pybind11_state
else:
    import sudachipy
    began = time.perf_counter()
    sudachipy.Dictionary(dict="core")
done = time.perf_counter()
ended.set()
times = [began, *(tick for tick in ticks if began < tick < done), done]
print(max(later - earlier for earlier, later in zip(times, times[1:])) / (done - began))
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package with data of 5 MiB and a bit; importing it fails."""
    folder = tmp_path / "koebako_words" / "data"
    folder.mkdir(parents=True)
    folder.with_name("__init__.py").write_text("raise RuntimeError('nobody asked for it')")
    (folder / "a.dic").write_bytes(b"a" * (5 << 20) + b"bit")
    (folder / "other").write_bytes(b"other")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(file_prefetch, "_reading", {})
    return "koebako_words"


def test_files_of_a_package_are_read_without_importing_it(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_prefetch, "PREFETCHED_FILES", {package: "data/*.dic", "koebako_missing": "*"})
    file_prefetch.start_prefetch()
    file_prefetch.start_prefetch()
    file_prefetch.wait_for_package("never asked for")
    for name, size in ((package, (5 << 20) + 3), ("koebako_missing", 0)):
        file_prefetch.wait_for_package(name)
        assert file_prefetch._reading[name].result(0) == size


def test_what_cannot_be_read_is_left_to_its_user(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_how: object, **_more: object) -> object:
        raise PermissionError("not yours")

    monkeypatch.setattr(Path, "open", refuse)
    assert file_prefetch.read_files(package, "data/*.dic") == 0


def test_the_real_files_are_where_they_are_looked_for() -> None:
    for package, pattern in file_prefetch.PREFETCHED_FILES.items():
        assert file_prefetch.read_files(package, pattern) > 10 << 20, package


@pytest.mark.parametrize("library", ["onnxruntime", "sudachi"])
def test_libraries_still_read_while_they_hold_pythons_lock(library: str) -> None:
    done = subprocess.run([sys.executable, "-c", LOADING, library], capture_output=True, text=True, timeout=120, check=True)
    assert float(done.stdout) > 0.5, (
        f"should {library} read without Python's lock, other threads ran meanwhile, and prefetch need not read for it"
    )
