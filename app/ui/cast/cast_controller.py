"""Runs the commands of the cast's window: each edit is one step of undo, and the lines follow."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.core.script.characters import (
    CastBuilder,
    change_character,
    extract_character_settings,
    fold_character_name,
    merge_cast,
    merge_characters,
    recast_character,
    remove_characters,
)
from app.core.script.project import VoiceReference
from app.core.script.script import CAST_FIELDS, Character, Line, LineSettings, Script
from app.ui.actions.window_actions import WindowActions
from app.ui.cast.cast_commands import CastCommands, create_cast_of_voices
from app.ui.cast.cast_files import CastFiles
from app.ui.cast.cast_table import format_duration
from app.ui.cast.cast_window import CastWindow
from app.ui.cast.script_warnings import MAX_WARNINGS, ReadingChecks, ScriptWarning, list_reading_warnings, list_script_warnings
from app.ui.projects.project_document import ProjectDocument, build_voice_references
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_list import ScriptList
from app.ui.script.script_model import ScriptModel, measure_character_durations, sum_durations
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_library_actions import SpeakerBlendController
from app.ui.widgets.dialogs import ask_for_file
from app.ui.widgets.painting import read_portrait

COUNT_SETTLE_MS = 300
WINDOW_ACTIONS = ("undo", "redo")


class CastController(QObject):
    """Opens the window of the cast; it is made when the window is first opened.

    Signals:
        play_requested(list[str]): speak these lines, or stop what is spoken.
        stop_requested(): stop what is spoken; where nothing is, the window closes.
        voices_found(tuple[VoiceReference, ...]): voices that an imported cast names.

    Args:
        find_voice_name: returns the name of a voice that may not be installed.
        blends: makes voices between two speakers.
    """

    play_requested = Signal(object)
    stop_requested = Signal()
    voices_found = Signal(object)

    def __init__(
        self,
        parent: QWidget,
        *,
        document: ScriptDocument,
        model: ScriptModel,
        selection: LineSelection,
        view: ScriptList,
        project: ProjectDocument,
        catalog: VoiceCatalog,
        commands: CastCommands,
        actions: WindowActions,
        find_voice_name: Callable[[str], str],
        blends: SpeakerBlendController,
    ) -> None:
        super().__init__(parent)
        self._parent, self._document, self._model, self._selection, self._view = parent, document, model, selection, view
        self._project, self._catalog, self._commands, self._actions = project, catalog, commands, actions
        self._find_voice_name, self._blends = find_voice_name, blends
        self.window: CastWindow | None = None  # the open window, or None
        self.files = CastFiles(self)  # reads and writes casts
        self.files.read.connect(self._import_cast)
        self.files.written.connect(self._report_export)
        self.files.failed.connect(self._show_error)
        # Finds readings that are in doubt, from when the warnings are first shown until the window closes.
        self.checks = ReadingChecks(self)
        self.checks.advanced.connect(self._show_warnings)
        self._timer = QTimer(self, singleShot=True, interval=COUNT_SETTLE_MS)
        self._timer.timeout.connect(self.show_lines)
        self._commands_by_name = self._map_commands()
        document.changed.connect(self._follow_document)
        model.dataChanged.connect(self._schedule_count)
        catalog.changed.connect(self._show_voices)

    def open_window(self) -> None:
        """Show the cast, with the character of the current line selected."""
        if self.window is None:
            window = self.window = CastWindow(self._parent, self._describe_voice)
            window.command_requested.connect(self._run_command)
            window.warning_chosen.connect(self._go_to_warning)
            window.table.chosen.connect(self._show_form)
            window.table.characters.renamed.connect(self._rename_character)
            window.tabs.currentChanged.connect(self._show_warnings)
            window.table.characters.voice_dropped.connect(self._recast_by_drop)
            window.form.edited.connect(self._edit_field)
            window.form.portrait_requested.connect(self._choose_portrait)
            window.form.recast.connect(self._recast_current)
            window.form.line_settings_requested.connect(self._recast_as_line)
            window.form.blend_requested.connect(self._open_blend_of_current)
            window.form.voice.introduction_requested.connect(self._catalog.introduction_requested)
            window.form.voice.chooser.library_requested.connect(self._actions["voice_library"].trigger)
            window.finished.connect(self._forget_window)
            # Keys of the main window do not reach a window of its own.
            window.addActions([self._actions[name] for name in WINDOW_ACTIONS])
            self._show_voices()
        self._show_cast()
        if (line := self._selection.line) is not None:
            self.window.table.select_character(line.character)
        self.show_lines()
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()
        self.window.setFocus()

    def close_window(self) -> None:
        if self.window is not None:
            self.window.reject()

    def close(self) -> None:
        """Close the window, and finish what is being written."""
        self.close_window()
        self.files.close()
        self.checks.close()

    def _map_commands(self) -> dict[str, Callable[[], object]]:
        return {
            "add": self._add_character,
            "remove": self._remove_selected,
            "merge": self._merge_selected,
            "up": partial(self._move_selected, -1),
            "down": partial(self._move_selected, 1),
            "play": self._play_line,
            "stop": self.stop_requested.emit,
            "select": lambda: self._commands.select_lines_of([character.id for character in self._selected]),
            "audition": self._open_audition,
            "assign": lambda: self._commands.assign_to_selection(self._selected[0].id),
            "import": lambda: self.files.choose_import(self.window or self._parent),
            "export": self._export_cast,
            "create": self._create_from_voices,
            "script": self._actions["import"].trigger,
        }

    @property
    def _selected(self) -> list[Character]:
        return self.window.table.selected if self.window is not None else []

    @property
    def _current(self) -> Character | None:
        return self.window.table.current if self.window is not None else None

    def _describe_voice(self, character: Character) -> str:
        names, line = self._view.cards.voices, Line(settings=character.settings)
        summary = "" if names.is_missing(character.settings.voice) else names.format_summary(line)
        return localize("・", " · ").join(filter(None, (names.find_voice_name(character.settings.voice), summary)))

    @Slot(str)
    def _run_command(self, name: str) -> None:
        self._show_error_text("")
        self._commands_by_name[name]()

    def _show_error_text(self, text: str) -> None:
        if self.window is not None:
            self.window.show_error(text)

    def _select_character(self, character_id: str) -> None:
        if self.window is not None:
            self.window.table.select_character(character_id)

    def _add_character(self) -> None:
        """Add a character with the settings of the current line, and open the editor of its name."""
        script = self._document.script
        builder, number = CastBuilder(script.cast), len(script.cast) + 1
        while builder.find_character(name := localize(f"登場人物 {number}", f"Character {number}")) is not None:
            number += 1
        character = builder.add_character(name, self._selection.settings)
        self._document.apply_edit(localize("登場人物を追加", "Add character"), replace(script, cast=builder.cast))
        if self.window is not None:
            self.window.table.select_character(character.id)
            self.window.table.edit_name()

    def _remove_selected(self) -> None:
        script = remove_characters(self._document.script, {character.id for character in self._selected})
        self._document.apply_edit(localize("登場人物を削除", "Remove character"), script)

    def _merge_selected(self) -> None:
        if (current := self._current) is not None:
            script = merge_characters(self._document.script, {character.id for character in self._selected}, current.id)
            self._document.apply_edit(localize("登場人物をまとめる", "Merge characters"), script)
            self._select_character(current.id)

    def _move_selected(self, step: int) -> None:
        current, cast = self._current, list(self._document.script.cast)
        if current is not None and current in cast and 0 <= (index := cast.index(current) + step) < len(cast):
            cast.remove(current)
            cast.insert(index, current)
            self._document.apply_edit(localize("登場人物を移動", "Move character"), replace(self._document.script, cast=tuple(cast)))
            self._select_character(current.id)

    def _play_line(self) -> None:
        if (current := self._current) is None:
            return
        if (line := self._commands.find_sample_line(current)) is not None:
            self.play_requested.emit([line.id])
        else:
            self._show_silence(current)

    def _open_audition(self) -> None:
        if (current := self._current) is None:
            return
        if self._commands.select_audition(current.id):
            self._actions["audition"].trigger()
        else:
            self._show_silence(current)

    def _show_silence(self, character: Character) -> None:
        self._show_error_text(localize(f"「{character.name}」のセリフがありません。", f"“{character.name}” has no line with text."))

    def _create_from_voices(self) -> None:
        script = create_cast_of_voices(self._document.script, self._name_voice)
        self._document.apply_edit(localize("登場人物を作成", "Make characters"), script)

    def _name_voice(self, settings: LineSettings) -> str:
        names = self._view.cards.voices
        voice, speaker = names.find_voice_name(settings.voice), names.find_speaker(Line(settings=settings))
        return f"{voice} {speaker}".strip() or localize("登場人物", "Character")

    def _export_cast(self) -> None:
        if self.window is not None:
            references, cast = self._project.parts.voices, self._document.script.cast
            find_references = partial(build_voice_references, catalog=self._catalog, known_references=references)
            self.files.choose_export(self.window, cast, find_references, self._project.path)

    @Slot(object, object)
    def _import_cast(self, cast: Sequence[Character], voices: tuple[VoiceReference, ...]) -> None:
        if not cast and self.window is not None:
            self.window.show_error(localize("このプロジェクトに登場人物はいません。", "This project has no characters."))
            return
        self.voices_found.emit(voices)
        script, _ = merge_cast(self._document.script, (), cast)
        self._document.apply_edit(localize("登場人物を読み込む", "Import characters"), script)

    @Slot(object)
    def _report_export(self, path: Path) -> None:
        if self.window is not None:
            self.window.total.setText(localize(f"「{path.name}」に書き出しました。", f"Written to “{path.name}”."))

    @Slot(object)
    def _show_error(self, error: AppError) -> None:
        self._show_error_text(f"{error.message} {error.hint}".strip())

    @Slot(str, str)
    def _rename_character(self, character_id: str, name: str) -> None:
        script = self._document.script
        character, namesake = script.find_character(character_id), CastBuilder(script.cast).find_character(name)
        if character is None or not name or name == character.name:
            return
        if namesake is not None and namesake.id != character_id:
            text = localize(
                f"「{name}」は「{namesake.name}」の名前です。2 人を選んで「1 人にまとめる」を押すと、1 人になります。",
                f"“{name}” is a name of “{namesake.name}”. Select both and press “Merge” to make them one.",
            )
            self._show_error_text(text)
            return
        self._show_error_text("")
        aliases = tuple(alias for alias in character.aliases if fold_character_name(alias) != fold_character_name(name))
        script = change_character(script, character_id, name=name, aliases=aliases)
        self._document.apply_edit(localize("登場人物の名前を変更", "Rename character"), script)

    @Slot(str, object)
    def _edit_field(self, name: str, value: Any) -> None:
        if (current := self._current) is not None:
            script = change_character(self._document.script, current.id, **{name: value})
            self._document.apply_edit(localize("登場人物を編集", "Edit character"), script)

    @Slot()
    def _choose_portrait(self) -> None:
        filter_text = f"{localize('画像', 'Pictures')} (*.png *.jpg *.jpeg *.webp *.bmp)"
        path = ask_for_file(self.window, localize("登場人物の画像", "Picture of the character"), filter_text)
        if path is None:
            return
        if portrait := read_portrait(path):
            self._show_error_text("")
            self._edit_field("portrait", portrait)
        else:
            self._show_error_text(
                localize(
                    f"「{path.name}」は画像として読み込めません。", f"“{path.name}” is no picture that can be read, or it is too large."
                )
            )

    @Slot(str, object)
    def _recast_current(self, name: str, value: Any) -> None:
        if (current := self._current) is not None:
            self._recast_character(current.id, {name: value})

    @Slot()
    def _open_blend_of_current(self) -> None:
        """Make a voice between two speakers for the current character, who gets it once it is saved."""
        character = self._current
        voice = self._catalog.find_voice(character.settings.voice) if character is not None else None
        if character is not None and voice is not None and voice.can_blend and self.window is not None:
            recast = partial(self._recast_character, character.id)
            self._blends.open_dialog(voice, self.window, first=character.settings.speaker, use_style=lambda style: recast({"style": style}))

    def _recast_character(self, character_id: str, settings: dict[str, Any]) -> None:
        script = recast_character(self._document.script, character_id, settings)
        self._document.apply_edit(localize("配役を変更", "Recast"), script)

    @Slot(str, str)
    def _recast_by_drop(self, character_id: str, voice: str) -> None:
        """Give a character the voice that was dropped on it, if it can speak here: anybody may drop anything."""
        dropped = self._catalog.find_voice(voice)
        if dropped is not None and dropped.origin != "aivisspeech":
            self._recast_character(character_id, {"voice": dropped.id})

    @Slot()
    def _recast_as_line(self) -> None:
        settings, current = self._selection.settings, self._current
        if current is not None:
            script = change_character(self._document.script, current.id, settings=extract_character_settings(settings))
            is_recast = any(getattr(settings, name) != getattr(current.settings, name) for name in CAST_FIELDS)
            label = localize("配役を変更", "Recast") if is_recast else localize("登場人物の設定を変更", "Change character")
            self._document.apply_edit(label, script)

    @Slot(object)
    def _go_to_warning(self, warning: ScriptWarning) -> None:
        if warning.line_id and self._document.script.find_line(warning.line_id) is not None:
            self._view.end_editing()
            self._view.select_lines([warning.line_id])
        if warning.character_id and not warning.line_id and self.window is not None:
            self.window.tabs.setCurrentIndex(0)
            self.window.table.select_character(warning.character_id)

    @Slot(object, object)
    def _follow_document(self, former: Script, script: Script) -> None:
        if former.cast is not script.cast:
            self._show_cast()
        self._schedule_count()

    def _show_cast(self) -> None:
        if self.window is not None:
            self.window.show_cast(self._document.script.cast)
            self._show_form()

    @Slot()
    def _show_form(self) -> None:
        if self.window is None:
            return
        current = self._current
        voice = current.settings.voice if current is not None else ""
        self.window.form.voice.chooser.show_current_voice(voice, self._find_voice_name(voice))
        self.window.form.show_character(current, self._catalog.find_voice(voice))

    @Slot()
    def _show_voices(self) -> None:
        if self.window is not None:
            self.window.form.show_voices([voice for voice in self._catalog.voices if voice.origin != "aivisspeech"])
            self.window.table.characters.update_cells()
            self._show_form()
            self._schedule_count()

    @Slot()
    def _schedule_count(self, *_changed: object) -> None:
        if self.window is not None and not self._timer.isActive():
            self._timer.start()

    @Slot()
    def show_lines(self) -> None:
        """Count the lines of each character, measure how long they take, and list the warnings."""
        window, script = self.window, self._document.script
        if window is None:
            return
        lengths = measure_character_durations(script.lines, self._model.find_state)
        window.table.characters.show_lines(Counter(line.character for line in script.lines), lengths)
        people, lines, length = f"{len(script.cast):,}", f"{len(script.lines):,}", format_duration(sum_durations(lengths.values()))
        window.total.setText(localize(f"{people} 人・{lines} 行・{length}", f"Characters: {people} · lines: {lines} · {length}"))
        self._show_warnings()

    @Slot()
    def _show_warnings(self) -> None:
        window, script = self.window, self._document.script
        if window is None:
            return
        if window.shows_checks:
            self.checks.check_lines(script.lines)
        warnings = list_script_warnings(script, self._view.cards.voices.is_missing, self._find_voice_name)
        warnings += list_reading_warnings(script, self.checks.find_doubts)
        window.show_warnings(warnings[:MAX_WARNINGS], self.checks.checked_count, self.checks.total)

    @Slot()
    def _forget_window(self) -> None:
        self.window = None
        self.checks.stop_checking()
        self._timer.stop()
