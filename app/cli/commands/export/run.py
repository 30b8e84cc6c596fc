"""`koebako export`: a script in, a folder of sound files out."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, cast

from app.adapters.sound.formats import choose_encoding
from app.cli.commands.export.cast import Cast, assigned_for_export, make_cast
from app.cli.commands.project.convert import with_readings
from app.cli.commands.project.convert_options import columns_of
from app.cli.interruption import interruption
from app.cli.output import answer_to, json_line, note, print_error, result
from app.cli.waiting import slow_notice
from app.core.project import Project
from app.errors import AppError, InputError
from app.export.batch import Batch
from app.export.child_worker import ChildWorker
from app.export.games import write_list
from app.export.own_worker import OwnWorker
from app.export.pattern import problem_of
from app.export.plan import PlanContext, PlannedFile, existing, numbered, plan, written
from app.export.settings import SIDECARS, Existing, ExportSettings, Files, Game, Sidecar, settings_from_data, settings_to_data
from app.export.tasks import BatchSettings, Worker
from app.interchange.source import read_source
from app.language import localized

USUAL_RATE = 44_100  # Hz, for what can be checked before a voice is known
_ANSWERS: dict[str, Existing] = {"s": "skip", "n": "number", "r": "replace"}


def run(options: argparse.Namespace) -> int:
    """Writes the files; all that can be checked is checked before a voice speaks."""
    began = time.monotonic()
    settings = export_settings(options)
    source = Path(options.source)
    imported = with_readings(read_source(source, columns_of(options.columns)))
    for sentence in imported.dropped:
        note(sentence)
    project = assigned_for_export(imported.project, source, options.voice)
    cast_ = make_cast([item.line for item in numbered(project.script.lines)], options)
    files, settings = _planned(project, source, settings, cast_)
    todo = written(files, settings)
    with_voice = [item for item in files if not _voiceless(item, cast_)]
    batch = Batch(_maker(settings, cast_, project, options), min(options.jobs, max(1, len(todo))))
    batch.failed += [(item, _voiceless(item, cast_)[0]) for item in todo if _voiceless(item, cast_)]
    done = _write(batch, [item for item in todo if item in with_voice], with_voice, settings, options)
    if batch.stopped.is_set():
        raise KeyboardInterrupt
    write_list([item for item in files if item.exists or item.file in done], settings)
    return _summed_up(batch, len(done), len(files) - len(todo), time.monotonic() - began, options)


def export_settings(options: argparse.Namespace) -> ExportSettings:
    """What was typed. Raises InputError for what does not go together."""
    problem = problem_of(options.pattern) if options.pattern else ""
    sidecars = [item for item in options.sidecars.split(",") if item]
    unknown = [item for item in sidecars if item not in SIDECARS]
    if problem or unknown:
        raise InputError(
            problem or localized(f"--sidecars {unknown[0]} は使えません。", f"--sidecars {unknown[0]} is not available."),
            "" if problem else localized("使用できるもの: ", "Available: ") + ",".join(SIDECARS),
        )
    files: Files = (
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
        sidecars=cast(tuple[Sidecar, ...], tuple(sidecars)),
        unit=options.unit,
        existing="skip" if options.only else options.existing,
        loudness=options.loudness,
        loudness_each=options.loudness_each,
        game=cast(Game, options.game or ""),
    )
    choose_encoding(f"a{settings.suffix}", USUAL_RATE, options.subtype, settings.channels, options.rate or None)
    try:
        return settings_from_data(settings_to_data(settings))
    except ValueError as exc:
        raise InputError(
            localized(f"--{exc} の値は範囲外です。", f"The value for --{exc} is out of range."),
            localized("koebako export --help で確認できます。", "See koebako export --help."),
        ) from exc


def _planned(project: Project, source: Path, settings: ExportSettings, cast_: Cast) -> tuple[list[PlannedFile], ExportSettings]:
    """The files, and the settings once it is decided what happens to those that exist."""
    context = PlanContext(project.script.title or source.stem, cast_.names_of, date.today())
    lines = numbered(project.script.lines)
    files = plan(lines, settings, context)
    there = existing(files)
    if settings.existing != "ask" or not there:
        return files, settings
    settings = replace(settings, existing=_asked(there))
    return plan(lines, settings, context), settings


def _asked(there: Sequence[PlannedFile]) -> Existing:
    count = localized(f"{len(there)} 個のファイルがすでにあります。", f"{len(there)} of the files already exist.")
    if sys.stdin is None or not sys.stdin.isatty():
        note(f"{count}{localized('上書きせず、残りを書き出します。', ' They are skipped.')}")
        return "skip"
    question = localized("[s] 書き出さない [n] 番号を付ける [r] 上書きする:", "[s] skip [n] number [r] replace:")
    answer = answer_to(f"{count} {question}")
    if answer[:1].casefold() not in _ANSWERS:
        raise KeyboardInterrupt
    return _ANSWERS[answer[:1].casefold()]


def _maker(settings: ExportSettings, cast_: Cast, project: Project, options: argparse.Namespace) -> Callable[[], Worker]:
    batch = BatchSettings(settings, cast_.wanted, project.dictionary, options.backend, options.precision, options.force_bert)
    return (lambda: OwnWorker(batch)) if options.jobs == 1 else (lambda: ChildWorker(batch))


def _voiceless(item: PlannedFile, cast_: Cast) -> list[AppError]:
    return [cast_.failed[line.settings.voice] for line in item.lines if line.settings.voice in cast_.failed]


def _write(
    batch: Batch, todo: Sequence[PlannedFile], all_files: Sequence[PlannedFile], settings: ExportSettings, options: argparse.Namespace
) -> set[Path]:
    done: set[Path] = set()
    words = localized("書き出しています", "Exporting")
    quiet = nullcontext() if options.json else slow_notice(words, lambda: f"{len(done)} / {len(todo)}")
    with interruption.instead(batch.stop), quiet:
        try:
            for outcome in batch.write(todo, settings, all_files):
                done.add(outcome.task.item.file)
                _show(outcome.answer, as_json=options.json)
        finally:
            batch.close()
    return done


def _show(row: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        json_line(row)
    else:
        result(str(row["file"]))


def _summed_up(batch: Batch, done: int, skipped: int, seconds: float, options: argparse.Namespace) -> int:
    """The exit code: of the first file that failed, the voices' before the texts'."""
    for item, error in batch.failed:
        print_error(error, as_json=options.json, source=item.file.name)
    if options.json:
        json_line({"type": "summary", "files": done, "skipped": skipped, "failed": len(batch.failed), "seconds": seconds})
    else:
        failed = localized(f"、失敗 {len(batch.failed)}", f", {len(batch.failed)} failed") if batch.failed else ""
        left = localized(f"、スキップ {skipped}", f", {skipped} skipped") if skipped else ""
        files = "file" if done == 1 else "files"
        note(localized(f"{done} 個のファイルを書き出しました{left}{failed}。", f"Exported {done} {files}{left}{failed}."))
    return max((error.exit_code for _, error in batch.failed), default=0)
