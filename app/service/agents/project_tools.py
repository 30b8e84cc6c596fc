"""The project that an agent has open: its lines and cast as a person edits them, opened, saved and exported inside the agent's folder."""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.adapters.files.file_lock import lock_user_file
from app.adapters.openjtalk.reading_choices import PROJECT_WORDS
from app.common.errors import InputError
from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import localize
from app.compose.text_front_end import forget_readings
from app.core.script.characters import CastBuilder, assign_character, change_character, recast_character
from app.core.script.project import MAX_SCRIPT_LINES, PROJECT_SUFFIX, Project, VoiceReference, sanitise_text
from app.core.script.script import (
    Character,
    Line,
    Script,
    apply_cast,
    build_request,
    change_pauses,
    change_settings,
    edit_lines,
    find_cast,
    insert_lines,
    remove_lines,
    replace_text,
)
from app.core.sound.line_reading import LineReading
from app.core.sound.stage_clock import RequestStopped, ignore_cancellation
from app.core.synthesis_types import LINE_PAUSE_BOUNDS, Overrides, ReadingOverride, SynthesisRequest
from app.core.text.text_lines import MAX_LINE_CHARACTERS
from app.engine.line_reader import LineReader, ReadLineJob
from app.engine.synthesis_jobs import JobTurn
from app.interchange.koebako_files import compute_file_digest, open_project, write_project
from app.service.agents.agent_folder import AgentFolder
from app.service.agents.line_shaping import LINE_EDITS, apply_line_edits, describe_reading
from app.service.agents.offered_voices import OfferedVoices
from app.service.agents.project_export import FindConditions, ProjectExport
from app.service.agents.tool_arguments import (
    FORMAT_ARGUMENT,
    MAX_CALL_CHARS,
    MAX_EXPORTED_LINES,
    MAX_NAME_CHARS,
    VOICE_ARGUMENTS,
    Schema,
    build_array_schema,
    build_delivery_schemas,
    build_index_schema,
    build_object_schema,
    build_text_schema,
    describe_tool,
)

ToolHandler = Callable[[dict[str, Any], str, JobTurn], dict[str, Any]]
MAX_READ_LINES = 200
_VOICE_NAMES = {name: VOICE_ARGUMENTS[name] for name in ("voice", "style")}
_PROJECT_NAME = build_text_schema(MAX_NAME_CHARS, description=f"Name of the project in the agent's folder, as story{PROJECT_SUFFIX}")
_DISCARD: Schema = {"type": "boolean", "description": "Drop changes of the open project that are not saved"}
_LINE_NUMBER = build_index_schema(MAX_SCRIPT_LINES, "Number of the line, from 1", 1)
_LINE_TEXT = build_text_schema(MAX_LINE_CHARACTERS)
_LINE_PAUSE: Schema = {
    "type": "number",
    "minimum": -1.0,
    "maximum": LINE_PAUSE_BOUNDS.high,
    "description": "Seconds of silence between the line and the next, in place of those around both; below 0 for those again",
}
_CHARACTER_NAME: Schema = {"type": "string", "maxLength": MAX_NAME_CHARS, "description": "Name of a character; empty for none"}
_MANNER = {**_VOICE_NAMES, **build_delivery_schemas()}
PROJECT_TOOLS: tuple[Schema, ...] = (
    describe_tool(
        "open_project",
        "Open project",
        "Opens a project in the agent's folder, whose lines and characters the other tools then edit; without `file` it begins a new one.",
        {"file": _PROJECT_NAME, "title": {"type": "string", "maxLength": MAX_NAME_CHARS}, "discard_changes": _DISCARD},
        reads=False,
    ),
    describe_tool(
        "save_project",
        "Save project",
        "Saves the open project in its file, or with `file` as a new one. Another file is never overwritten.",
        {"file": _PROJECT_NAME},
        reads=False,
    ),
    describe_tool(
        "list_lines",
        "List lines",
        "Lists lines of the open project: number, text, who speaks it, and how.",
        {"first": _LINE_NUMBER, "count": build_index_schema(MAX_READ_LINES, f"{MAX_READ_LINES} at most", 1)},
        reads=True,
    ),
    describe_tool(
        "add_lines",
        "Add lines",
        "Adds lines to the open project, at its end or before another line.",
        {
            "lines": build_array_schema(
                MAX_EXPORTED_LINES,
                build_object_schema(
                    {"text": _LINE_TEXT, "character": _CHARACTER_NAME, **VOICE_ARGUMENTS, "pause_after_s": _LINE_PAUSE}, "text"
                ),
            ),
            "before": _LINE_NUMBER,
        },
        "lines",
        reads=False,
    ),
    describe_tool(
        "remove_lines",
        "Remove lines",
        "Removes lines from the open project; those behind them then have lower numbers.",
        {"lines": build_array_schema(MAX_EXPORTED_LINES, _LINE_NUMBER)},
        "lines",
        reads=False,
    ),
    describe_tool(
        "read_line",
        "Read line",
        "Returns how a line is read: words, accent phrases, morae, pauses and the melody that was drawn.",
        {"line": _LINE_NUMBER},
        "line",
        reads=True,
    ),
    describe_tool("speak_line", "Speak line", "Plays a line of the open project as it is.", {"line": _LINE_NUMBER}, "line", reads=False),
    describe_tool(
        "edit_line",
        "Edit line",
        "Changes a line: text, character, voice, manner, the pause behind it, readings of words, accents, pauses, melody. All of it or, if something is wrong, nothing.",
        {"line": _LINE_NUMBER, "text": _LINE_TEXT, "character": _CHARACTER_NAME, "pause_after_s": _LINE_PAUSE, **_MANNER, **LINE_EDITS},
        "line",
        reads=False,
    ),
    describe_tool("list_characters", "List characters", "Lists the characters of the open project.", {}, reads=True),
    describe_tool(
        "set_character",
        "Set character",
        "Gives a character a voice, a manner or another name; the lines follow. A character of a name that is not there is added.",
        {"name": build_text_schema(MAX_NAME_CHARS), "new_name": build_text_schema(MAX_NAME_CHARS), **_MANNER},
        "name",
        reads=False,
    ),
    describe_tool(
        "export_changed",
        "Export what changed",
        "Writes the sound files of new and changed lines of the saved project into a folder of its name; files of other lines stay.",
        {"format": FORMAT_ARGUMENT},
        reads=False,
    ),
)


