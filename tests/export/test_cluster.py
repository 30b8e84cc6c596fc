"""`koebako export --scheduler`: a scheduler and workers as processes of this machine, each with voices and words of its own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.adapters.openjtalk.mecab_words import forget_user_lexicon
from app.adapters.user_dictionary import find_dictionary_path
from app.cli.main import main
from app.common.errors import InputError
from app.common.files.paths import find_data_dir
from app.export.cluster_client import parse_cluster_address
from app.export.manifest_store import MANIFEST_NAME
from tests.export.local_cluster import LocalCluster

ROOT = Path(__file__).parents[2]
STARTER = ROOT / "resources" / "voices" / "mei"
LINES = 4
HOSTILE_TASK = """
import pickle
import distributed.worker
from distributed.protocol import to_serialize

class Hostile:
    def __reduce__(self):
        return exec, ({code!r},)

real_message = distributed.worker.error_message
distributed.worker.error_message = lambda *given: real_message(*given) | {{"exception": to_serialize(pickle.dumps(Hostile()))}}

def describe_cluster_worker(request):
    raise ValueError
"""
"""A worker's own module: what it says of an error is a pickle that runs code."""


@pytest.mark.parametrize("url", ["tcp://127.0.0.1:8786", "tcp://[::1]:8786", "tcp://localhost:8786", "tls://studio.example:8786"])
def test_addresses_that_may_be_spoken_to(url: str) -> None:
    assert parse_cluster_address(url).url == url


