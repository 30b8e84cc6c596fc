"""Every command and dialog that writes a file: none destroys what it was not told to, whatever has the name."""

import argparse
import ast
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.adapters.user_dictionary import change_dictionary, export_entries, find_dictionary_path
from app.cli.command_files import write_output_file
from app.cli.commands.bench.run import check_picture_path
from app.cli.commands.selftest.run import _write_report
from app.cli.main import build_parser, main
from app.common.errors import AppError
from app.common.language import set_language
from app.core.script.project import Project
from app.core.script.script import Character, Line, Script
from app.core.text.dictionary_entries import make_entry
from app.interchange.koebako_files import write_project
from app.interchange.script_writers import write_script
from app.settings.user_settings import Settings, find_settings_path, save_settings
from app.ui.audition import blind_test_dialog
from app.ui.lab.lab_commands import LabReport
from app.ui.lab.report_export import list_formats, write_report
from app.ui.latency.latency_files import write_csv
from app.ui.parameters.preset_bar import save_presets
from app.ui.synthesis.latency_history import LatencyHistory
from tests.source_trees import SourceModule, parse_app

MINE = b"mine\n"
WORD = make_entry("声箱", "コエバコ")
needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")


@dataclass(frozen=True, slots=True)
class Writer:
    """One way in which a user has a file written.

    Attributes:
        file: the name that is given.
        write: writes the file; returns the exit code of a command, or raises AppError.
        replace: the option without which a file that is there is refused; empty where the name alone says what is meant.
        source: the name of what is read, in the same folder; empty where that is no file of the user's, or of another suffix.
    """

    name: str
    file: str
    write: Callable[[Path, Sequence[str]], int | None]
    replace: str = ""
    source: str = ""


def _command(*words: str) -> Callable[[Path, Sequence[str]], int]:
    """Runs a command; `{}` is the file, and `{name}` a file beside it."""

    def run(target: Path, more: Sequence[str]) -> int:
        given = [str(target) if word == "{}" else str(target.parent / word[1:-1]) if word.startswith("{") else word for word in words]
        return main([*given, *more])

    return run


def _call(write: Callable[[Path], object]) -> Callable[[Path, Sequence[str]], None]:
    def run(target: Path, _more: Sequence[str]) -> None:
        write(target)

    return run


def _write_report_file(kind: str) -> Callable[[Path, Sequence[str]], None]:
    return _call(lambda file: write_report(list_formats()[kind], LabReport("inspect", "mei", "Mei", rows=[{"type": "machine"}]), file))


COMMANDS = (
    Writer("speak --output", "a.wav", _command("speak", "はい。", "-o", "{}")),
    Writer("speak --output, read from a file", "a.wav", _command("speak", "-f", "{a.wav}", "-o", "{}"), source="a.wav"),
    Writer("project new", "a.koebako", _command("project", "new", "{}", "-f", "{s.txt}"), "--replace"),
    Writer("project new, of itself", "a.koebako", _command("project", "new", "{}", "-f", "{a.koebako}"), "--replace", "a.koebako"),
    Writer("project convert --output", "a.koebako", _command("project", "convert", "{s.txt}", "-o", "{}"), "--replace"),
    Writer("project convert --output, a table", "s.csv", _command("project", "convert", "{s.csv}", "-o", "{}"), "--replace", "s.csv"),
    Writer("dict export", "words.json", _command("dict", "export", "{}"), "--replace"),
    Writer("voices export", "mei.zip", _command("voices", "export", "mei", "{}"), "--replace"),
    # Those behind seconds and minutes of work are tried by what writes their files.
    Writer("lab --html", "a.html", _call(lambda file: write_output_file(file, b"<html></html>"))),
    Writer("lab --plot", "a.svg", _call(lambda file: write_output_file(file, b"<svg/>"))),
    Writer("lab --trace", "a.json", _call(lambda file: write_output_file(file, b"{}"))),
    Writer("lab --junit", "a.xml", _call(lambda file: write_output_file(file, b"<testsuites/>"))),
    Writer("bench --plot", "a.svg", _call(lambda file: (check_picture_path(file), write_output_file(file, b"<svg/>")))),
    Writer("selftest --report", "a.json", _call(lambda file: _write_report(str(file), {}))),
)
# What a file dialog has confirmed is replaced.
DIALOGS = (
    Writer("project_controller", "a.koebako", _call(lambda file: write_project(file, Project()))),
    Writer("cast_files", "cast.koebako", _call(lambda file: write_project(file, Project(Script(cast=(Character("役"),)))))),
    Writer("script_files", "a.csv", _call(lambda file: write_script(file, Script((Line("はい。"),))))),
    Writer("dictionary_controller", "a.csv", _call(lambda file: export_entries((WORD,), file))),
    Writer("preset_bar", "a.json", _call(lambda file: save_presets({}, file))),
    Writer("report_export", "a.csv", _write_report_file("csv")),
    Writer("latency_dock", "a.csv", _call(lambda file: write_csv(LatencyHistory(), file))),
    Writer("blind_test_dialog", "a.csv", _call(lambda file: blind_test_dialog._write_sheet(file, "sheet"))),
)
WRITERS = (*COMMANDS, *DIALOGS)
by_name = pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.name)