class ProjectTools:
    """The open project, if any, and a handler a tool; belongs to the engine's thread."""

    def __init__(self, *, voices: OfferedVoices, folder: AgentFolder, find_conditions: FindConditions) -> None:
        self._voices, self._folder, self._find_conditions = voices, folder, find_conditions
        self._project: Project | None = None
        self._saved_project: Project | None = None  # as its file holds it
        self._file: Path | None = None
        self._digest = ""  # of the file as it was read or written
        self.is_cancelled: Callable[[], bool] = ignore_cancellation  # looked at between two files
        self.handlers: dict[str, ToolHandler] = {
            "open_project": lambda values, _agent, turn: self._open_project(values, turn),
            "save_project": lambda values, _agent, _turn: self._save_project(values),
            "list_lines": lambda values, _agent, _turn: self._list_lines(values),
            "add_lines": lambda values, _agent, _turn: self._add_lines(values),
            "remove_lines": lambda values, _agent, _turn: self._remove_lines(values),
            "read_line": lambda values, _agent, turn: self._describe_reading(self._find_line(values["line"]), turn),
            "edit_line": lambda values, _agent, turn: self._edit_line(values, turn),
            "list_characters": lambda _values, _agent, _turn: {"characters": self._describe_characters(self._script.cast)},
            "set_character": lambda values, _agent, _turn: self._set_character(values),
            "export_changed": lambda values, _agent, turn: self._export_changed(values, turn),
        }

    @property
    def _script(self) -> Script:
        return self._require_project().script

    def _require_project(self) -> Project:
        if self._project is None:
            raise InputError(
                localize("プロジェクトを開いていません。", "No project is open."),
                localize("open_project で開いてください。", "Open one with `open_project`."),
            )
        return self._project

    def _open_project(self, values: dict[str, Any], turn: JobTurn) -> dict[str, Any]:
        if self._project is not self._saved_project and not values.get("discard_changes", False):
            raise InputError(
                localize("開いているプロジェクトに、保存していない変更があります。", "The open project has changes that are not saved."),
                localize(
                    "save_project で保存するか、discard_changes を true にしてください。",
                    "Save them with `save_project`, or set `discard_changes` to true.",
                ),
            )
        losses: tuple[str, ...] = ()
        if "file" in values:
            path = self._folder.find_file(values["file"], PROJECT_SUFFIX)
            opened = open_project(path)
            project, losses, self._file, self._digest = opened.project, opened.losses, path, opened.digest
        else:
            project, self._file, self._digest = Project(Script(title=sanitise_short_text(values.get("title", "")))), None, ""
        self._project = self._saved_project = project
        if PROJECT_WORDS.entries != project.dictionary:
            PROJECT_WORDS.entries = project.dictionary
            forget_readings(turn.voices.caches)
        characters = [character.name for character in project.script.cast]
        described = {"title": project.script.title, "lines": len(project.script.lines), "characters": characters}
        return described | ({"not_read": list(losses)} if losses else {})

    def _save_project(self, values: dict[str, Any]) -> dict[str, Any]:
        project = self._require_project()
        settings = (*(line.settings for line in project.script.lines), *(character.settings for character in project.script.cast))
        names = dict.fromkeys(item.voice for item in settings)
        known = {reference.id for reference in project.voices}
        named = self._voices.names
        references = tuple(VoiceReference(voice, named[voice]) for voice in names if voice in named and voice not in known)
        project = replace(project, voices=(*project.voices, *references))
        path = self._choose_file(values.get("file"))
        with lock_user_file(path):
            present_digest = compute_file_digest(path)
            if os.path.lexists(path) and (path.is_symlink() or path != self._file or present_digest != self._digest):
                raise InputError(
                    localize(f"「{path.name}」は、ほかのプログラムが書いたファイルです。", f"“{path.name}” is a file of another program."),
                    localize("別の名前で保存してください。", "Save under another name."),
                )
            self._digest = write_project(path, project)
        self._file, self._project, self._saved_project = path, project, project
        return {"file": path.name, "lines": len(project.script.lines)}

    def _choose_file(self, name: str | None) -> Path:
        if name is None and self._file is not None:
            return self._file
        if name is None:
            raise InputError(
                localize("プロジェクトにまだ名前がありません。", "The project has no name yet."),
                localize("file を指定してください。", "Give one with `file`."),
            )
        return self._folder.name_file(name, PROJECT_SUFFIX)

    def _change_script(self, script: Script) -> None:
        if len(script.lines) > MAX_SCRIPT_LINES:
            english = f"A script has {MAX_SCRIPT_LINES:,} lines at most."
            raise InputError(localize(f"1 つの台本は {MAX_SCRIPT_LINES:,} 行までです。", english))
        project = self._require_project()
        self._project = project if script == project.script else replace(project, script=script)

    def _find_line(self, number: int) -> Line:
        count = len(self._script.lines)
        if number > count:
            raise InputError(
                localize(f"{number} 行目はありません（全 {count} 行）。", f"There is no line {number}; the project has {count}.")
            )
        return self._script.lines[number - 1]

    def _list_lines(self, values: dict[str, Any]) -> dict[str, Any]:
        first, lines = values.get("first", 1), self._script.lines
        shown, room = list[dict[str, Any]](), MAX_CALL_CHARS
        for number, line in enumerate(lines[first - 1 : first - 1 + values.get("count", MAX_READ_LINES)], first):
            if shown and len(line.text) > room:
                break
            room -= len(line.text)
            shown.append(self._describe_line(number, line))
        return {"lines": shown, "total": len(lines)}

    def _describe_line(self, number: int, line: Line) -> dict[str, Any]:
        character = self._script.find_character(line.character)
        named = {"character": character.name} if character is not None else {}
        is_edited = {"is_edited": True} if line.overrides != Overrides() else {}
        pause = {} if line.pause_after_s is None else {"pause_after_s": line.pause_after_s}
        return {"line": number, "text": line.text} | named | self._voices.describe_settings(line.settings) | pause | is_edited

    def _create_line(self, values: dict[str, Any]) -> Line:
        """Return a new line, in the voice that is named, else that of its character, else the first that is offered."""
        character = self._require_character(values["character"]) if values.get("character") else None
        settings = self._voices.create_settings() if character is None else character.settings
        settings = replace(settings, **self._voices.convert_settings(values, settings))
        name = "" if character is None else character.id
        return Line(sanitise_text(values["text"]), settings, character=name, pause_after_s=_read_pause(values))

    def _add_lines(self, values: dict[str, Any]) -> dict[str, Any]:
        total = len(self._script.lines)
        first = min(values.get("before", total + 1), total + 1)
        self._change_script(insert_lines(self._script, first - 1, [self._create_line(item) for item in values["lines"]]))
        return {"first": first, "count": len(values["lines"]), "total": len(self._script.lines)}

    def _remove_lines(self, values: dict[str, Any]) -> dict[str, Any]:
        self._change_script(remove_lines(self._script, {self._find_line(number).id for number in values["lines"]}))
        return {"total": len(self._script.lines)}

    def _edit_line(self, values: dict[str, Any], turn: JobTurn) -> dict[str, Any]:
        line = self._find_line(values["line"])
        script = self._script
        if "text" in values:
            script = replace_text(script, line.id, sanitise_text(values["text"]))
        if "character" in values:
            character = self._require_character(values["character"]).id if values["character"] else ""
            script = assign_character(script, (line.id,), character)
        if "pause_after_s" in values:
            script = change_pauses(script, (line.id,), _read_pause(values))
        changes = self._voices.convert_settings(values, script.lines[values["line"] - 1].settings)
        script = change_settings(script, (line.id,), **changes) if changes else script
        if LINE_EDITS.keys() & values.keys():
            edited = script.lines[values["line"] - 1]
            shaped = apply_line_edits(
                edited, values, lambda readings, overrides: self._read(replace(edited, overrides=overrides), turn, readings)
            )
            script = edit_lines(script, (line.id,), lambda _line: shaped)
        self._change_script(script)
        line = self._find_line(values["line"])
        described = self._describe_line(values["line"], line)
        return described if self._voices.find_speaker(line.settings) is None else described | self._describe_reading(line, turn)

    def _read(self, line: Line, turn: JobTurn, readings: tuple[ReadingOverride, ...] | None = None) -> tuple[LineReading, Overrides]:
        """Return the reading of a line, by the front end of its voice, and its edits counted over it; raise AppError."""
        pipeline = turn.open_speaker(self._voices.require_voice(line.settings)).pipeline
        reader = LineReader(turn.voices)
        english = pipeline.voice.architecture.should_read_english(line.settings)
        reader.enqueue_job(ReadLineJob(line.id, line.text, line.overrides, readings, pipeline.voice.emoji, line.settings.memos, english))
        result = reader.read_next_line()
        if result.error is not None or result.reading is None:
            raise result.error or RequestStopped
        return result.reading, result.overrides

    def build_request(self, values: dict[str, Any], turn: JobTurn) -> tuple[str, SynthesisRequest]:
        """Return the voice by its id, and what it is to speak, of a line of the open project; raise AppError."""
        line = self._find_line(values["line"])
        voice = self._voices.require_voice(line.settings)
        return voice, apply_cast(build_request(line), find_cast(line), turn.open_speaker(voice).pipeline.voice)

    def _describe_reading(self, line: Line, turn: JobTurn) -> dict[str, Any]:
        return {"text": line.text} | describe_reading(*self._read(line, turn))

    def _export_changed(self, values: dict[str, Any], turn: JobTurn) -> dict[str, Any]:
        project = self._require_project()
        if self._file is None or project is not self._saved_project:
            raise InputError(
                localize("書き出す前にプロジェクトを保存してください。", "Save the project before it is exported."),
                localize("save_project で保存できます。", "Use `save_project`."),
            )
        export = ProjectExport(
            project=project,
            file=self._file,
            folder=self._folder.choose_subfolder(self._file.stem),
            form=values.get("format", "wav"),
            voices=self._voices,
            find_conditions=self._find_conditions,
            turn=turn,
        )
        return export.write_changes(self.is_cancelled)

    def _require_character(self, name: str) -> Character:
        character = CastBuilder(self._script.cast).find_character(name)
        if character is None:
            raise InputError(
                localize(f"登場人物「{name}」はいません。", f"There is no character “{name}”."),
                localize("set_character で追加できます。", "Add one with `set_character`."),
            )
        return character

    def _describe_characters(self, characters: Sequence[Character]) -> list[dict[str, Any]]:
        counted = Counter(line.character for line in self._script.lines)
        return [{"name": one.name, **self._voices.describe_settings(one.settings), "lines": counted[one.id]} for one in characters]

    def _set_character(self, values: dict[str, Any]) -> dict[str, Any]:
        builder, name = CastBuilder(self._script.cast), sanitise_short_text(values["name"]).strip()
        new_name = sanitise_short_text(values.get("new_name", "")).strip()
        character = builder.find_character(name)
        namesake = builder.find_character(new_name) if new_name else None
        if not name or (namesake is not None and namesake is not character) or (character is None and builder.is_full):
            raise InputError(
                localize("この名前は使えません。", "This name cannot be used."), localize("別の名前にしてください。", "Choose another one.")
            )
        script = self._script
        if character is None:
            character = builder.add_character(new_name or name, self._voices.create_settings())
            script = replace(script, cast=builder.cast)
        elif new_name:
            script = change_character(script, character.id, name=new_name)
        script = recast_character(script, character.id, self._voices.convert_settings(values, character.settings))
        self._change_script(script)
        changed = script.find_character(character.id)
        return self._describe_characters((changed or character,))[0]


def _read_pause(values: dict[str, Any]) -> float | None:
    """Return the pause behind a line that an agent asks for; None for the silences around lines."""
    pause_s = values.get("pause_after_s", -1.0)
    return None if pause_s < 0 else float(pause_s)
