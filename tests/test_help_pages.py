"""The user guide says what is true: its commands run as they stand, and the names and keys that it quotes are those of the window."""

import argparse
import ast
import hashlib
import io
import json
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

import pytest

from app.bench import multiply_adds, stage_timing
from app.bench.repeated_runs import UNCOUNTED_TURNS, Repeats
from app.cli.commands.bench import run
from app.cli.commands.lab import lab_part
from app.cli.commands.voices import add_voices_command
from app.cli.main import build_parser, main
from app.common.language import Language, set_language
from app.core.synthesis_types import AudioChunk
from app.export.sidecar_formats import SIDECAR_FORMATS
from app.install.natural_voice import NATURAL_VOICE_SPEAKERS
from app.install.refinement_runs import refine_installed
from app.install.voice_import import add_voices, find_user_voices_dir
from app.lab.profile import profile_run
from app.lab.profile.profiled_speech import measure_turns
from app.settings.settings_labels import LABEL_BY_SETTING
from app.ui.actions.action_definitions import ACTIONS
from app.ui.audition.board_view import BOARD_KEYS
from app.ui.help.guide_page_view import GUIDE_PAGES, locate_page
from app.ui.latency.latency_table import list_columns
from app.ui.takes.take_panel import TAKE_TABLE_KEYS
from app.ui.widgets.dialogs import CLOSE_KEY
from app.ui.widgets.voice_listening import LISTEN_KEY
from app.voices.prepared_voice import NamedId, read_manifest, write_manifest
from app.voices.voice_labels import NATURAL_VOICE_ID
from tests.fault_server import FaultServer, Reply, hub_server
from tests.install.voice_files import aivmx, quick
from tests.interchange.peers import vvproj
from tests.source_trees import ROOT, SourceModule, parse_app
from tests.tiny_models.kokoro_voice import make_kokoro_voice
from tests.voices.both_precisions import quick_refined

PLAIN_HEADERS = frozenset({"ms", "p95"})
LANGUAGES: tuple[Language, ...] = ("ja", "en")
EVERY = [(name, language) for name in GUIDE_PAGES for language in LANGUAGES]
NAMED_IN_PAIRS = {"app/settings/settings_labels.py", "app/core/delivery.py", "app/audition/blind_test_words.py"}
PIPE = re.compile(r'^echo "([^"]*)" \| ')
JAPANESE = re.compile("[ぁ-ヺ一-鿿]")
STRIP_KEYS = {"Alt+←", "Alt+→", "←", "→", "↑", "↓", "/", "Ctrl+↑", "Ctrl+↓", "Shift+↑", "Shift+↓"}
BOARD_KEY_NAMES = {key.removeprefix("Key_") for key in (item.name for item in BOARD_KEYS)} | {"Shift+P"}
NOT_RUN = {"VOICE": "stands for a name", "FOLDER": "stands for a name", "--url": "an address that is nobody's"}
NOT_RUN |= {"bert": "653 MB; tests/install/test_install_bert.py adds one", "--with-bert": "the same"}
NOT_RUN |= {"natural": "63 MB; tests/install/test_natural_voice_install.py adds it"}
NOT_RUN |= {"--scheduler": "a cluster; tests/export/test_cluster.py has one"}
NOT_RUN |= {"read": "needs a sound device; tests/ui/read_aloud and tests/cli/commands/test_read.py run it"}
NOT_RUN |= {"serve": "ends with Ctrl+C; tests/cli/commands/test_serve.py runs it"}
NOT_RUN |= {"selftest": "takes minutes; tests/cli/commands/test_selftest.py runs it"}
HUB_UUID = "00000000-0000-0000-0000-000000000000"


def markdown(name: str, language: Language) -> str:
    return locate_page(name, language).read_text(encoding="utf-8")


def commands(name: str, language: Language) -> Iterator[str]:
    for block in re.findall(r"^```\n(.*?)^```$", markdown(name, language), re.DOTALL | re.MULTILINE):
        yield from block.splitlines()


def readme_commands() -> Iterator[str]:
    """What README shows in both languages, without the remarks beside it."""
    for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("    koebako "):
            yield line.partition(" #")[0].strip()


