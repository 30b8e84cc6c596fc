"""Settings: what is saved comes back, what is broken is told and kept."""

import ast
import json
import os
import re
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.common.errors import OutputFileError
from app.core.synthesis_types import BOUNDS
from app.settings import user_settings
from app.settings.user_settings import (
    MAX_VOICE_CHOICES,
    MOST_RECENT,
    PrecisionPreference,
    Settings,
    load_settings,
    merge_settings,
    save_settings,
)
from tests.source_trees import SourceModule, parse_app

DECLARATION = Path(user_settings.__file__)


def test_first_start_has_defaults_and_nothing_to_tell(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none.json") == (Settings(), None)


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "声" / "settings.json"
    changed = Settings(text="今日は。\n明日は。", backend="cpu", style="Happy", speed=1.25, seed=7, theme="dark", expression_open=True)
    save_settings(changed, path)
    assert load_settings(path) == (changed, None)
    assert [item.name for item in path.parent.iterdir()] == ["settings.json"]


@pytest.mark.parametrize(
    ("before", "after", "found", "expected"),
    [
        ({}, {"theme": "dark"}, {"bert": "b"}, {"theme": "dark", "bert": "b"}),
        ({"theme": "dark"}, {"theme": "light"}, {"theme": "system"}, {"theme": "light"}),
        (
            {"recent_projects": ("a",)},
            {"recent_projects": ("b", "a")},
            {"recent_projects": ("c", "a")},
            {"recent_projects": ("b", "a", "c")},
        ),
        ({"recent_projects": ("a", "b")}, {"recent_projects": ("b",)}, {"recent_projects": ("a", "c")}, {"recent_projects": ("c",)}),
        ({"exact_voices": ("v",)}, {"fast_voices": ("v",)}, {"exact_voices": ("w", "v")}, {"exact_voices": ("w",), "fast_voices": ("v",)}),
        ({}, {"exact_voices": ("v",)}, {"fast_voices": ("v", "w")}, {"exact_voices": ("v",), "fast_voices": ("w",)}),
        ({"fast_voices": ("v",)}, {}, {"fast_voices": ("v", "w")}, {"fast_voices": ("w",)}),
        ({}, {"sound_precision": "fast"}, {"exact_voices": ("v",)}, {"sound_precision": "fast", "exact_voices": ("v",)}),
    ],
)
def test_what_two_programs_changed_at_once_is_all_there(before: Any, after: Any, found: Any, expected: Any) -> None:
    assert merge_settings(Settings(**before), Settings(**after), Settings(**found)) == Settings(**expected)


def test_lists_of_two_programs_stay_as_long_as_they_may_be() -> None:
    ours, others = (tuple(f"{who}{number}" for number in range(MOST_RECENT)) for who in "ab")
    assert merge_settings(Settings(), Settings(recent_projects=ours), Settings(recent_projects=others)).recent_projects == ours


def test_a_choice_by_its_earlier_name_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"version": 1, "decoder_precision": "int8"}', encoding="utf-8")
    assert load_settings(path) == (Settings(sound_precision="fast"), None)


def test_a_choice_for_all_voices_from_before_is_the_default(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"version": 1, "sound_precision": "fast"}', encoding="utf-8")
    choice = load_settings(path)[0].precision_preference
    assert choice == PrecisionPreference("fast")
    assert choice.find_precision("any") == "fast"


def test_a_voice_has_a_choice_of_its_own() -> None:
    choice = PrecisionPreference().replace_voice_precision("a", "fast").replace_voice_precision("b", "exact")
    assert choice == PrecisionPreference("exact", exact=("b",), fast=("a",))
    assert [choice.find_precision(voice) for voice in "abc"] == ["fast", "exact", "exact"]
    assert [replace(choice, default="fast").find_precision(voice) for voice in "abc"] == ["fast", "exact", "fast"]
    assert choice.replace_voice_precision("a", "exact") == PrecisionPreference("exact", exact=("b", "a"))
    assert (
        len(PrecisionPreference("exact", fast=tuple(map(str, range(MAX_VOICE_CHOICES)))).replace_voice_precision("a", "fast").fast)
        == MAX_VOICE_CHOICES
    )


