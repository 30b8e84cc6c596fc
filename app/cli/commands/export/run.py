"""`koebako export`: a script in, a folder of sound files out."""

from __future__ import annotations

import argparse
import copy
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, cast

from app.adapters.sound.sound_formats import choose_encoding
from app.cli.chosen_voice import create_bert_finder, prepare_chosen_voice
from app.cli.commands.project.convert_options import parse_columns
from app.cli.commands.project.convert_script import apply_readings
from app.cli.console_output import ask_question, print_error, print_json, print_note, print_result
from app.cli.interrupts import interrupt_handler
from app.cli.project_voices import match_local_voices
from app.cli.slow_notices import show_slow_notice
from app.common.errors import AppError, InputError
from app.common.files import paths
from app.common.language import localize
from app.core.project import Project
from app.core.script import Line, LineSettings
from app.export.export_batch import ExportBatch
from app.export.export_plan import PlanContext, PlannedFile, build_numbered_lines, filter_existing, filter_writable, plan_files
from app.export.export_settings import (
    SIDECAR_KINDS,
    ExistingFilePolicy,
    ExportSettings,
    FileGrouping,
    GameEngine,
    SidecarKind,
    convert_settings_to_data,
    parse_settings_data,
)
from app.export.export_tasks import BatchSettings, ExportWorker
from app.export.game_lists import write_game_list
from app.export.local_worker import LocalWorker
from app.export.name_pattern import SpeakerNames, describe_pattern_problem
from app.export.process_worker import ProcessWorker
from app.install.resolve_voice import find_unprepared_voice
from app.interchange.koebako_files import PROJECT_FILE_SUFFIX
from app.interchange.script_import import read_script_file
from app.voices.installed_voices import find_shipped_voice_id, find_voice
from app.voices.voice_manifest import VoiceManifest


@dataclass(frozen=True, slots=True)
class ExportVoices:
    """The voices that speak in an export.

    Attributes:
        voice_names: what `open_speaker` takes, by the id that lines have.
        manifests: of the same voices.
        errors: why a voice cannot speak, by its id.
    """

    voice_names: dict[str, str | None]
    manifests: dict[str, VoiceManifest]
    errors: dict[str, AppError]

    def find_names(self, settings: LineSettings) -> SpeakerNames:
        """Return the names that people know; for a missing voice the name that the line has."""
        info = self.manifests.get(settings.voice)
        if info is None:
            return SpeakerNames(settings.voice, settings.speaker, settings.style)
        return SpeakerNames(info.name, settings.speaker or info.speakers[0].name, settings.style or info.styles[0].name)


def match_export_voices(project: Project, source: Path, voice: str | None) -> Project:
    """Return the project with the voices of this machine. Lines without one speak with `voice`; in our own projects they mean the voice that ships."""
    project = match_local_voices(project, source, voice or "")
    shipped = find_shipped_voice_id() if not voice and source.suffix.lower() == PROJECT_FILE_SUFFIX else None
    lines = tuple(_set_default_voice(line, shipped or "") for line in project.script.lines)
    return replace(project, script=replace(project.script, lines=lines))


def prepare_export_voices(lines: Iterable[Line], options: argparse.Namespace) -> ExportVoices:
    """Prepare every voice of the lines; one that cannot be prepared is recorded, as only its lines fail. Ask for licences."""
    cast = ExportVoices({}, {}, {})
    for voice in dict.fromkeys(line.settings.voice for line in lines):
        own = copy.copy(options)
        own.voice = voice or None
        try:
            # A script may be a stranger's, so only the user's own option may name a path.
            by_path = voice == options.voice
            cast.voice_names[voice] = prepare_chosen_voice(own, by_path=by_path)
            found = (
                find_unprepared_voice(voice, may_be_path=by_path)
                if voice
                else find_voice(None, paths.list_voice_dirs(), create_bert_finder(own))
            )
            cast.manifests[voice] = found.manifest
        except AppError as error:
            cast.errors[voice] = error
    return cast


def _set_default_voice(line: Line, voice: str) -> Line:
    return line if line.settings.voice or not voice else replace(line, settings=replace(line.settings, voice=voice))


# Hz, for what can be checked before a voice is known.
ASSUMED_RATE_HZ = 44_100
_POLICY_BY_ANSWER: dict[str, ExistingFilePolicy] = {"s": "skip", "n": "number", "r": "replace"}


def run(options: argparse.Namespace) -> int:
    """Write the files; all possible checks come before a voice speaks."""
    began = time.monotonic()
    settings = parse_export_settings(options)
    source = Path(options.source)
    imported = apply_readings(read_script_file(source, parse_columns(options.columns)))
    for sentence in imported.losses:
        print_note(sentence)
    project = match_export_voices(imported.project, source, options.voice)
    cast_ = prepare_export_voices([item.line for item in build_numbered_lines(project.script.lines)], options)
    files, settings = _plan_files(project, source, settings, cast_)
    todo = filter_writable(files, settings)
    with_voice = [item for item in files if not _list_voice_errors(item, cast_)]
    batch = ExportBatch(_create_worker_factory(settings, cast_, project, options), min(options.jobs, max(1, len(todo))))
    batch.failed += [(item, _list_voice_errors(item, cast_)[0]) for item in todo if _list_voice_errors(item, cast_)]
    done = _write_files(batch, [item for item in todo if item in with_voice], with_voice, settings, options)
    if batch.stopped.is_set():
        raise KeyboardInterrupt
    write_game_list([item for item in files if item.already_exists or item.file in done], settings)
    return _report_totals(batch, len(done), len(files) - len(todo), time.monotonic() - began, options)


