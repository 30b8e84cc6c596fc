"""Files, pipes and devices that users name: read to their end, or refused in a sentence; what is waited for is said."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from app.cli import command_files
from app.cli.command_files import decode_text, iterate_piped_lines, read_named_input, read_piped_input
from app.cli.main import main
from app.common.errors import InputError

ROOT = Path(__file__).parents[2]
MAIN = [sys.executable, str(ROOT / "main.py")]
unix = pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of Unix")


def fed(path: Path, content: bytes, after_s: float = 0.0) -> threading.Thread:
    """A pipe that somebody writes into."""

    def write() -> None:
        time.sleep(after_s)
        with path.open("wb") as file:
            file.write(content)

    if sys.platform == "win32":
        pytest.skip("pipes and devices of Unix")
    os.mkfifo(path)
    thread = threading.Thread(target=write)
    thread.start()
    return thread


@unix
def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    content = "声。\r\n".encode() * 50_000  # more than a pipe holds at once
    writer = fed(tmp_path / "pipe", content)
    assert read_named_input(tmp_path / "pipe") == content
    writer.join()


@unix
def test_what_is_waited_for_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command_files, "INPUT_NOTICE_DELAYS_S", (0.02, 0.02, 60.0))
    writer = fed(tmp_path / "pipe", b"x", after_s=0.5)
    assert read_named_input(tmp_path / "pipe") == b"x"
    writer.join()
    assert capsys.readouterr().err == f"Waiting for input from {tmp_path / 'pipe'} (Ctrl+C stops)\n" * 2
    (tmp_path / "file").write_bytes(b"x")
    assert read_named_input(tmp_path / "file") == b"x"
    assert capsys.readouterr().err == ""


@unix
@pytest.mark.parametrize("command", [["speak", "-o", "a.wav", "-f"], ["dict", "import"]])
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_devices_are_refused(command: list[str], device: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(device)
    for path in (device, str(tmp_path / "link")):
        assert main([*command, path]) == 2
        assert f"Cannot read from a device: {path}" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["speak", "-o", "a.wav", "-f"], ["dict", "import"]])
@pytest.mark.parametrize("name", ["none.txt", ".", "a" * 5000])
def test_what_is_no_file_is_told(command: list[str], name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([*command, str(tmp_path / name)]) == 2
    assert "cannot be read. (" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["speak", "-o", "a.wav", "-f"], ["dict", "import"]])
def test_what_is_too_large_is_told(
    command: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_files, "MAX_INPUT_BYTES", 1 << 20)
    (tmp_path / "a.txt").write_bytes(b"x" * (1 << 20) + b"x")
    assert main([*command, str(tmp_path / "a.txt")]) == 2
    assert "The limit is 1 MB." in capsys.readouterr().err


@unix
def test_a_pipe_without_end_is_read_no_further_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_files, "MAX_INPUT_BYTES", 1 << 20)
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
        assert endless.stdout is not None
        with pytest.raises(InputError, match="too large"):
            read_named_input(Path(f"/dev/fd/{endless.stdout.fileno()}"))
        endless.kill()


Piped = Callable[[Path], None]


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Iterator[Piped]:
    """Makes a file standard input."""
    with ExitStack() as opened:
        yield lambda path: monkeypatch.setattr("sys.stdin", opened.enter_context(path.open(encoding="utf-8", errors="replace")))


def test_texts_have_any_encoding_and_any_line_ends(capsys: pytest.CaptureFixture[str]) -> None:
    assert decode_text("\ufeff声\r\n箱\r\n".encode(), "x") == "声\n箱\n"
    assert capsys.readouterr().err == ""
    assert decode_text("声\r箱\r\n".encode("cp932"), "x") == "声\n箱\n"
    assert capsys.readouterr().err == "“x” was read as Shift_JIS.\n"
    with pytest.raises(InputError, match="“x” cannot be read as text"):
        decode_text(b"\x81", "x")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp932", "iso2022_jp"])
def test_g2p_reads_lines_of_any_encoding(encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], piped: Piped) -> None:
    (tmp_path / "a").write_bytes("声\r\n\r\n雪の箱\n".encode(encoding))
    piped(tmp_path / "a")
    assert main(["g2p"]) == 0
    told = capsys.readouterr()
    assert [json.loads(line)["text"] for line in told.out.splitlines()] == ["声", "", "雪の箱"]
    assert told.err.count("was read as") == (0 if encoding.startswith("utf-8") else 1)


@pytest.mark.parametrize("longest", [1, 3, 8])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_line_beyond_the_limit_is_cut_and_the_next_is_whole(
    longest: int, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piped: Piped
) -> None:
    monkeypatch.setattr(command_files, "MAX_INPUT_LINE_CHARS", longest)
    monkeypatch.setattr(command_files, "SKIP_BLOCK_BYTES", 2)
    lines = ["x" * size for size in (0, longest - 1, longest, longest + 1, longest + 2, 3 * longest + 7, 1, longest + 1, longest)]
    (tmp_path / "a").write_text("\n".join(lines) + end, encoding="ascii", newline="\r\n")
    piped(tmp_path / "a")
    assert list(iterate_piped_lines()) == [(line[:longest], len(line) <= longest) for line in lines]


def test_g2p_says_which_line_is_too_long_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], piped: Piped
) -> None:
    (tmp_path / "a").write_text("声\n" + "箱" * 1_000_001 + "\n箱\n", encoding="utf-8")
    piped(tmp_path / "a")
    assert main(["g2p"]) == 0
    first, long, last = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (first["reading"], last["reading"]) == ("コエ", "ハコ")
    assert long == {
        "text": "箱" * 1000, "normalized": "", "reading": "", "phones": ["_", "_"], "tones": [0, 0], "word2ph": [1, 1],
        "error": "This line is too long (up to 1,000,000 characters).",
    }  # fmt: skip


@unix
@pytest.mark.parametrize("command", [["speak", "-o", "-"], ["g2p"]])
def test_devices_as_standard_input(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], piped: Piped
) -> None:
    piped(Path("/dev/zero"))
    assert main(command) == 2
    assert "Cannot read from a device: standard input" in "".join(capsys.readouterr())
    piped(Path("/dev/null"))
    assert main(command) == (0 if command == ["g2p"] else 2)
    assert "device" not in capsys.readouterr().err


def test_standard_input_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piped: Piped) -> None:
    monkeypatch.setattr(command_files, "MAX_INPUT_BYTES", 1 << 20)
    (tmp_path / "a").write_bytes(b"x" * (1 << 20) + b"x")
    piped(tmp_path / "a")
    with pytest.raises(InputError, match="too large: standard input"):
        read_piped_input()


PATIENT = "import sys; from app.cli import command_files; command_files.INPUT_NOTICE_DELAYS_S = (0.1,); from app.cli.main import main; sys.exit(main(sys.argv[1:]))"


def _named(pipe: Path) -> list[str]:
    return ["speak", "-o", "a.wav", "-f", str(pipe)]


def _imported(pipe: Path) -> list[str]:
    return ["dict", "import", str(pipe)]


def _piped(_pipe: Path) -> list[str]:
    return ["g2p"]


@pytest.mark.parametrize("arguments", [_named, _imported, _piped])
def test_ctrl_c_ends_the_waiting(arguments: Callable[[Path], list[str]], tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("pipes and devices of Unix")
    os.mkfifo(tmp_path / "pipe")
    command = [sys.executable, "-c", PATIENT, *arguments(tmp_path / "pipe")]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert b"Waiting for input from" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert b"Traceback" not in process.stderr.read()


@unix
def test_what_a_shell_hands_over_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    """Process substitution and /dev/stdin."""
    program = f"'{MAIN[0]}' '{MAIN[1]}'"
    script = f"{program} dict import <(echo 声箱,コエバコ) && echo 箱,ハコ | {program} dict import /dev/stdin"
    subprocess.run(["bash", "-c", script], capture_output=True, timeout=120, check=True)
    assert main(["dict", "list"]) == 0
    assert capsys.readouterr().out.splitlines() == ["声箱\tコエバコ\t0\tproper_noun\t5", "箱\tハコ\t0\tproper_noun\t5"]
