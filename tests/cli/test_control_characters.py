"""Whatever strangers put into names, files and answers: nothing but letters reaches the terminal."""

import ast
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.console_output import print_json
from app.cli.main import main
from app.common.errors import DownloadError, InputError
from app.common.files.paths import find_data_dir, find_resources_dir
from app.common.files.untrusted_json import DISTURBING_CHARS
from app.common.processes.terminal import escape_lines, escape_to_one_line, report_error
from app.install import download_sources
from app.voices.voice_card_data import VoiceCardData, write_card
from tests.source_trees import SourceModule, read_app

# Colours, a title, an answer typed by the terminal itself, C1 controls, other orders of reading, and lines that would look like ours.
EVIL = "\x1b[31mred\x1b]0;title\x07\x9b5n\x85\u202egnp.exe\u2066\u200b\ufeff\r\nkoebako: all is well\x08\x7f"
FILE_NAME = EVIL.replace("/", "")
COMMANDS = [
    ["voices", "list"],
    ["voices", "info", "evil"],
    ["voices", "info", EVIL],
    ["voices", "remove", EVIL],
    ["voices", "rename", "evil", EVIL],
    ["voices", "rename", "mei", EVIL],
    ["voices", "export", "evil", FILE_NAME],
    ["voices", "export", "evil", f"{FILE_NAME}.zip"],
    ["voices", "export", "evil", "there/" + FILE_NAME],
    ["voices", "add", "none", FILE_NAME + ".zip"],
    ["voices", "add", FILE_NAME],
    ["voices", "add", "--checkpoint", EVIL, "text"],
    ["voices", "add", "--url", f"{EVIL}://x"],
    ["voices", "add", "--hub", EVIL],
    ["voices", "check", FILE_NAME, "--expected", FILE_NAME],
    ["bert", "add", FILE_NAME],
    ["bert", "use", EVIL],
    ["bert", "remove", EVIL],
    ["bert", "list"],
    ["dict", "add", EVIL, "アレ"],
    ["dict", "add", "声", EVIL],
    ["dict", "remove", EVIL],
    ["dict", "list"],
    ["dict", "import", FILE_NAME],
    ["dict", "import", "words.json"],
    ["dict", "export", FILE_NAME],
    ["dict", "export", "none/" + FILE_NAME],
    ["speak", EVIL, "-o", "a.wav"],
    ["speak", "あ", "-o", FILE_NAME],
    ["speak", "あ", "-o", FILE_NAME + ".wav"],
    ["speak", "-f", FILE_NAME, "-o", "a.wav"],
    ["speak", FILE_NAME, "-o", "a.wav", "--voice", "evil", "--style", EVIL],
    ["speak", "あ", "-o", "a.wav", "--voice", "evil", "--speaker", EVIL],
    ["speak", "あ", "-o", "a.wav", "--voice", FILE_NAME],
    ["speak", "あ", "--device", EVIL],
    ["speak", "あ", "-o", "a.wav", "--backend", EVIL],
    ["speak", "あ", "-o", "a.wav", "--pause", EVIL],
    ["speak", "あ", "-o", "a.wav", "--speed", EVIL],
    ["backends", "--voice", EVIL],
    ["bench", "--tokens", EVIL],
    ["bench", "--plot", FILE_NAME],
    ["bench", "--plot", f"none/{FILE_NAME}.svg"],
    ["selftest", "--report", f"none/{FILE_NAME}"],
    ["doctor", "--only", EVIL],
    ["doctor", "--only", "data_dir"],
    ["doctor", "--only", "voices"],
    ["g2p"],
    [EVIL],
    ["voices", EVIL],
]


