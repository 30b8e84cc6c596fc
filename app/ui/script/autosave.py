"""The script between starts: on the disk a moment after each change, so that a crash costs seconds, and at the start of the window."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import SignalInstance

from app.common.errors import AppError
from app.common.files.paths import find_data_dir, list_voice_dirs
from app.common.files.whole_files import PARSE_FAULTS, encode_readable_json, load_data, save_bytes
from app.common.language import localize
from app.core.script.project import Project
from app.core.script.script import Line, LineSettings, Script, cut_long_line
from app.core.script.script_data import convert_script_to_data, parse_script
from app.settings.user_settings import REMEMBERED_NAMES, Settings
from app.ui.background_thread import AutosavedFile
from app.ui.script.script_document import LineSeeds, ScriptDocument
from app.ui.script.undo_history import UndoHistory, write_undo_history
from app.ui.widgets.banner import Banner
from app.voices.prepared_voice import MANIFEST_NAME
from app.voices.voice_labels import NATURAL_VOICE_ID

AUTOSAVE_DELAY_MS = 2000  # from the first change on, however many follow: never more than this is lost

GREETING_TEXT = "こんにちは、声箱です。好きな文章を打って、声にしてみてください。"
REMEMBERED_LINE_SETTINGS = tuple(item.name for item in fields(LineSettings) if item.name in REMEMBERED_NAMES)


@dataclass(frozen=True, slots=True)
class ScriptOrigin:
    """The facts stored with the script while it is edited."""

    file: str = ""  # of the project; empty for a script without a name
    digest: str = ""  # of what the file held when it was read or written here
    is_changed: bool = False  # there is something that the file does not hold
    parts: Project = field(default_factory=Project)  # the project without its script


def dump_script_origin(origin: ScriptOrigin) -> dict[str, Any]:
    """Return what `parse_script_origin` reads; empty for a script that belongs to nothing."""
    if origin == ScriptOrigin(is_changed=origin.is_changed):
        return {}
    from app.core.script.project_data import convert_project_to_data  # scripts without a project start without it

    parts = convert_project_to_data(replace(origin.parts, script=Script()))
    return {"file": origin.file, "digest": origin.digest, "is_changed": origin.is_changed, "parts": parts}


def parse_script_origin(data: object) -> ScriptOrigin:
    """Return the origin, or None if no version has written such data: the script is worth more than its name."""
    if not data:
        return ScriptOrigin()
    from app.core.script.project_data import parse_project

    try:
        if not isinstance(data, dict):
            raise ValueError("no project")
        file, digest = data["file"], data["digest"]
        if not all(isinstance(text, str) and "\0" not in text for text in (file, digest)):
            raise ValueError("no name")
        return ScriptOrigin(file, digest, is_changed=data["is_changed"] is True, parts=parse_project(data["parts"]))
    except PARSE_FAULTS:
        return ScriptOrigin()


class AutosaveState(NamedTuple):
    """The last content of the window: `script` is None where there is none or it cannot be read, `current` the line that the user was at."""

    script: Script | None
    current: str
    origin: ScriptOrigin
    error: AppError | None


def locate_autosave_file() -> Path:
    """Return where the script is kept between starts."""
    return find_data_dir() / "autosave.json"


def load_autosave() -> AutosaveState:
    """Return what was written last."""
    failed = localize("前回の台本を読み込めませんでした。", "The previous script could not be read.")
    found, error = load_data(locate_autosave_file(), _parse_autosave, failed)
    script, current, origin = found or (None, "", ScriptOrigin())
    return AutosaveState(script, current, origin, error)


def write_autosave(script: Script, current: str, origin: ScriptOrigin | None = None, history: UndoHistory | None = None) -> None:
    """Write the script at once, and the steps of undo that lead to it; raise OutputFileError if the disk refuses the script."""
    project = dump_script_origin(origin or ScriptOrigin())
    data = convert_script_to_data(script) | {"current": current} | ({"project": project} if project else {})
    content = encode_readable_json(data)
    save_bytes(locate_autosave_file(), content, localize("台本を自動保存できません", "The script could not be saved automatically"))
    write_undo_history(history or UndoHistory(), content)


def _parse_autosave(data: Any) -> tuple[Script, str, ScriptOrigin]:
    own = {name: value for name, value in data.items() if name not in ("current", "project")}
    script, origin = parse_script(own), parse_script_origin(data.get("project"))
    if cast := origin.parts.script.cast:
        from app.core.script.project_data import cast_named_voices  # needed once, after a version that stored the names outside the script

        script, origin = cast_named_voices(script, cast), replace(origin, parts=replace(origin.parts, script=Script(), assignments=()))
    return script, str(data.get("current", "")), origin


class Autosave(AutosavedFile):
    """Keeps the script, with the seeds of its lines, the id of the line that the user is at, and where the script belongs."""

    def __init__(self, document: ScriptDocument, seeds: LineSeeds, current: Callable[[], str], origin: Callable[[], ScriptOrigin]) -> None:
        def take_snapshot() -> Callable[[], None]:
            return partial(write_autosave, seeds.apply_last_seeds(document.script), current(), origin(), document.collect_history())

        super().__init__(document, "autosave", take_snapshot, AUTOSAVE_DELAY_MS)
        document.changed.connect(self.schedule_save)
        seeds.changed.connect(self.schedule_save)


def open_startup_script(settings: Settings) -> tuple[Script, AutosaveState]:
    """Return the script of the last session and its autosaved state."""
    kept = load_autosave()
    script = kept.script
    if script is None:
        text = GREETING_TEXT if settings.text is None else settings.text
        script = Script((Line(text, create_first_line_settings(settings)),) if text else ())
    return replace(script, lines=tuple(piece for line in script.lines for piece in cut_long_line(line))), kept


def is_greeting(script: Script) -> bool:
    """Return whether the script is the greeting, unchanged."""
    return [line.text for line in script.lines] == [GREETING_TEXT]


def is_first_start(settings: Settings) -> bool:
    """Return whether nothing was ever typed on this machine."""
    return settings.text is None and not locate_autosave_file().exists()


def choose_first_voice(settings: Settings) -> Settings:
    """Return the settings of a first start with the default voice, which is the natural one where nobody chose another."""
    voice = settings.default_voice or NATURAL_VOICE_ID
    # A look at the disk, as the voices are scanned only after the first paint.
    is_there = any((folder / voice / MANIFEST_NAME).is_file() for folder in list_voice_dirs())
    return replace(settings, voice=voice) if is_there and not settings.voice and is_first_start(settings) else settings


def show_greeting(notice: Banner, open_voices: Callable[[], object], line_heard: SignalInstance, *, has_natural_voice: bool) -> None:
    """Show what can be done at once, the kind of voice, and the way to a better one, until the first line was heard."""
    if has_natural_voice:
        welcome = localize("ようこそ。すぐに使えます。Space を押してください。", "Welcome. Everything is ready: press Space.")
        kind = localize(
            "自然な声「Kokoro」で話します。「Mei（付属）」は、より速く話し始める軽量な声です。",
            "The natural voice “Kokoro” speaks. “Mei (starter)” is a lighter voice that starts sooner.",
        )
        action = localize("ほかの声を追加…", "Add other voices…")
    else:
        welcome = localize(
            "ようこそ。付属の声ですぐに使えます。Space を押してください。", "Welcome. The included voice is ready: press Space."
        )
        kind = localize(
            "すぐに話し始める軽量な声「Mei（付属）」で話します。自然な声は、下のボタンから追加できます。",
            "“Mei (starter)” speaks, a light voice that starts at once. The button below adds a natural one.",
        )
        action = localize("自然な声を追加…", "Add a natural voice…")
    notice.show_message("notice", welcome, kind, action=action, on_action=open_voices)
    line_heard.connect(lambda *_line: notice.hide() if notice.message.text() == welcome else None)


def create_first_line_settings(settings: Settings) -> LineSettings:
    """Return how the first line sounds."""
    return LineSettings(**{name: getattr(settings, name) for name in REMEMBERED_LINE_SETTINGS})
