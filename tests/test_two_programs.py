"""Two programs on one home: what is read is what one of them wrote, whole, and what each adds is there in the end."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.adapters.probe_results import ProbeResultStore
from app.adapters.user_dictionary import read_user_entries
from app.common.files.paths import find_data_dir
from app.core.script.project import Project
from app.install.known_voices import load_characters
from app.install.voice_licence import VoiceLicence, is_accepted
from app.interchange.koebako_files import read_project, write_project
from app.service.query_presets import QueryPresetStore
from app.settings.user_settings import Settings, load_settings
from app.ui.actions.window_actions import load_shortcuts
from app.ui.parameters.preset_bar import load_presets
from app.ui.script.autosave import load_autosave

ROOT = Path(__file__).parents[1]
WRITERS, WRITES = 3, 15
WORDS, SAVES = 6, 8
WRITE = """
import sys
from app.core.script.script import Line, LineSettings, Script
from app.settings.user_settings import Settings, save_settings
from app.ui.script.autosave import write_autosave
from app.core.script.project import LinePreset
from app.ui.parameters.preset_bar import save_presets
from app.ui.actions.window_actions import KeyBinding, save_shortcuts
name, times = sys.argv[1], int(sys.argv[2])
script = Script(tuple(Line(f"{name} の {number} 行目です。" * 9, id=f"{name}{number}") for number in range(300)))
for _ in range(times):
    save_settings(Settings(voice=name, speaker=name * 20_000, seed=int(name)))
    write_autosave(script, name)
    save_presets({f"{name} {number}": LinePreset(LineSettings(seed=int(name))) for number in range(200)})
    save_shortcuts({name: KeyBinding(("Ctrl+J",))})
"""
TEACH = """
import sys
from app.adapters.user_dictionary import change_dictionary
from app.core.text.dictionary_entries import make_entry, merge_entries
for number in range(int(sys.argv[2])):
    word = make_entry(f"語{sys.argv[1]}の{number}", "ゴ")
    change_dictionary(lambda words: merge_entries(words, [word]))
"""
ADD = """
import sys
from app.interchange.koebako_files import read_project, write_project
from app.service.query_presets import QueryPresetStore, parse_preset
scales = dict.fromkeys(("speedScale", "intonationScale", "volumeScale"), 1) | dict.fromkeys(("pitchScale", "prePhonemeLength", "postPhonemeLength"), 0)
for number in range(int(sys.argv[2])):
    QueryPresetStore().add_preset(parse_preset({"id": -1, "name": f"{sys.argv[1]} {number}", "speaker_uuid": "", "style_id": 0} | scales))
"""
CHANGE = """
import sys
from dataclasses import replace
from app.adapters.shared_settings import change_settings, write_changes
from app.settings.user_settings import Settings
name, kept = ("voice", "style", "speaker")[int(sys.argv[1]) - 1], Settings()
for number in range(int(sys.argv[2])):
    if number % 2:
        change_settings(lambda known: replace(known, **{name: str(number)}))
    else:
        write_changes(kept, changed := replace(kept, **{name: str(number)}))
        kept = changed
"""

SAVE = """
import sys
from dataclasses import replace
from pathlib import Path
from app.core.script.script import Line
from app.interchange.koebako_files import open_project
from app.ui.projects.project_files import write_project_file
path, written = Path(sys.argv[3]), 0
while written < int(sys.argv[2]):
    opened = open_project(path)
    script = opened.project.script
    added = replace(script, lines=(*script.lines, Line(f"{sys.argv[1]} の {written}")))
    written += write_project_file(path, replace(opened.project, script=added), opened.digest) is not None
"""

CHOOSE = """
import sys
from dataclasses import replace
from pathlib import Path
from app.adapters.probe_results import ProbeResultStore
from app.adapters.shared_settings import change_settings, write_changes
from app.core.script.project import VoiceAssignment
from app.install.voice_licence import VoiceLicence, record_acceptance
from app.common.files.paths import find_data_dir
from app.settings.user_settings import Settings
from app.install.known_voices import remember_characters
name, times = sys.argv[1], int(sys.argv[2])
before = Settings()
for number in range(times):
    one = f"{name}-{number}"
    change_settings(lambda kept: kept.replace_precision(kept.precision_preference.replace_voice_precision(one, "fast")))
    after = replace(before, favourite_voices=(one, *before.favourite_voices), seed=int(name))
    write_changes(before, after)
    before = after
    remember_characters([VoiceAssignment(one, "v", "", "")])
    record_acceptance(VoiceLicence(one, "", "text"))
    ProbeResultStore(find_data_dir() / "cache" / "probe.json").begin_trial(one, "model")