def prose(name: str, language: Language) -> str:
    return re.sub(r"^```\n.*?^```$", "", markdown(name, language), flags=re.DOTALL | re.MULTILINE)


@cache
def shown_pairs() -> list[tuple[str, str]]:
    """Texts that the code holds in both languages: what `localize` is called with, and Japanese beside what is none in the rows of tables."""
    return [
        pair
        for module in parse_app()
        if module.name.startswith("app/ui/") or module.name in NAMED_IN_PAIRS
        for node in (*module.list_nodes(ast.Call), *module.list_nodes(ast.Tuple))
        for pair in pairs_of(node)
    ]


def pairs_of(node: ast.Call | ast.Tuple) -> Iterator[tuple[str, str]]:
    """Of one call or tuple. Names for programs stand beside each other, too, and are not shown."""
    parts = node.args if isinstance(node, ast.Call) else node.elts
    is_localized = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "localize"
    for ja, en in pairwise(part.value if isinstance(part, ast.Constant) else None for part in parts):
        if isinstance(ja, str) and isinstance(en, str) and (is_localized or (JAPANESE.search(ja) and not JAPANESE.search(en))):
            yield ja, en


def shown_names(language: Language) -> set[str]:
    """What the window shows in a language: every text that the code holds in both, side by side."""
    names = {pair[LANGUAGES.index(language)] for pair in shown_pairs()}
    return {re.sub(r"\(&.\)|&", "", name).casefold().rstrip("…") for name in names} | {"auto"}


