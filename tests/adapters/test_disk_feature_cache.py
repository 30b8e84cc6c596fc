"""Features on the disk: as they were, within bounds, and never in the way of speaking."""

import sqlite3
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.adapters import disk_feature_cache
from app.adapters.disk_feature_cache import DiskFeatureCache
from app.core.synthesis_types import Float16


def features(seed: int, tokens: int = 5) -> Float16:
    return np.random.default_rng(seed).standard_normal((tokens, 1024)).astype(np.float16)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "features.sqlite3"


def written(path: Path, count: int, max_bytes: int = 1 << 30) -> None:
    store = DiskFeatureCache(path, max_bytes)
    for number in range(count):
        store.put("b", f"text {number}", features(number))
    store.close()


def test_another_process_finds_the_very_same_numbers(path: Path) -> None:
    text = "雨\ud800😀"
    program = (
        "import sys, numpy as np; from pathlib import Path; from app.adapters.disk_feature_cache import DiskFeatureCache;"
        "s = DiskFeatureCache(Path(sys.argv[1])); s.put('b', '雨\\ud800😀', np.random.default_rng(3).standard_normal((5, 1024)).astype(np.float16))"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)  # nothing is closed: the end of the program writes it
    store = DiskFeatureCache(path)
    found = store.get("b", text)
    assert found is not None
    assert np.array_equal(found, features(3))
    assert store.get("c", text) is None
    assert store.get("b", "") is None
    store.close()


def size(file: Path) -> int:
    """Bytes of a file that may be gone by now, as a journal is once its change is written."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def test_a_killed_process_leaves_a_file_that_serves(path: Path) -> None:
    program = (
        "import sys, time, numpy as np; from pathlib import Path; from app.adapters.disk_feature_cache import DiskFeatureCache\n"
        "s = DiskFeatureCache(Path(sys.argv[1]))\n"
        "for n in range(100000):\n"
        "    s.put('b', f'text {n}', np.full((5, 1024), n, np.float16)); print(n, flush=True); time.sleep(0.001)"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        written = 0
        while int(writer.stdout.readline()) < 40 or written < 100_000:  # a thread writes, sooner or later
            written = sum(map(size, path.parent.glob(f"{path.name}*")))
        writer.kill()
    store = DiskFeatureCache(path)
    found = {number: store.get("b", f"text {number}") for number in range(100)}
    store.close()
    kept = {number: value for number, value in found.items() if value is not None}
    assert kept
    assert all((value == number).all() for number, value in kept.items())


def test_two_processes_at_once(path: Path) -> None:
    program = (
        "import sys, numpy as np; from pathlib import Path; from app.adapters.disk_feature_cache import DiskFeatureCache\n"
        "s = DiskFeatureCache(Path(sys.argv[1]))\n"
        "for n in range(30): s.put('b', sys.argv[2] + str(n), np.full((5, 1024), n, np.float16))\n"
        "s.close(); assert not s._is_disabled"
    )
    both = [subprocess.Popen([sys.executable, "-c", program, str(path), name]) for name in "xy"]
    assert [process.wait() for process in both] == [0, 0]
    store = DiskFeatureCache(path)
    assert all(store.get("b", f"{name}{n}") is not None for name in "xy" for n in range(30))
    store.close()


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=25))
def test_it_never_holds_more_than_it_may_and_the_newest_stay(tmp_path_factory: pytest.TempPathFactory, order: list[int]) -> None:
    path = tmp_path_factory.mktemp("cache") / "f.sqlite3"
    store = DiskFeatureCache(path, 3 * features(0).nbytes)
    for number in order:
        store.put("b", str(number), features(number))
    store.close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT sum(length(data)) FROM features").fetchone()[0] <= 3 * features(0).nbytes
    connection.close()
    again = DiskFeatureCache(path)
    for number in list(dict.fromkeys(reversed(order)))[:3]:
        found = again.get("b", str(number))
        assert found is not None
        assert np.array_equal(found, features(number))
    again.close()


def test_what_is_used_stays(path: Path) -> None:
    written(path, 3)
    store = DiskFeatureCache(path, 3 * features(0).nbytes)
    assert store.get("b", "text 0") is not None
    store.put("b", "new", features(9))
    store.close()
    again = DiskFeatureCache(path)
    assert again.get("b", "text 0") is not None
    assert again.get("b", "text 1") is None
    again.close()


@pytest.mark.parametrize("damage", ["junk", "empty", "cut", "bits", "folder"])
def test_a_damaged_file_never_gives_wrong_numbers(path: Path, damage: str) -> None:
    written(path, 8)
    whole = path.read_bytes()
    if damage == "junk":
        path.write_bytes(b"junk" * 5000)
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "bits":
        changed = np.frombuffer(whole, np.uint8).copy()
        changed[len(changed) // 4 :: 5001] ^= 255
        path.write_bytes(changed.tobytes())
    else:
        path.unlink()
        path.mkdir()
    store = DiskFeatureCache(path)
    for number in range(8):
        found = store.get("b", f"text {number}")
        assert found is None or np.array_equal(found, features(number))
    store.put("b", "new", features(1))
    store.close()
    if damage == "junk":
        written(path, 2)
        store = DiskFeatureCache(path)
        assert store.get("b", "text 1") is not None, "the damaged file made room for a new one"
        store.close()


@pytest.mark.parametrize("data", [b"", b"x", b"x" * 2049, "x", 5, 1.5])
def test_rows_of_another_kind_are_none(path: Path, data: bytes | str | float) -> None:
    """SQLite holds anything in any column."""
    written(path, 1)
    with sqlite3.connect(path) as connection:
        content = data if isinstance(data, bytes) else str(data).encode()
        connection.execute("UPDATE features SET data = ?, sum = ?", (data, zlib.crc32(content)))
    connection.close()
    store = DiskFeatureCache(path)
    found = store.get("b", "text 0")
    store.close()
    assert found is None


def test_another_version_starts_anew(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(path, 1)
    monkeypatch.setattr(disk_feature_cache, "FEATURE_CACHE_VERSION", 2)
    store = DiskFeatureCache(path)
    assert store.get("b", "text 0") is None
    store.put("b", "text 0", features(0))
    store.close()
    again = DiskFeatureCache(path)
    assert again.get("b", "text 0") is not None
    again.close()


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = DiskFeatureCache(tmp_path / "file" / "features.sqlite3")
    store.put("b", "text", features(0))
    store.close()
    assert store.get("b", "text") is None


def test_keeping_takes_no_time_and_remembering_little(path: Path) -> None:
    store = DiskFeatureCache(path)
    value = features(0, 60)
    began = time.perf_counter()
    store.put("b", "text", value)
    put_ms = (time.perf_counter() - began) * 1000
    store.close()
    again = DiskFeatureCache(path)
    again.get("b", "something else")
    began = time.perf_counter()
    assert again.get("b", "text") is not None
    print(f"put {put_ms:.2f} ms, get {(time.perf_counter() - began) * 1000:.2f} ms")
    again.close()
    assert put_ms < 50


def test_the_text_is_not_in_the_file(path: Path) -> None:
    store = DiskFeatureCache(path)
    store.put("b", "a secret that nobody may read", features(0))
    store.close()
    assert b"secret" not in b"".join(file.read_bytes() for file in path.parent.iterdir())