def parse_export_settings(options: argparse.Namespace) -> ExportSettings:
    """Parse the typed settings. Raises InputError for settings that exclude each other."""
    problem = describe_pattern_problem(options.pattern) if options.pattern else ""
    sidecars = [item for item in options.sidecars.split(",") if item]
    unknown = [item for item in sidecars if item not in SIDECAR_KINDS]
    if problem or unknown:
        raise InputError(
            problem or localize(f"--sidecars {unknown[0]} は使えません。", f"--sidecars {unknown[0]} is not available."),
            "" if problem else localize("使用できるもの: ", "Available: ") + ",".join(SIDECAR_KINDS),
        )
    files: FileGrouping = (
        "speakers" if options.joined and options.by else "joined" if options.joined else "speaker_folders" if options.by else "lines"
    )
    settings = ExportSettings(
        files=files,
        folder=os.path.abspath(options.output),  # noqa: PTH100 — Path.resolve follows links
        pattern=options.pattern,
        sound=options.sound or ("ogg" if options.game == "renpy" else "wav"),
        subtype=options.subtype or "",
        quality=options.quality,
        rate=options.rate,
        stereo=options.stereo,
        sidecars=cast(tuple[SidecarKind, ...], tuple(sidecars)),
        unit=options.unit,
        existing="skip" if options.only else options.existing,
        loudness=options.loudness,
        loudness_each=options.loudness_each,
        game=cast(GameEngine, options.game or ""),
    )
    choose_encoding(f"a{settings.suffix}", ASSUMED_RATE_HZ, options.subtype, settings.channels, options.rate or None)
    try:
        return parse_settings_data(convert_settings_to_data(settings))
    except ValueError as exc:
        raise InputError(
            localize(f"--{exc} の値は範囲外です。", f"The value for --{exc} is out of range."),
            localize("koebako export --help で確認できます。", "See koebako export --help."),
        ) from exc


def _plan_files(project: Project, source: Path, settings: ExportSettings, voices: ExportVoices) -> tuple[list[PlannedFile], ExportSettings]:
    """Return the planned files, and the settings with the decision about existing files."""
    context = PlanContext(project.script.title or source.stem, voices.find_names, date.today())
    lines = build_numbered_lines(project.script.lines)
    files = plan_files(lines, settings, context)
    there = filter_existing(files)
    if settings.existing != "ask" or not there:
        return files, settings
    settings = replace(settings, existing=_ask_existing_policy(there))
    return plan_files(lines, settings, context), settings


def _ask_existing_policy(existing_files: Sequence[PlannedFile]) -> ExistingFilePolicy:
    count = localize(f"{len(existing_files)} 個のファイルがすでにあります。", f"{len(existing_files)} of the files already exist.")
    if sys.stdin is None or not sys.stdin.isatty():
        print_note(f"{count}{localize('上書きせず、残りを書き出します。', ' They are skipped.')}")
        return "skip"
    question = localize("[s] 書き出さない [n] 番号を付ける [r] 上書きする:", "[s] skip [n] number [r] replace:")
    answer = ask_question(f"{count} {question}")
    if answer[:1].casefold() not in _POLICY_BY_ANSWER:
        raise KeyboardInterrupt
    return _POLICY_BY_ANSWER[answer[:1].casefold()]


def _create_worker_factory(
    settings: ExportSettings, voices: ExportVoices, project: Project, options: argparse.Namespace
) -> Callable[[], ExportWorker]:
    batch = BatchSettings(settings, voices.voice_names, project.dictionary, options.backend, options.precision, options.force_bert)
    return (lambda: LocalWorker(batch)) if options.jobs == 1 else (lambda: ProcessWorker(batch))


def _list_voice_errors(item: PlannedFile, voices: ExportVoices) -> list[AppError]:
    return [voices.errors[line.settings.voice] for line in item.lines if line.settings.voice in voices.errors]


def _write_files(
    batch: ExportBatch, todo: Sequence[PlannedFile], all_files: Sequence[PlannedFile], settings: ExportSettings, options: argparse.Namespace
) -> set[Path]:
    done: set[Path] = set()
    words = localize("書き出しています", "Exporting")
    quiet = nullcontext() if options.json else show_slow_notice(words, lambda: f"{len(done)} / {len(todo)}")
    with interrupt_handler.call_on_interrupt(batch.stop_batch), quiet:
        try:
            for outcome in batch.write_files(todo, settings, all_files):
                done.add(outcome.task.item.file)
                _print_row(outcome.answer, as_json=options.json)
        finally:
            batch.close()
    return done


def _print_row(row: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(row)
    else:
        print_result(str(row["file"]))


def _report_totals(batch: ExportBatch, done: int, skipped: int, seconds: float, options: argparse.Namespace) -> int:
    """Report the totals and return the exit code of the first file that failed, with errors of voices before those of texts."""
    for item, error in batch.failed:
        print_error(error, as_json=options.json, source=item.file.name)
    if options.json:
        print_json({"type": "summary", "files": done, "skipped": skipped, "failed": len(batch.failed), "seconds": seconds})
    else:
        failed = localize(f"、失敗 {len(batch.failed)}", f", {len(batch.failed)} failed") if batch.failed else ""
        left = localize(f"、スキップ {skipped}", f", {skipped} skipped") if skipped else ""
        files = "file" if done == 1 else "files"
        print_note(localize(f"{done} 個のファイルを書き出しました{left}{failed}。", f"Exported {done} {files}{left}{failed}."))
    return max((error.exit_code for _, error in batch.failed), default=0)