@pytest.mark.parametrize("url", ["tcp://192.168.0.7:8786", "tcp://studio:8786", "tcp://0.0.0.0:8786", "tcp://localhost.studio:8786"])
def test_plain_words_leave_this_machine_only_if_the_user_insists(url: str) -> None:
    with pytest.raises(InputError, match="would not be encrypted") as found:
        parse_cluster_address(url)
    assert "--insecure" in found.value.hint
    assert parse_cluster_address(url, is_insecure=True).url == url


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--scheduler", "studio"], "is not the address"),
        (["--scheduler", "http://127.0.0.1:8786"], "is not the address"),
        (["--scheduler", "tcp://127.0.0.1:many"], "is not the address"),
        (["--scheduler", "inproc://127.0.0.1:1/2"], "is not the address"),
        (["--scheduler", "tcp://127.0.0.1:8786", "--tls-cert", "a.pem"], "begins with tls"),
        (["--scheduler", "tls://127.0.0.1:8786", "--tls-ca-file", "gone.pem"], "does not exist"),
        (["--scheduler", "tcp://127.0.0.1:8786", "--jobs", "2"], "exclude each other"),
        (["--insecure"], "needs --scheduler"),
        (["--voices-folder", "/voices"], "needs --scheduler"),
    ],
    ids=str,
)
def test_options_that_do_not_fit(tmp_path: Path, options: list[str], word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(write_table(tmp_path), "-o", tmp_path / "out", *options) == 2
    assert word in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_without_dask_a_sentence_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert export(write_table(tmp_path), "-o", tmp_path / "out", "--scheduler", "tcp://127.0.0.1:1") == 2
    assert "pip install koebako[cluster]" in capsys.readouterr().err


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    """A cluster without workers."""
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    with closing(LocalCluster(tmp_path / "cluster")) as found:
        yield found


@pytest.fixture
def two(cluster: LocalCluster, at_length: bool) -> LocalCluster:
    """A cluster of two workers: the first has a dictionary of its own, the second lacks the voice `other`; at length, the first makes two files at once."""
    install_other_voice(cluster.folder / "a" / "voices")
    write_word(cluster.folder / "a" / "dictionary.json", "雨", "アメリカ")
    cluster.start_worker("a", threads=2 if at_length else 1)
    cluster.start_worker("b")
    cluster.wait_for_workers()
    return cluster


@pytest.fixture
def one(cluster: LocalCluster) -> LocalCluster:
    """A cluster of one worker."""
    cluster.start_worker("only")
    cluster.wait_for_workers()
    return cluster


@pytest.fixture
def own_word() -> Iterator[None]:
    """A word of this user, which nobody else has."""
    write_word(find_dictionary_path(), "積もる", "ツモール")
    forget_user_lexicon()
    yield
    forget_user_lexicon()


@pytest.mark.usefixtures("own_word")
def test_a_cluster_makes_what_this_machine_makes(two: LocalCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two voices, of which one worker has but one, words of this user, a loudness of all files, and files beside the sounds."""
    install_other_voice(find_data_dir() / "voices")
    table = write_table(tmp_path, voices=("other", "mei"))
    form = ("--pattern", "$id$", "--sidecars", "lab,json,srt", "--subtype", "float", "--loudness", "-23", "--json")
    assert export(table, "-o", tmp_path / "here", *form) == 0
    capsys.readouterr()
    assert export(table, "-o", tmp_path / "there", *form, "--scheduler", two.address) == 0
    told = capsys.readouterr()
    assert_same(tmp_path / "here", tmp_path / "there")
    *files, summary = [json.loads(row) for row in told.out.splitlines()]
    assert summary["files"] == LINES
    assert all(Path(path).parent == tmp_path / "there" for row in files for path in (row["file"], *row["sidecars"]))
    assert told.err.count("Not on ") == 1
    assert export(table, "-o", tmp_path / "there", *form, "--only", "changed", "--scheduler", two.address) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["unchanged"] == LINES


@pytest.mark.slow
def test_a_worker_killed_in_the_middle(two: LocalCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, form = write_table(tmp_path, 30), ("--pattern", "$id$", "--subtype", "float")
    assert export(table, "-o", tmp_path / "here", *form) == 0
    with once_written(tmp_path / "there", 3, two.workers[1].kill):
        assert export(table, "-o", tmp_path / "there", *form, "--scheduler", two.address) == 0
    assert_same(tmp_path / "here", tmp_path / "there")
    assert "Exported 30 files." in capsys.readouterr().err
    assert list_entries(tmp_path / "there") == {f"a{number}.wav" for number in range(30)}


@pytest.mark.slow
def test_a_worker_that_comes_instead_of_the_last_one(one: LocalCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def replace_worker() -> None:
        one.workers[0].kill()
        one.start_worker("another")

    with once_written(tmp_path / "there", 3, replace_worker):
        assert export(write_table(tmp_path, 12), "-o", tmp_path / "there", "--pattern", "$id$", "--scheduler", one.address) == 0
    assert "Exported 12 files." in capsys.readouterr().err
    assert list_entries(tmp_path / "there") == {f"a{number}.wav" for number in range(12)}


@pytest.mark.slow
def test_a_voice_that_no_worker_has_and_a_shared_folder(one: LocalCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install_other_voice(find_data_dir() / "voices")
    table, form = write_table(tmp_path, voices=("other",)), ("--pattern", "$id$", "--subtype", "float", "--scheduler", one.address)
    assert export(table, "-o", tmp_path / "none", *form) == 3
    assert "No worker has the voice “Other”." in capsys.readouterr().err
    assert not list((tmp_path / "none").glob("*.wav"))
    shared_folder = tmp_path / "共有"
    install_other_voice(shared_folder)
    assert export(table, "-o", tmp_path / "there", *form, "--voices-folder", shared_folder) == 0
    assert export(table, "-o", tmp_path / "here", *form[:-2]) == 0
    assert_same(tmp_path / "here", tmp_path / "there")


@pytest.mark.slow
@pytest.mark.parametrize("signalled", [False, True], ids=["scheduler lost", "Ctrl+C"])
def test_an_end_in_the_middle_loses_nothing(one: LocalCluster, tmp_path: Path, signalled: bool, capsys: pytest.CaptureFixture[str]) -> None:
    table, form, out = write_table(tmp_path, 30), ("--pattern", "$id$", "--subtype", "float"), tmp_path / "there"
    end: Callable[[], object] = (lambda: os.kill(os.getpid(), signal.SIGINT)) if signalled else one.scheduler.kill
    with once_written(out, 3, end):
        code = export(table, "-o", out, *form, "--scheduler", one.address)
    told = capsys.readouterr()
    assert code == (130 if signalled else 4), told.err
    assert signalled or told.err.count("The connection to the scheduler was lost.") == 1
    assert "Traceback" not in told.err
    written = {file.name for file in out.glob("*.wav")}
    assert 3 <= len(written) < 30
    assert list_entries(out) == written
    assert all(soundfile.info(str(out / name)).frames for name in written)
    before = {name: (out / name).stat().st_mtime_ns for name in written}
    assert export(table, "-o", out, *form, "--only", "changed") == 0
    assert f"{30 - len(written)} written, {len(written)} unchanged." in capsys.readouterr().err
    assert {name: (out / name).stat().st_mtime_ns for name in written} == before
    assert len(list(out.glob("*.wav"))) == 30


@pytest.mark.slow
def test_only_those_whom_the_authority_knows_are_let_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make certificates with")
    for name in ("studio", "stranger"):
        make_certificate(tmp_path, name)
    options = {name: write_tls_options(tmp_path, name) for name in ("studio", "stranger")}
    with closing(LocalCluster(tmp_path / "cluster", options["studio"])) as cluster:
        cluster.start_worker("only")
        cluster.wait_for_workers()
        table = write_table(tmp_path, 2)
        assert export(table, "-o", tmp_path / "out", "--scheduler", cluster.address, *options["studio"]) == 0
        assert len(list((tmp_path / "out").glob("*.wav"))) == 2
        capsys.readouterr()
        for refused in (options["stranger"], ()):
            assert export(table, "-o", tmp_path / "no", "--scheduler", cluster.address, *refused) == 4
            told = capsys.readouterr().err
            assert "cannot be reached" in told
            assert "Traceback" not in told


@pytest.mark.slow
def test_workers_without_koebako_are_told_of(cluster: LocalCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # It raises: an editable installation would find the modules that an empty package lacks.
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "app.py").write_text('raise ImportError("there is no Koebako here")\n', encoding="utf-8")
    cluster.start_worker("bare", PYTHONPATH=str(tmp_path / "other"))
    cluster.wait_for_workers()
    assert export(write_table(tmp_path), "-o", tmp_path / "out", "--scheduler", cluster.address) == 4
    told = capsys.readouterr().err
    assert "cannot run Koebako and is not used" in told
    assert "No worker can run Koebako." in told


def test_a_workers_error_runs_nothing_here(cluster: LocalCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Dask unpickles errors, and a pickle may run anything: here, what writes a file in every process but those of the cluster."""
    other, touched = tmp_path / "other", tmp_path / "touched"
    shutil.copytree(ROOT / "app", other / "app", ignore=shutil.ignore_patterns("__pycache__"))
    code = f"import sys, pathlib; 'dask' in sys.argv[0] or pathlib.Path({str(touched)!r}).write_text(str(sys.argv))"
    (other / "app" / "export" / "cluster_task.py").write_text(HOSTILE_TASK.format(code=code), encoding="utf-8")
    cluster.start_worker("hostile", PYTHONPATH=str(other))
    cluster.wait_for_workers()
    assert export(write_table(tmp_path), "-o", tmp_path / "out", "--scheduler", cluster.address) == 4
    told = capsys.readouterr().err
    assert "No worker can run Koebako." in told
    assert "Traceback" not in told
    assert not touched.exists()


@pytest.mark.slow
def test_another_version_is_refused_before_anything_starts(
    cluster: LocalCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    shutil.copytree(ROOT / "app", other / "app", ignore=shutil.ignore_patterns("__pycache__"))
    (other / "resources").symlink_to(ROOT / "resources")
    version = other / "app" / "common" / "version.py"
    version.write_text(version.read_text(encoding="utf-8") + '\nVERSION = "0.0.1"\n', encoding="utf-8")
    cluster.start_worker("old", PYTHONPATH=str(other))
    cluster.wait_for_workers()
    assert export(write_table(tmp_path), "-o", tmp_path / "out", "--scheduler", cluster.address) == 2
    assert "has Koebako 0.0.1, this computer" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def export(*arguments: object) -> int:
    return main(["export", *map(str, arguments)])


def write_table(folder: Path, lines: int = LINES, voices: tuple[str, ...] = ("",)) -> Path:
    """A script whose lines take the voices in turns."""
    rows = [f"a{number},雪が{number}回積もる。雨も降る。,{voices[number % len(voices)]},{number}" for number in range(lines)]
    file = folder / "台本.csv"
    file.write_text("\n".join(("id,text,voice,seed", *rows)), encoding="utf-8")
    return file


def install_other_voice(folder: Path) -> None:
    """The voice that ships, under a name and with a content of its own."""
    shutil.copytree(STARTER, folder / "other")
    manifest = json.loads((STARTER / "voice.json").read_text(encoding="utf-8")) | {"id": "other", "name": "Other", "licence": ""}
    (folder / "other" / "voice.json").write_text(json.dumps(manifest), encoding="utf-8")


def write_word(file: Path, surface: str, reading: str) -> None:
    """A user dictionary of one word."""
    file.parent.mkdir(parents=True, exist_ok=True)
    word = {"surface": surface, "reading": reading, "accent": 1}
    file.write_text(json.dumps({"version": 1, "entries": [word]}), encoding="utf-8")


def assert_same(one: Path, other: Path) -> None:
    """The same files: sounds by their samples, as libsndfile writes the time into float WAV."""
    names = {file.name for file in one.iterdir() if file.name != MANIFEST_NAME}
    assert {file.name for file in other.iterdir() if file.name != MANIFEST_NAME} == names
    for name in names:
        if name.endswith(".wav"):
            assert np.array_equal(soundfile.read(one / name, dtype="float32")[0], soundfile.read(other / name, dtype="float32")[0]), name
        else:
            assert (one / name).read_bytes() == (other / name).read_bytes(), name


def list_entries(folder: Path) -> set[str]:
    """The files that the record of the export names."""
    return {entry["path"] for entry in json.loads((folder / MANIFEST_NAME).read_text(encoding="utf-8"))["files"]}


class once_written:  # noqa: N801 — read as a statement
    """Does something as soon as so many sounds are there."""

    def __init__(self, folder: Path, count: int, action: Callable[[], object]) -> None:
        self._folder, self._count, self._action = folder, count, action
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.01):
            if len(list(self._folder.glob("*.wav"))) >= self._count:
                self._action()
                return


def make_certificate(folder: Path, name: str) -> None:
    """A certificate that is its own authority, for this machine."""
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.pem")]
    subprocess.run(command, check=True, capture_output=True)


def write_tls_options(folder: Path, name: str) -> tuple[str, ...]:
    """The options of Dask's programs, which are those of the command too."""
    certificate, key = str(folder / f"{name}.pem"), str(folder / f"{name}.key")
    return ("--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key)
