"""The user guide says what is true: its commands run as they stand, and the names and keys that it quotes are those of the window."""

from __future__ import annotations

import argparse
import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from app.cli.parser import build_parser
from app.language import Language
from app.ui.actions.definitions import ACTIONS
from app.ui.help.pages import PAGES, page_file

ROOT = Path(__file__).parents[1]
LANGUAGES: tuple[Language, ...] = ("ja", "en")
EVERY = [(name, language) for name in PAGES for language in LANGUAGES]
NAMED_IN_PAIRS = [
    ROOT / "app" / "settings_words.py",
    ROOT / "app" / "core" / "limits.py",
    ROOT / "app" / "ui" / "actions" / "definitions.py",
]
PIPE = re.compile(r'^echo "([^"]*)" \| ')
STRIP_KEYS = {"Alt+←", "Alt+→", "←", "→", "↑", "↓", "/"}
NOT_RUN = {"--hub": "network", "--url": "network", "--play": "sound device", "VOICE": "stands for a name", "FOLDER": "stands for a name"}
NOT_RUN |= {"voice.aivmx": "a voice file", "selftest": "takes minutes; tests/cli/commands/test_selftest.py runs it"}


def markdown(name: str, language: Language) -> str:
    return page_file(name, language).read_text(encoding="utf-8")


def commands(name: str, language: Language) -> Iterator[str]:
    for block in re.findall(r"^```\n(.*?)^```$", markdown(name, language), re.DOTALL | re.MULTILINE):
        yield from block.splitlines()


def prose(name: str, language: Language) -> str:
    return re.sub(r"^```\n.*?^```$", "", markdown(name, language), flags=re.DOTALL | re.MULTILINE)


def shown_names(language: Language) -> set[str]:
    """What the window shows in a language: every text that the code holds in both, side by side."""
    names = set()
    for path in [*(ROOT / "app" / "ui").rglob("*.py"), *NAMED_IN_PAIRS]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            parts = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
            for pair in pairwise(parts):
                if all(isinstance(item, ast.Constant) and isinstance(item.value, str) for item in pair):
                    names.add(pair[LANGUAGES.index(language)].value)  # type: ignore[attr-defined]
    return {re.sub(r"\(&.\)|&", "", name).casefold().rstrip("…") for name in names} | {"auto"}


def test_the_pages_are_the_files_of_both_languages() -> None:
    for language in LANGUAGES:
        assert {path.stem for path in page_file("window", language).parent.iterdir()} == set(PAGES)


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_a_page_has_a_title_and_its_links_lead_to_pages(name: str, language: Language) -> None:
    text = markdown(name, language)
    assert text.startswith("# ")
    assert text.count("\n# ") == 0
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert links
    assert {link.removesuffix(".md") for link in links} <= set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_both_languages_have_the_same_headings_and_commands(name: str) -> None:
    ja, en = markdown(name, "ja"), markdown(name, "en")
    assert [line.count("#") for line in ja.splitlines() if line.startswith("#")] == [
        line.count("#") for line in en.splitlines() if line.startswith("#")
    ]
    assert len(list(commands(name, "ja"))) == len(list(commands(name, "en")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_in_bold_is_shown_in_the_window(language: Language) -> None:
    shown = shown_names(language)
    for name in PAGES:
        for quoted in re.findall(r"\*\*(.+?)\*\*", prose(name, language)):
            for part in quoted.split(" › "):
                assert part.casefold().rstrip("…") in shown, f"{name}: {part}"


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_every_key_is_one_of_the_window(name: str, language: Language) -> None:
    arrows = {"Up": "↑", "Down": "↓"}
    keys = set(STRIP_KEYS)
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
            assert build_parser().parse_args(words[1:]).command == words[1]


@pytest.mark.slow
def test_commands_run_as_they_stand(tmp_path: Path) -> None:
    """In the order of the pages, in one folder; those that need a network, a sound device or a voice file are only parsed."""
    (tmp_path / "story.txt").write_text("むかしむかし。\nあるところに。\n", encoding="utf-8")
    environment = os.environ | {"KOEBAKO_HOME": str(tmp_path / "home"), "PYTHONUTF8": "1"}
    ran = 0
    for line in dict.fromkeys(line for name, language in EVERY for line in commands(name, language)):
        words = shlex.split(PIPE.sub("", line))[1:]
        if not NOT_RUN.keys() & set(words):
            typed = PIPE.match(line)
            done = subprocess.run(
                [sys.executable, str(ROOT / "main.py"), *words],
                cwd=tmp_path,
                env=environment,
                input=typed[1] if typed else "",
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            assert done.returncode == 0, f"{line}\n{done.stderr}"
            ran += 1
    assert ran > 20


def test_every_command_of_the_program_is_on_the_page_of_commands() -> None:
    actions = [item for item in build_parser()._actions if isinstance(item, argparse._SubParsersAction)]
    for language in LANGUAGES:
        for command in actions[0].choices:
            assert f"| `{command}` |" in markdown("command_line", language)