def test_defaults_and_bounds_are_those_of_the_request() -> None:
    numbers = {item.name: item for item in fields(Settings) if item.name in BOUNDS}
    assert {"speed", "style_weight", "volume"} < set(numbers)
    for name, item in numbers.items():
        assert (item.default, item.metadata["low"], item.metadata["high"]) == (BOUNDS[name].default, BOUNDS[name].low, BOUNDS[name].high)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"null", b"[" * 100_000])
def test_an_unreadable_file_gives_defaults_says_so_and_is_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    loaded, notice = load_settings(path)
    assert loaded == Settings()
    assert notice is not None
    assert "settings.json.unreadable" in notice.hint
    assert (tmp_path / "settings.json.unreadable").read_bytes() == content


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("speed", 9.0),
        ("speed", "fast"),
        ("speed", None),
        ("speed", True),
        ("noise", float("nan")),
        ("seed", 1.5),
        ("seed", -1),
        ("theme", "pink"),
        ("expression_open", 1),
        ("backend", ["cpu"]),
        ("text", "あ" * 1_000_001),
    ],
)
def test_one_bad_value_does_not_cost_the_others(tmp_path: Path, name: str, value: object) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"style": "Sad", "volume": 2, name: value, "from_the_future": 1}), encoding="utf-8")
    loaded, notice = load_settings(path)
    assert loaded == Settings(style="Sad", volume=2)
    assert notice is not None
    assert name in notice.message


def test_a_failed_save_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.json"
    save_settings(Settings(style="Sad"), path)

    def full_disk(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OutputFileError) as caught:
        save_settings(Settings(style="Happy"), path)
    assert caught.value.hint == "Free some space. (the disk is full)"
    assert load_settings(path) == (Settings(style="Sad"), None)
    assert os.listdir(tmp_path) == ["settings.json"]  # noqa: PTH208


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputFileError):
        save_settings(Settings(), tmp_path / "file" / "settings.json")


@given(st.text(st.characters(exclude_categories=())), st.floats(0.5, 2.0), st.integers(0, 2**31 - 1))
def test_any_text_and_number_survives(tmp_path_factory: pytest.TempPathFactory, text: str, speed: float, seed: int) -> None:
    path = tmp_path_factory.getbasetemp() / "any" / "settings.json"
    changed = replace(Settings(), text=text, speed=speed, seed=seed)
    save_settings(changed, path)
    assert load_settings(path) == (changed, None)


def list_unread_settings(names: list[str], modules: Sequence[SourceModule]) -> list[str]:
    """The settings of which no module reads an attribute. One that a property of `Settings` reads is read where the property is."""
    read = {node.attr for module in modules for node in module.list_nodes(ast.Attribute) if isinstance(node.ctx, ast.Load)}
    declaration = SourceModule(DECLARATION.read_text(encoding="utf-8"))
    for node in declaration.list_nodes(ast.FunctionDef):
        if any(ast.unparse(item) == "property" for item in node.decorator_list) and node.name in read:
            read |= {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    return [name for name in names if name not in read]


def test_every_setting_is_read_somewhere() -> None:
    """Outside of its declaration, its label and the dialog, which reads them all."""
    modules = [module for module in parse_app() if not re.match(r"app/(settings|ui/settings)/[^/]+$", module.name)]
    assert list_unread_settings(["warmth"], [*modules, SourceModule("settings.warmth = 1")]) == ["warmth"]
    assert list_unread_settings(["sound_precision"], [SourceModule("use(settings.precision_preference)")]) == []
    assert list_unread_settings([item.name for item in fields(Settings)], modules) == []