"""


def begin(code: str, times: int, *more: str) -> list[subprocess.Popen[bytes]]:
    return [subprocess.Popen([sys.executable, "-c", code, str(name), str(times), *more], cwd=ROOT) for name in range(1, WRITERS + 1)]


def assert_whole() -> set[str]:
    """Every file is of one writer; returns whose they were."""
    settings, unread = load_settings()
    script, current, _, unread_script = load_autosave()
    presets, unread_presets = load_presets()
    keys, unread_keys = load_shortcuts()
    assert [unread, unread_script, unread_presets, unread_keys] == [None] * 4
    if settings != Settings():
        assert (settings.speaker, settings.seed) == (settings.voice * 20_000, int(settings.voice))
    if script is not None:
        assert len(script.lines) == 300
        assert all(line.text.startswith(f"{current} の") for line in script.lines)
    assert len({(name.split()[0], str(item.settings.seed)) for name, item in presets.items()}) <= 1
    assert len(presets) in (0, 200)
    assert len(keys) <= 1
    return {settings.voice, current, *keys}


@pytest.mark.skipif(sys.platform == "win32", reason="a reader that never rests keeps Windows from renaming")
def test_what_several_programs_write_at_once_is_never_mixed_and_never_half() -> None:
    writers = begin(WRITE, WRITES)
    seen: set[str] = set()
    looks = 0
    while any(writer.poll() is None for writer in writers):
        seen |= assert_whole()
        looks += 1
    assert [writer.returncode for writer in writers] == [0] * WRITERS
    assert seen >= {"1", "2", "3"}
    assert looks > 10
    assert {item.name for item in find_data_dir().iterdir()} == {"settings.json", "autosave.json", "presets.json", "shortcuts.json"}


def test_what_several_programs_teach_add_change_and_choose_at_once_is_all_there() -> None:
    """Words, presets with a number each, settings, and what is chosen for voices and characters."""
    programs = begin(TEACH + ADD + CHANGE + CHOOSE, WORDS)
    assert [program.wait(60) for program in programs] == [0] * WRITERS
    own = [(name, number) for name in range(1, WRITERS + 1) for number in range(WORDS)]
    assert {word.surface for word in read_user_entries()} == {f"語{name}の{number}" for name, number in own}
    assert {item.name for item in find_data_dir().glob("dictionary*")} == {"dictionary.json", "dictionary.lock"}
    presets = QueryPresetStore().list_presets()
    assert {preset.name for preset in presets} == {f"{name} {number}" for name, number in own}
    assert sorted(preset.id for preset in presets) == list(range(1, WRITERS * WORDS + 1))
    settings, error = load_settings()
    assert error is None
    assert (settings.voice, settings.style, settings.speaker) == (str(WORDS - 1),) * WRITERS
    wanted = {f"{name}-{number}" for name, number in own}
    assert set(settings.fast_voices) == set(settings.favourite_voices) == wanted
    assert settings.seed in range(1, WRITERS + 1)
    assert {character.name for character in load_characters()[0]} == wanted
    assert all(is_accepted(VoiceLicence(name, "", "text")) for name in wanted)
    assert ProbeResultStore(find_data_dir() / "cache" / "probe.json").find_trials("model").keys() == wanted


def test_lines_that_several_windows_add_to_one_project_are_all_there_where_each_save_is_told_of_the_others(tmp_path: Path) -> None:
    file = tmp_path / "a.koebako"
    write_project(file, Project())
    savers = begin(SAVE, SAVES, str(file))
    assert [saver.wait(60) for saver in savers] == [0] * WRITERS
    found = [line.text for line in read_project(file).script.lines]
    assert sorted(found) == sorted(f"{name} の {number}" for name in range(1, WRITERS + 1) for number in range(SAVES))
    assert list(tmp_path.iterdir()) == [file]