def test_the_pages_are_the_files_of_both_languages() -> None:
    for language in LANGUAGES:
        assert {path.stem for path in locate_page("window", language).parent.iterdir()} == set(GUIDE_PAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_readme_links_every_page(language: Language) -> None:
    linked = set(re.findall(rf"\(resources/help/{language}/([\w-]+)\.md\)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert linked == set(GUIDE_PAGES)


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_a_page_has_a_title_and_its_links_lead_to_pages(name: str, language: Language) -> None:
    text = markdown(name, language)
    assert text.startswith("# ")
    assert text.count("\n# ") == 0
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert links
    assert {link.removesuffix(".md") for link in links} <= set(GUIDE_PAGES)


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_code_below_an_item_of_a_list_is_fenced(name: str, language: Language) -> None:
    """Four spaces there are not enough for code: the line would be prose."""
    assert not re.findall(r"^(?:\d+\.|-) .*\n\n {4,}\S.*", markdown(name, language), re.MULTILINE)


@pytest.mark.parametrize("name", GUIDE_PAGES)
def test_both_languages_have_the_same_headings_and_commands(name: str) -> None:
    ja, en = markdown(name, "ja"), markdown(name, "en")
    assert [line.count("#") for line in ja.splitlines() if line.startswith("#")] == [
        line.count("#") for line in en.splitlines() if line.startswith("#")
    ]
    assert len(list(commands(name, "ja"))) == len(list(commands(name, "en")))


def test_only_words_in_both_languages_are_names() -> None:
    rows = 'f("loop", "live", "follow"); ActionSpec("live", "自動再生", "Auto-play", "tip"); localize("BERT", "BERT"); x = ("声", "Voice", "声")'
    module = SourceModule(rows)
    found = [pair for node in (*module.list_nodes(ast.Call), *module.list_nodes(ast.Tuple)) for pair in pairs_of(node)]
    assert set(found) == {("自動再生", "Auto-play"), ("BERT", "BERT"), ("声", "Voice")}
    assert "live" not in shown_names("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_in_bold_is_shown_in_the_window(language: Language) -> None:
    shown = shown_names(language)
    for name in GUIDE_PAGES:
        for quoted in re.findall(r"\*\*(.+?)\*\*", prose(name, language)):
            for part in quoted.split(" › "):
                assert part.casefold().rstrip("…") in shown, f"{name}: {part}"


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_every_key_is_one_of_the_window(name: str, language: Language) -> None:
    arrows = {"Up": "↑", "Down": "↓"}
    keys = STRIP_KEYS | BOARD_KEY_NAMES | {CLOSE_KEY, LISTEN_KEY} | {key.name.removeprefix("Key_") for key in TAKE_TABLE_KEYS}
    for key in (key for spec in ACTIONS for key in (*spec.keys, *spec.list_keys)):
        keys |= {key.replace("Return", "Enter"), "+".join(arrows.get(part, part) for part in key.split("+"))}
    quoted = re.findall(r"`((?:Ctrl|Alt|Shift)\+[^`]+|F\d+|Space|Enter|Del|Esc|[A-Z]|[←→↑↓/])`", prose(name, language))
    assert set(quoted) <= keys


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_every_command_parses(name: str, language: Language) -> None:
    for line in commands(name, language):
        words = shlex.split(PIPE.sub("", line))
        assert words[0] == "koebako", line
        if "--help" not in words:
            assert build_parser(words[1:]).parse_args(words[1:]).command == words[1]


def exit_code(words: list[str]) -> int:
    """Of the command line; its help ends the process."""
    try:
        return main(words)
    except SystemExit as ended:
        return int(ended.code or 0)


def measure_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is asked for: the figures are of no interest here."""
    once = partial(stage_timing.measure_text, runs=1, warmup=0)
    monkeypatch.setattr(run, "measure_text", lambda speakers, name, text, turns, *, runs, warmup: once(speakers, name, text, turns))
    monkeypatch.setattr(Repeats, "measure_repeatedly", lambda _self, once: [once()])
    monkeypatch.setattr(
        profile_run, "measure_turns", lambda ways, _repeats, report: measure_turns(ways, Repeats(warmup=0, runs=1, seconds=0), report)
    )
    monkeypatch.setattr(Repeats, "iterate_turns", lambda _self, _ways, _report=None: iter([UNCOUNTED_TURNS]))
    monkeypatch.setattr(lab_part, "DEFAULT_REPEATS", {"warmup": 0, "runs": 1, "turns": 1, "seconds": 0.0})
    monkeypatch.setattr(multiply_adds, "measure_gmac_s", partial(multiply_adds.measure_gmac_s, runs=1))


class SilentPlayer:
    """A sound device that takes everything at once."""

    queued_s, underruns = 0.0, 0

    def __init__(self, _device: str, _rate: int) -> None:
        self.samples = 0

    def write_chunk(self, chunk: AudioChunk) -> None:
        self.samples += len(chunk.samples)

    def close(self) -> None:
        assert self.samples > 0

    def abort_output(self) -> None:
        pytest.fail("a command was given up")


@pytest.fixture
def hub(tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    """A hub that has the voice of the examples; what is added is prepared as quickly as it can be."""
    monkeypatch.setattr(add_voices_command, "add_voices", partial(add_voices, prepare=quick))
    monkeypatch.setattr(add_voices_command, "refine_installed", partial(refine_installed, refine=quick_refined))
    body = aivmx(tiny_models, tmp_path / "hub.aivmx", uuid=HUB_UUID, license="").read_bytes()
    newest = {"model_type": "AIVMX", "version": "1.0.0", "checksum": hashlib.sha256(body).hexdigest()}
    for server in hub_server(monkeypatch):
        server.reply(f"/v1/aivm-models/{HUB_UUID}", Reply(json.dumps({"name": "花子", "model_files": [newest]}).encode()))
        server.reply(f"/v1/aivm-models/{HUB_UUID}/download?model_type=AIVMX", Reply(body))
        yield server


def install_natural_voice() -> None:
    """A small one, with the speakers and the one style of the real voice."""
    voice = make_kokoro_voice(find_user_voices_dir() / NATURAL_VOICE_ID)
    speakers = tuple(NamedId(number, name) for number, name in enumerate(NATURAL_VOICE_SPEAKERS[:2]))
    write_manifest(replace(read_manifest(voice), id=NATURAL_VOICE_ID, name="Kokoro", speakers=speakers, licence=""), voice)


@pytest.mark.slow
@pytest.mark.usefixtures("hub")
@pytest.mark.parametrize(("lab", "has_natural_voice"), [(False, False), (False, True), (True, False)])
def test_commands_run_as_they_stand(
    tiny_models: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    lab: bool,
    has_natural_voice: bool,
) -> None:
    """In the order of the pages and then of README, in one folder; what is not run is in a list with its reasons, and only parsed."""
    measure_once(monkeypatch)
    monkeypatch.setattr("app.cli.commands.speak.run.open_player", SilentPlayer)
    if has_natural_voice:
        install_natural_voice()
    (tmp_path / "story.txt").write_text("むかしむかし。\nあるところに。\n", encoding="utf-8")
    (tmp_path / "lines.csv").write_text("id,text\na,むかしむかし。\nb,あるところに。\n", encoding="utf-8")
    aivmx(tiny_models, tmp_path / "voice.aivmx", license="")
    project = json.loads(vvproj("0.25.0", [("むかしむかし。", 3, None)]))
    for item in project["talk"]["audioItems"].values():
        del item["voice"]  # a line without one is spoken by the voice that ships
    (tmp_path / "story.vvproj").write_text(json.dumps(project), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ran = 0
    pages = [line for name, language in EVERY if name.startswith("lab") is lab for line in commands(name, language)]
    for line in dict.fromkeys([*pages, *readme_commands()] if not lab else pages):
        words = shlex.split(PIPE.sub("", line))[1:]
        if not NOT_RUN.keys() & set(words):
            typed = PIPE.match(line)
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((typed[1] if typed else "").encode()), "utf-8"))
            assert exit_code(words) == 0, f"{line}\n{capsys.readouterr().err}"
            ran += 1
    assert ran >= 20


def test_every_command_of_the_program_is_on_the_page_of_commands() -> None:
    actions = [item for item in build_parser()._actions if isinstance(item, argparse._SubParsersAction)]
    for language in LANGUAGES:
        for command in actions[0].choices:
            assert f"| `{command}` |" in markdown("command_line", language)


def test_every_shortcut_is_on_the_page_of_keys() -> None:
    arrows = {"Up": "↑", "Down": "↓", "Return": "Enter"}
    for index, language in enumerate(LANGUAGES):
        rows = markdown("keys", language)
        for spec in (spec for spec in ACTIONS if spec.keys or spec.list_keys):
            for key in (*spec.keys, *spec.list_keys):
                shown = "+".join(arrows.get(part, part) for part in key.split("+"))
                assert re.search(rf"^\| {re.escape(spec.label[index].rstrip('…'))} \|.*`{re.escape(shown)}`", rows, re.MULTILINE), key


def list_missing_names(texts: dict[Language, str]) -> list[tuple[Language, str]]:
    """Settings, columns and files beside the audio that the pages `settings`, `latency` and `export` do not name.

    The texts are those of the three pages of a language, one behind the other. A name is in bold; the words of tables of files, and signs that are no words, are plain.
    """
    missing: list[tuple[Language, str]] = []
    for index, language in enumerate(LANGUAGES):
        bold = {f"**{label.title[index]}**" for label in LABEL_BY_SETTING.values()}
        set_language(language)
        headers = [column.header for column in list_columns(has_devices=True)]
        set_language("en")
        bold |= {f"**{header}**" for header in headers if header not in PLAIN_HEADERS}
        plain = {f"`{header}`" for header in PLAIN_HEADERS - {"ms"}} | {" ms"}
        missing += [(language, name) for name in sorted(bold | plain) if name not in texts[language]]
        rows = re.findall(r"^\| ([^|]+) \|", texts[language], re.MULTILINE)
        named = {name for row in rows for name in re.split(r"[,、] ?", row)}
        missing += [(language, form.name) for form in SIDECAR_FORMATS.values() if form.name not in named]
    return missing


def test_every_shown_setting_column_and_file_beside_the_audio_is_on_its_page() -> None:
    texts = {language: "".join(markdown(name, language) for name in ("settings", "latency", "export")) for language in LANGUAGES}
    names: tuple[tuple[Language, str], ...] = (
        ("ja", "**未使用の声をメモリーから解放**"),
        ("en", "**Median**"),
        ("ja", "**実行先**"),
        ("en", "| TextGrid |"),
    )
    for language, name in names:
        without = texts | {language: texts[language].replace(name, "")}
        assert list_missing_names(without) == [(language, name.strip("| ") if "|" in name else name)]
    assert list_missing_names(texts) == []