@pytest.fixture(autouse=True)
def _among_strangers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A voice, files, words, folders and a hub whose every name is evil."""
    home = tmp_path / FILE_NAME.replace("\n", "")
    monkeypatch.setenv("KOEBAKO_HOME", str(home))
    for variable in ("KOEBAKO_AIVISHUB", "HF_ENDPOINT"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    ours, folder = find_resources_dir() / "voices" / "mei", find_data_dir() / "voices" / "evil"
    folder.mkdir(parents=True)
    for file in ("prosody.onnx", "flow.onnx", "decoder.onnx", "style_vectors.npy"):
        (folder / file).symlink_to(ours / file)
    manifest = json.loads((ours / "voice.json").read_text(encoding="utf-8"))
    manifest |= {"id": "evil", "name": EVIL, "description": EVIL, "licence": EVIL}
    for named in manifest["speakers"] + manifest["styles"]:
        named["name"] = f"{named['id']}{EVIL}"
    (folder / "voice.json").write_text(json.dumps(manifest), encoding="utf-8")
    write_card(VoiceCardData(version=EVIL, creators=(EVIL,), source_name=EVIL, notes=(EVIL,), opaque_reason=EVIL), folder)
    broken = find_data_dir() / "voices" / FILE_NAME
    broken.mkdir()
    (broken / "voice.json").write_text("{", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    Path(FILE_NAME).write_text(EVIL, encoding="utf-8")
    Path(f"{FILE_NAME}.zip").write_text(EVIL, encoding="utf-8")
    Path("text").write_text("x", encoding="utf-8")
    Path("words.json").write_text(json.dumps([{"surface": EVIL, "pronunciation": EVIL}]), encoding="utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="there names of files hold no such characters")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: ascii(" ".join(command)).replace(ascii(EVIL)[1:-1], "EVIL")[:60])
def test_no_command_disturbs_the_terminal(command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for more in ([], ["--json"]):
        monkeypatch.setattr(sys, "stdin", io.StringIO(EVIL))
        main([*command, *more])
        told = capsys.readouterr()
        for text in (told.out, told.err):
            assert not DISTURBING_CHARS.search(text)
            assert "\nkoebako: all is well" not in text
        if more and told.out:
            assert all(isinstance(json.loads(line), dict) for line in told.out.splitlines())


def test_what_a_server_says_is_cleaned_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(*_: object) -> None:
        raise DownloadError(f"The server says: {EVIL}", EVIL)

    monkeypatch.setattr(download_sources, "fetch_url", refuse)
    assert main(["voices", "add", "--url", "https://example.com/a.zip", "https://example.com/b.zip"]) != 0
    assert not DISTURBING_CHARS.search(capsys.readouterr().err)


def test_a_failure_without_a_command_line_is_cleaned_too(capsys: pytest.CaptureFixture[str]) -> None:
    report_error(InputError(EVIL, EVIL))
    told = capsys.readouterr().err
    assert not DISTURBING_CHARS.search(told)
    assert told.count("\n") == 2


def test_it_is_written_down_as_python_and_git_do() -> None:
    assert escape_to_one_line("声\x1b[31m\nb\tc\u202e") == r"声\x1b[31m\nb" + "\t" + r"c\u202e"
    assert escape_lines("a\nb\r\x9b") == "a\nb\\x0d\\x9b"
    assert escape_to_one_line("👨\u200d👩\u200d👧 が") == "👨\u200d👩\u200d👧 が", "a family is one letter to see"


@given(st.dictionaries(st.text(), st.text(st.characters(codec="utf-8")) | st.integers() | st.none(), max_size=5))
def test_a_line_of_json_is_the_same_value_in_harmless_letters(value: dict[str, object]) -> None:
    stream = io.StringIO()
    print_json(value, stream)
    assert not DISTURBING_CHARS.search(stream.getvalue())
    assert stream.getvalue().count("\n") == 1
    text = json.dumps(value).encode("utf-8", "replace").decode()
    assert json.loads(stream.getvalue()) == json.loads(text) or any("\ud800" <= letter <= "\udfff" for key in value for letter in key)


def printing(module: SourceModule) -> Iterator[int]:
    for node in module.list_nodes(ast.Call):
        called = ast.unparse(node.func)
        if called == "print" or called.startswith(("sys.stdout.write", "sys.stderr.write", "sys.stdout.buffer")):
            yield node.lineno


def test_one_place_prints() -> None:
    """Else somebody would forget what names hold. Sound on stdout goes another way: `adapters/sound/sound_file_sink.py`."""
    naming = [module for module in read_app() if re.search(r"\bprint\b|\bstdout\b|\bstderr\b", module.source)]
    assert {module.name for module in naming if any(printing(module))} == {"app/common/processes/terminal.py"}
