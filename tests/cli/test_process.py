"""The command line as a process: pipes, signals, UTF-8, exit codes."""

import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import soundfile

from app.cli.main import main
from app.common.version import VERSION

ROOT = Path(__file__).parents[2]
MAIN = [sys.executable, str(ROOT / "main.py")]
LONG_TEXT = "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。" * 300


def koebako(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*MAIN, *arguments], capture_output=True, timeout=120, **options)  # type: ignore[call-overload]


LOOKS_FOR_PROGRAMS = """
import sys; sys.path.insert(0, sys.argv[1]); from app.common.processes.launch import prevent_platform_shell
sys.addaudithook(lambda event, _: event == "subprocess.Popen" and sys.exit("a program was started"))
prevent_platform_shell(); import onnxruntime, platform; print(platform.system(), platform.release())
"""


@pytest.mark.skipif(sys.platform != "win32", reason="of Windows, Python asks cmd.exe which one it is")
def test_no_shell_is_asked_which_windows_this_is() -> None:
    done = subprocess.run([sys.executable, "-c", LOOKS_FOR_PROGRAMS, str(ROOT)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    system, release = done.stdout.split()  # 10, 11, 2022Server
    assert system == "Windows"
    assert release != "Vista"


def test_a_wav_on_stdout_and_json_on_stderr_whatever_the_locale(tmp_path: Path) -> None:
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    if sys.platform.startswith("linux"):
        done = koebako("speak", "はい", "-o", str(tmp_path / "a.wav"), env=environment)
        assert done.returncode == 2
        assert "LC_ALL=C.UTF-8" in done.stderr.decode()
    environment["KOEBAKO_HOME"] = str(tmp_path / "home")
    done = koebako("speak", "こんにちは。", "-o", "-", "--json", env=environment)
    assert done.returncode == 0
    samples, rate = soundfile.read(io.BytesIO(done.stdout))
    assert rate == 44100
    assert len(samples) > rate / 2
    assert json.loads(done.stderr.decode().splitlines()[-1])["type"] == "report"


def test_g2p_answers_line_by_line_and_goes_on_after_unreadable_ones() -> None:
    text = "今日は\n\n🍣\r\nABC\n\ufeffテスト\n".encode() + b"\xff\xfe\n"
    done = koebako("g2p", input=text, env=os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert done.returncode == 0
    found = [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]
    assert len(found) == 6
    assert found[0]["reading"] == "キョーワ"
    assert set(found[0]) == {"text", "normalized", "reading", "phones", "tones", "word2ph"}
    assert found[1]["phones"] == ["_", "_"]
    assert found[1]["word2ph"] == [1, 1]
    assert "error" in found[1]
    assert found[4]["reading"] == "テスト"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_stops_and_leaves_no_half_file(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*MAIN, "speak", LONG_TEXT, "-o", str(tmp_path / "a.wav"), "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    while b'"chunk"' not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    began = time.perf_counter()
    _, stderr = process.communicate(timeout=30)
    print(f"stopped after {(time.perf_counter() - began) * 1000:.0f} ms")
    assert process.returncode == 130
    assert b"Traceback" not in stderr
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_leaves_is_no_traceback() -> None:
    with subprocess.Popen([*MAIN, "speak", LONG_TEXT, "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1000)
        process.stdout.close()
        stderr = process.stderr.read()
        assert process.wait(timeout=60) == 7
    assert b"Traceback" not in stderr


@pytest.mark.parametrize(("language", "words"), [("ja_JP.UTF-8", "使い方"), ("en_US.UTF-8", "usage")])
def test_help_in_both_languages(language: str, words: str) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "KOEBAKO_LANG"} | {"LC_ALL": language}
    asked = (["--help"], ["speak", "--help"], ["voices", "check", "--help"], ["bench", "--help"])
    code = (
        "import sys\n"
        "from app.cli.main import main\n"
        f"for arguments in {asked}:\n"
        "    try:\n"
        "        main(arguments)\n"
        "    except SystemExit as ended:\n"
        "        print(f'\\0{ended.code or 0}\\0')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, timeout=120, env=environment, check=True)
    *answers, end = done.stdout.decode("utf-8").replace("\r\n", "\n").split("\0\n")
    assert (len(answers), end) == (len(asked), "")
    for answer in answers:
        told, _, exit_code = answer.rpartition("\0")
        assert exit_code == "0"
        assert words in told


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code in (0, None)
    assert capsys.readouterr().out.splitlines() == [f"koebako {VERSION}"]


def test_the_options_import_nothing_that_reads_texts_and_with_the_pipeline_neither_qt_nor_onnx() -> None:
    """And those of one command nothing of the others."""
    code = (
        "import sys; from app.cli.main import build_parser; build_parser(['speak', 'はい'])\n"
        "print(*sorted(name for name in sys.modules if name.startswith('app.cli.commands.') and name.endswith('options')))\n"
        "build_parser(); print('app.core.text.normalise' in sys.modules)\n"
        "import app.core.sound.pipeline; print({'PySide6', 'onnxruntime', 'onnx', 'pyopenjtalk'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=True)
    assert done.stdout.decode().split() == ["app.cli.commands.speak.options", "False", "set()"]


def test_an_installed_voice_speaks_without_what_reads_other_voices_and_no_command_imports_qt(tmp_path: Path) -> None:
    later = (
        *("app.install.sandboxed_import", "app.install.voice_identity", "app.install.resolve_source"),
        *(
            "app.voices.aivisspeech_voices",
            "app.voices.voice_card_data",
            "app.voices.containers.voice_sources",
            "app.voices.containers.voice_sources",
            "app.voices.containers.voice_file_sources",
        ),
        *("app.adapters.http.http_request", "app.adapters.disk_feature_cache", "onnx", "urllib3"),
    )
    code = (
        "import sys\n"
        "from app.cli.main import main\n"
        f"code = main(['speak', 'はい。', '-o', {str(tmp_path / 'a.wav')!r}])\n"
        f"print(code, sorted(set({later}) & sys.modules.keys()))\n"
        "import app.cli.commands.voices.run, app.cli.commands.bench.run, app.cli.commands.doctor.run\n"
        "print('PySide6' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=True)
    assert done.stdout.decode().split() == ["0", "[]", "False"]
    missing = [name for name in later if importlib.util.find_spec(name) is None]
    assert missing == [], "what has another name now is not watched"


INTERRUPTED_AT_MANY_MOMENTS = """
import os, runpy, signal, sys
folder, end, *arguments = sys.argv[1:]
imports = 0
report = open(f"{folder}/report", "w")

def send(number):
    answered = signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    print(imports, int(number), int(answered), end=" ", file=report, flush=True)
    os.kill(os.getpid(), number)

def interrupt_child(number):
    child = os.fork()
    if not child:
        os.dup2(os.open(f"{folder}/{imports}.{int(number)}.txt", os.O_CREAT | os.O_WRONLY), 2)
        send(number)
        return True
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=report, flush=True)
    return False

def watch(event, given):
    global imports
    if event == "import":
        imports += 1
        if imports % 30 == 10 and imports < 450:
            if not any(interrupt_child(number) for number in (signal.SIGINT, signal.SIGTERM)):
                return
            imports = 10_000  # of the child no child is made
    elif event == "socket.bind" or event == "open" and str(given[0]).endswith(".part"):
        if event == end and imports < 10_000:
            imports = 10_000
            send(signal.SIGTERM)

sys.addaudithook(watch)
sys.argv = ["koebako", *arguments]
runpy.run_path("main.py", run_name="__main__")
"""
"""At every thirtieth import, a copy of the process gets each signal; the process itself ends where it would speak or answer."""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize(("command", "end"), [("speak", "open"), ("serve", "socket.bind")])
def test_an_interruption_at_any_moment_leaves_nothing(command: str, end: str, tmp_path: Path) -> None:
    told, made = tmp_path / "told", tmp_path / "made"
    told.mkdir()
    made.mkdir()
    arguments = {"speak": ["はい。", "-o", str(made / "a.wav")], "serve": ["--port", "0"]}[command]
    starting = [sys.executable, "-c", INTERRUPTED_AT_MANY_MOMENTS, str(told), end, command, *arguments]
    done = subprocess.run(starting, cwd=ROOT, capture_output=True, timeout=120, check=False)
    rows = [[int(word) for word in row.split()] for row in (told / "report").read_text().splitlines()]
    last = [*rows.pop(), done.returncode]
    assert len(rows) == 2 * len(range(10, 450, 30))
    for imports, number, is_answered, code in [*rows, last]:
        # Before our own code runs, the interpreter itself ends on the signal.
        assert code == 130 or (not is_answered and code in (-number, 1)), imports
        if code == 130 and imports < 450:
            assert "Traceback" not in (told / f"{imports}.{number}.txt").read_text(), imports
    assert sum(is_answered for _imports, _number, is_answered, _code in rows) > len(rows) / 2
    assert last[-1] == 130
    assert b"Traceback" not in done.stderr
    assert list(made.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32" or not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """By the process, which is not to fail again at its end, and by other commands, for which a stream stands for that of a process."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*MAIN, "voices", "list"], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 7
    assert b"Traceback" not in done.stderr
    for arguments in (["voices", "list", "--json"], ["bench", "--tokens", "5", "--runs", "1", "--csv"]):
        with Path("/dev/full").open("w", encoding="utf-8") as stream:
            monkeypatch.setattr(sys, "stdout", stream)
            assert main(arguments) == 7
        assert "Traceback" not in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="closes stdin by a shell of Unix")
def test_no_stdin_is_an_input_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run(f"exec '{MAIN[0]}' '{MAIN[1]}' speak <&-", shell=True, capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    monkeypatch.setattr(sys, "stdin", None)  # as Python has it where there is none
    assert main(["g2p"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_at_a_terminal_it_says_that_it_waits_for_text(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    if sys.platform == "win32":
        pytest.skip("needs a pseudo-terminal")
    import pty

    controller, terminal = pty.openpty()
    with open(terminal, encoding="utf-8") as stream:  # noqa: PTH123 — by its number
        monkeypatch.setattr(sys, "stdin", stream)
        os.write(controller, "はい\n\x04".encode())
        assert main(["g2p"]) == 0
    os.close(controller)
    told = capsys.readouterr()
    assert json.loads(told.out)["reading"] == "ハイ"
    assert told.err == "Type the text; Ctrl+D ends it.\n"


def test_bytes_on_stdin_that_are_no_text_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for content, code, word in ((b"\x81", 2, "UTF-8"), ("はい".encode("cp932"), 0, "Shift_JIS")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
        assert main(["speak", "-o", str(tmp_path / "a.wav")]) == code
        assert word in capsys.readouterr().err