OTHER_DIALOGS = {
    "dialogs": "asks for names, and writes nothing",
    "diagnostics_dialog": "writes under the very name that was confirmed",
    "voice_library_actions": "the command that it starts refuses what is there unless it was confirmed, see `voices export`",
    "sound_saving": "see `speak --output`; the same sink",
}
OTHER_OUTPUTS = {
    "export --output": "tests/export/test_foreign_files.py",
    "mcp --folder": "tests/cli/commands/test_mcp.py and tests/service/test_agent_projects.py: names of agents replace nothing",
    "lab --output": "an empty folder",
    "lab --test": "refused before anything is measured, see tests/lab/test_chosen_candidates.py",
}
INPUTS = {
    "speak --file", "speak --melody", "export source", "export --cast", "export --voices-folder", "export --tls-ca-file", "export --tls-cert",
    "export --tls-key", "serve --token-file", "dict import", "project new --text", "project info", "project cast", "project convert source",
    "voices add sources", "voices add --from", "voices check source", "voices check --expected", "bert add source", "lab source", "lab --against",
    "lab --base", "lab --texts",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with scripts, and a dictionary of one word."""
    set_language("en")
    made = tmp_path / "work"
    made.mkdir()
    (made / "s.txt").write_text("はい。\n", encoding="utf-8")
    change_dictionary(lambda _words: (WORD,))
    return made


def _attempt(writer: Writer, target: Path, *more: str) -> int:
    """The exit code; 0 where the file was written."""
    try:
        return writer.write(target, more) or 0
    except AppError as error:
        return error.exit_code


@by_name
def test_a_file_in_the_way(writer: Writer, folder: Path) -> None:
    target = folder / writer.file
    target.write_bytes(MINE)
    if writer.replace or writer.source:
        assert _attempt(writer, target) in (2, 7)
        assert target.read_bytes() == MINE
    if not writer.source:
        assert _attempt(writer, target, *filter(None, [writer.replace])) == 0
        assert target.read_bytes() != MINE


@needs_links
@by_name
def test_a_link_that_the_user_names_stays_one(writer: Writer, folder: Path) -> None:
    if writer.source:
        pytest.skip("see the file")
    kept, target = folder / f"kept{Path(writer.file).suffix}", folder / writer.file
    for leads_somewhere in (True, False):
        target.unlink(missing_ok=True)
        kept.unlink(missing_ok=True)
        target.symlink_to(kept)
        if leads_somewhere:
            kept.write_bytes(MINE)
        if writer.replace:
            assert _attempt(writer, target) in (2, 7), leads_somewhere
            assert (kept.read_bytes() if leads_somewhere else kept.exists()) == (MINE if leads_somewhere else False)
        if writer.name == "voices export" and not leads_somewhere:
            continue  # a link to nowhere is nothing to replace
        assert _attempt(writer, target, *filter(None, [writer.replace])) == 0
        assert target.is_symlink()
        assert kept.read_bytes() != MINE


@by_name
def test_a_folder_in_the_way(writer: Writer, folder: Path) -> None:
    target = folder / writer.file
    target.mkdir()
    (target / "kept.txt").write_bytes(MINE)
    assert _attempt(writer, target, *filter(None, [writer.replace])) in (2, 7)
    assert (target / "kept.txt").read_bytes() == MINE
    assert sorted(item.name for item in folder.iterdir()) == sorted({"s.txt", writer.file})


@pytest.mark.parametrize("writer", [writer for writer in WRITERS if writer.source], ids=lambda writer: writer.name)
@pytest.mark.parametrize("way", ["plain", pytest.param("link", marks=needs_links)])
def test_its_own_source_in_the_way(writer: Writer, folder: Path, way: str, capsys: pytest.CaptureFixture[str]) -> None:
    source = folder / writer.source
    source.write_text("text\nはい。\n", encoding="utf-8")
    before, target = source.read_bytes(), source
    if way == "link":
        target = folder / f"link{source.suffix}"
        target.symlink_to(source)
    assert _attempt(writer, target, *filter(None, [writer.replace])) == 2
    assert source.read_bytes() == before
    assert "cannot be replaced" in capsys.readouterr().err


@pytest.mark.parametrize("way", ["plain", pytest.param("link", marks=needs_links)])
def test_the_dictionary_is_no_place_for_its_words(folder: Path, way: str) -> None:
    before, target = find_dictionary_path().read_bytes(), find_dictionary_path()
    if way == "link":
        target = folder / "words.json"
        target.symlink_to(find_dictionary_path())
    assert main(["dict", "export", str(target), "--replace"]) == 2
    assert find_dictionary_path().read_bytes() == before


@needs_links
@pytest.mark.parametrize(
    ("file", "save"),
    [
        (find_settings_path, lambda: save_settings(Settings())),
        (find_dictionary_path, lambda: change_dictionary(lambda words: (*words, make_entry("雨", "アメ")))),
    ],
    ids=["settings", "dictionary"],
)
def test_own_data_that_a_person_linked_stay_links(folder: Path, file: Callable[[], Path], save: Callable[[], object]) -> None:
    save()
    kept = folder / "kept.json"
    file().rename(kept)
    file().symlink_to(kept)
    kept_before = kept.stat().st_ino
    save()
    assert file().is_symlink()
    assert kept.stat().st_ino != kept_before, "it was written anew, behind the link"


def _list_options(parser: argparse.ArgumentParser, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every option and argument that names a file or a folder; those of all parts of the lab are one."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, sub in action.choices.items():
                yield from _list_options(sub, (*path, name))
        elif any(word in str(action.metavar) for word in ("FILE", "FOLDER", "PATH", "SOURCE", "NPZ")) and "ID|" not in str(action.metavar):
            words = path[:1] if path[0] == "lab" else path
            yield " ".join((*words, action.option_strings[-1] if action.option_strings else action.dest))


def test_every_option_that_names_a_file_is_in_the_list() -> None:
    # `dict export FILE` is the command alone; so are those that have a single file.
    found = {name.removesuffix(" file").removesuffix(" target") for name in _list_options(build_parser())} | {"bert add source"}
    written = {writer.name.partition(",")[0] for writer in COMMANDS}
    assert found == written | INPUTS | OTHER_OUTPUTS.keys()


WRITING = {
    "write_file_atomically", "save_bytes", "save_data", "write_json", "write_project", "write_script", "export_entries", "export_voice",
    "write_output_file", "PartFile", "FileSet", "SoundFileSink", "PlannedFileWriter", "write_finished_files", "getSaveFileName", "write_bytes", "ask_for_new_file",
    "copyfile", "copy2", "copytree", "copyfileobj", "hardlink_to", "symlink_to", "mkstemp", "NamedTemporaryFile", "ZipFile",
}  # fmt: skip
OWN_FOLDERS = {
    "where the program keeps its own, in the data folder": (
        "adapters/openjtalk/compiled_dictionary adapters/ort/devices/failed_devices adapters/ort/optimized_graphs adapters/probe_results common/files/ratio_cache"
        " adapters/window_requests adapters/download/partial_download install/known_voices install/voice_licence service/query_presets"
        " settings/user_settings ui/actions/window_actions ui/reading/line_sounds ui/script/autosave ui/script/undo_history ui/shell/single_instance"
        " ui/voices/hub_voice_loader ui/voices/voice_controller voices/file_fact_cache audition/take_store"
    ),
    "voices and BERTs, in folders that are theirs alone until they are whole": (
        "cli/commands/bert/run install/bert_preparation install/fixed_shape_build"
        " install/natural_voice_install install/natural_voice install/staging_folders"
        " install/voice_identity voices/bert_models voices/containers/voice_descriptions voices/containers/voice_zip"
        " voices/pending_refinement voices/prepare/device/fixed_shape_writer voices/prepare/graph_writer"
        " voices/prepare/variants/graph_variants voices/voice_card_data voices/prepared_voice"
    ),
    "scratch folders and spools": "backends/backend_trial lab/lab_subject lab/optimise/graph_candidates lab/optimise/candidate_run service/routes_query",
    "what is read, not written": "adapters/openjtalk/user_lexicon voices/expected_outputs voices/containers/voice_zip",
    "the means by which the others write": (
        "adapters/files/part_file adapters/sound/sound_file_sink cli/command_files common/files/whole_files compose/audio_outputs"
    ),
    "a file of one name in a folder that the user chose for it, see tests/service/test_chat_captions.py": "service/chat/chat_captions",
    "projects of agents, see tests/service/test_agent_projects.py": "service/agents/project_tools",
    "sets of an export, see tests/export/test_foreign_files.py": (
        "export/cluster_worker export/export_plan export/export_renderer export/manifest_store"
    ),
    "written for commands and dialogs of the list": (
        "adapters/user_dictionary install/manage_voices interchange/koebako_files interchange/script_writers lab/optimise/candidate_measures"
        " ui/latency/latency_files ui/projects/project_files cli/commands/bench/run cli/commands/dict/run cli/commands/lab/lab_parts"
        " cli/commands/lab/run cli/commands/project/run"
        " cli/commands/selftest/run cli/commands/voices/run ui/selftest"
    ),
}


def _list_writing(module: SourceModule) -> set[str]:
    """The names of writing functions that are called in a module, and `open` for writing."""
    found = set()
    for node in module.list_nodes(ast.Call):
        is_method = isinstance(node.func, ast.Attribute)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        texts = [item.value for item in node.args if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        is_text = name == "write_text" and is_method  # of a path; the function of that name writes to a stream
        is_open = name == "open" and any(len(text) <= 3 and set(text) & set("wax+") for text in texts)
        if name in WRITING or is_text or is_open:
            found.add(name)
    return found


def test_every_module_that_writes_a_file_is_in_the_list() -> None:
    found = {module.name.removeprefix("app/").removesuffix(".py"): _list_writing(module) for module in parse_app()}
    known = {name for names in OWN_FOLDERS.values() for name in names.split()}
    dialogs = {name for name, calls in found.items() if calls & {"getSaveFileName", "ask_for_new_file"}}
    assert {name.rpartition("/")[2] for name in dialogs} == {writer.name for writer in DIALOGS} | OTHER_DIALOGS.keys()
    assert {name for name, calls in found.items() if calls} - dialogs == known


def test_a_writer_that_is_not_in_the_list_is_found() -> None:
    for code in ("write_file_atomically(p, b'')", "p.write_text('a')", "open(p, 'w')", "p.open('xb')", "x = PartFile(p)"):
        assert _list_writing(SourceModule(code)), code
    for code in ("print('w')", "p.open('rb')", "read_bounded(p, 3)", "write_text('a')"):
        assert not _list_writing(SourceModule(code)), code
