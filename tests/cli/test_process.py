"""The command line as a process: pipes, signals, UTF-8, exit codes."""

from __future__ import annotations

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

from app.common.version import VERSION

ROOT = Path(__file__).parents[2]
MAIN = [sys.executable, str(ROOT / "main.py")]
LONG_TEXT = "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。" * 300


def koebako(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*MAIN, *arguments], capture_output=True, timeout=120, **options)  # type: ignore[call-overload]


LOOKS_FOR_PROGRAMS = """
import sys; sys.path.insert(0, sys.argv[1]); from app.common.processes.child_process import prevent_platform_shell
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


def test_a_wav_on_stdout_and_json_on_stderr() -> None:
    done = koebako("speak", "こんにちは。", "-o", "-", "--json")
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


def test_version() -> None:
    done = koebako("--version")
    assert done.returncode == 0
    assert done.stdout.decode().splitlines() == [f"koebako {VERSION}"]


@pytest.mark.parametrize("what", ["app.core.pipeline", "app.cli.main; app.cli.main.build_parser()"], ids=["pipeline", "options"])
def test_the_pipeline_and_the_options_of_all_commands_import_neither_qt_nor_onnx(what: str) -> None:
    code = f"import sys, {what}; print([name for name in ('PySide6', 'onnxruntime', 'onnx', 'pyopenjtalk') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=True)
    assert done.stdout.decode().strip() == "[]"


def test_the_command_line_imports_no_qt() -> None:
    code = "import sys, app.cli.commands.speak.run, app.cli.commands.voices.run, app.cli.commands.bench.run, app.cli.commands.doctor.run; print('PySide6' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=True)
    assert done.stdout.decode().strip() == "False"


def test_reading_the_command_line_needs_nothing_that_reads_texts() -> None:
    """And that of one command nothing of the others."""
    code = (
        "import sys; from app.cli.main import build_parser; build_parser(['speak', 'はい'])\n"
        "print(*sorted(name for name in sys.modules if name.startswith('app.cli.commands.') and name.endswith('options')))\n"
        "build_parser(); print('app.core.normalise' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=True)
    assert done.stdout.decode().split() == ["app.cli.commands.speak.options", "False"]


def test_an_installed_voice_speaks_without_what_reads_other_voices(tmp_path: Path) -> None:
    later = (
        *("app.install.sandboxed_import", "app.install.voice_identity", "app.install.resolve_source"),
        *(
            "app.voices.aivisspeech_voices",
            "app.voices.voice_card_data",
            "app.voices.containers.checkpoints",
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
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, check=True)
    assert done.stdout.decode().strip() == "0 []"
    missing = [name for name in later if importlib.util.find_spec(name) is None]
    assert missing == [], "what has another name now is not watched"


def answers_signals(process: subprocess.Popen[bytes]) -> bool:
    """True once our own code in a Linux process has taken SIGTERM, which the interpreter leaves alone."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize("delay_s", [0.05, 0.2, 0.35, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", ["speak", "serve"])
def test_an_interruption_at_any_moment_leaves_nothing(delay_s: float, number: signal.Signals, command: str, tmp_path: Path) -> None:
    arguments = {"speak": [LONG_TEXT, "-o", str(tmp_path / "a.wav")], "serve": ["--port", "0"]}[command]
    with subprocess.Popen([*MAIN, command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(delay_s)
        ours = answers_signals(process) if sys.platform == "linux" else delay_s > 0.3
        process.send_signal(number)
        _, stderr = process.communicate(timeout=60)
    # Before our own code runs, the interpreter itself ends on the signal.
    assert process.returncode == 130 or (not ours and process.returncode in (-number, 1))
    if process.returncode == 130:
        assert b"Traceback" not in stderr
    assert not [item for item in tmp_path.rglob("*") if item.is_file()], "at most empty folders"


@pytest.mark.skipif(sys.platform == "win32" or not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments", [["voices", "list"], ["voices", "list", "--json"], ["bench", "--tokens", "5", "--runs", "1", "--csv"]]
)
def test_a_full_disk_behind_stdout_is_told(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*MAIN, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 7
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="closes stdin by a shell of Unix")
def test_no_stdin_is_an_input_error() -> None:
    for command in ("g2p", "speak"):
        done = subprocess.run(f"exec '{MAIN[0]}' '{MAIN[1]}' {command} <&-", shell=True, capture_output=True, timeout=60, check=False)
        assert done.returncode == 2
        assert b"Traceback" not in done.stderr


def test_at_a_terminal_it_says_that_it_waits_for_text() -> None:
    if sys.platform == "win32":
        pytest.skip("needs a pseudo-terminal")
    import pty

    controller, terminal = pty.openpty()
    environment = os.environ | {"KOEBAKO_LANG": "en"}
    with subprocess.Popen([*MAIN, "g2p"], stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        os.write(controller, "はい\n\x04".encode())
        found, told = process.communicate(timeout=60)
    os.close(terminal)
    os.close(controller)
    assert json.loads(found)["reading"] == "ハイ"
    assert told.decode() == "Type the text; Ctrl+D ends it.\n"


def test_arguments_are_utf8_whatever_the_locale(tmp_path: Path) -> None:
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    if sys.platform.startswith("linux"):
        done = koebako("speak", "はい", "-o", str(tmp_path / "a.wav"), env=environment)
        assert done.returncode == 2
        assert "LC_ALL=C.UTF-8" in done.stderr.decode()
    environment["KOEBAKO_HOME"] = str(tmp_path / "home")
    assert koebako("speak", "はい", "-o", str(tmp_path / "a.wav"), env=environment).returncode == 0


def test_bytes_on_stdin_that_are_no_text_are_refused(tmp_path: Path) -> None:
    done = koebako("speak", "-o", str(tmp_path / "a.wav"), input=b"\x81")
    assert done.returncode == 2
    assert "UTF-8" in done.stderr.decode()
    done = koebako("speak", "-o", str(tmp_path / "a.wav"), input="はい".encode("cp932"))
    assert (done.returncode, "Shift_JIS" in done.stderr.decode()) == (0, True)
