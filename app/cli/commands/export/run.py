"""`koebako export`: a script in, a folder of sound files out."""

from __future__ import annotations

import argparse
import copy
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, cast

from app.adapters.sound.sound_formats import choose_encoding
from app.cli.commands.export.export_output import ExportOutput
from app.cli.commands.project.options import parse_columns
from app.cli.commands.project.run import apply_readings
from app.cli.console_output import ask_question, print_note
from app.cli.interrupts import interrupt_handler
from app.cli.progress_display import show_slow_notice
from app.cli.project_voices import cast_default_voice, cast_unknown_speakers, match_local_voices, match_speaker_names
from app.cli.served_voices import create_bert_finder, prepare_chosen_voice
from app.common.errors import AppError, InputError, VoiceError
from app.common.files import paths
from app.common.language import localize
from app.core.script.characters import CastBuilder, apply_cast, replace_voices
from app.core.script.project import PROJECT_SUFFIX, Project
from app.core.script.script import Line, LineSettings
from app.export.cluster_client import ClusterAddress, ClusterClient, parse_cluster_address
from app.export.export_batch import ExportBatch, LocalWorker
from app.export.export_ledger import ExportLedger, LedgerScript
from app.export.export_plan import PlanContext, PlannedFile, PlannedList, build_numbered_lines, list_character_names, list_existing_names
from app.export.export_renderer import find_manifest_ids
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
from app.export.process_worker import ProcessWorker
from app.export.render_keys import collect_sound_conditions
from app.export.safe_file_names import SpeakerNames, describe_pattern_problem, name_line_speaker
from app.install.resolve_voice import find_unprepared_voice
from app.interchange.script_import import read_cast_file, read_script_file
from app.settings.user_settings import PrecisionPreference, Settings, load_usable_settings
from app.voices.installed_voices import find_shipped_voice_id, find_voice
from app.voices.prepared_voice import VoiceManifest

if TYPE_CHECKING:
    from app.export.cluster_task import WantedVoice
    from app.export.cluster_worker import ClusterBatch


@dataclass(frozen=True, slots=True)
class ExportVoices:
    """The voices of an export by the id that lines have: what `open_speaker` takes, their manifests, and why one cannot speak."""

    voice_names: dict[str, str | None]
    manifests: dict[str, VoiceManifest]
    errors: dict[str, AppError]

    def find_names(self, settings: LineSettings) -> SpeakerNames:
        """Return the names that people know; for a missing voice the name that the line has."""
        return name_line_speaker(settings, self.manifests.get(settings.voice))

    def find_error(self, settings: LineSettings) -> AppError | None:
        """Return why nobody speaks a line: its voice cannot, or lacks its speaker or style; None if somebody does."""
        manifest = self.manifests.get(settings.voice)
        if settings.voice in self.errors or manifest is None:
            return self.errors.get(settings.voice)
        try:
            find_manifest_ids(settings, manifest)
        except VoiceError as error:
            return error
        return None


def cast_characters(project: Project, cast_file: str, voice: str | None) -> Project:
    """Return the project with the cast of another file; characters without a voice have `voice`. Raise InputError if it has no cast; announce whom it lacks."""
    if not cast_file:
        return project
    cast_project = read_cast_file(Path(cast_file))
    shipped = _find_meant_voice(Path(cast_file), voice)
    cast_project = replace(cast_project, script=replace_voices(cast_project.script, {"": shipped} if shipped else {}))
    builder = CastBuilder(cast_project.script.cast)
    missing_names = [
        character.name for character in project.script.cast if not any(builder.find_character(name) for name in character.names)
    ]
    if missing_names:
        listed = ", ".join(missing_names[:MAX_LISTED_CHARACTERS]) + (", …" if len(missing_names) > MAX_LISTED_CHARACTERS else "")
        name = Path(cast_file).name
        print_note(localize(f"「{name}」にいない登場人物: {listed}", f"Not in “{name}”: {listed}"))
    waiting = {character.name: character for character in (*project.assignments, *cast_project.assignments)}
    voices = {voice.id: voice for voice in (*cast_project.voices, *project.voices)}
    script = apply_cast(project.script, cast_project.script.cast)
    return replace(project, script=script, assignments=tuple(waiting.values()), voices=tuple(voices.values()))


def match_export_voices(project: Project, source: Path, voice: str | None) -> Project:
    """Return the project with the voices of this machine. Lines without one speak with `voice`; in our own projects they mean the voice that ships."""
    project = match_local_voices(project, source, voice or "")
    shipped = _find_meant_voice(source, voice)
    project = cast_default_voice(project, voice or "")
    lines = project.script.lines
    if shipped:
        lines = tuple(line if line.settings.voice else replace(line, settings=replace(line.settings, voice=shipped)) for line in lines)
    return replace(project, script=replace(project.script, lines=lines))


def prepare_export_voices(lines: Iterable[Line], options: argparse.Namespace) -> ExportVoices:
    """Prepare every voice of the lines; one that cannot be prepared is recorded, as only its lines fail. Ask for licences."""
    cast = ExportVoices({}, {}, {})
    for voice in dict.fromkeys(line.settings.voice for line in lines):
        voice_options = copy.copy(options)
        voice_options.voice = voice or None
        try:
            # A script may be a stranger's, so only the user's own option may name a path.
            by_path = voice == options.voice
            cast.voice_names[voice] = prepare_chosen_voice(voice_options, by_path=by_path)
            prepared = (
                find_unprepared_voice(voice, may_be_path=by_path)
                if voice
                else find_voice(None, paths.list_voice_dirs(), create_bert_finder(voice_options))
            )
            cast.manifests[voice] = prepared.manifest
        except AppError as error:
            cast.errors[voice] = error
    return cast


def _find_meant_voice(file: Path, voice: str | None) -> str:
    """Return the voice that lines of a file without one mean, unless `voice` speaks them; empty where they mean none."""
    return (find_shipped_voice_id() or "") if not voice and file.suffix.lower() == PROJECT_SUFFIX else ""


MAX_LISTED_CHARACTERS = 5
_SCHEDULER_OPTIONS = ("voices_folder", "tls_ca_file", "tls_cert", "tls_key", "insecure")  # which need --scheduler
ASSUMED_RATE_HZ = 44_100  # Hz, for what can be checked before a voice is known
_POLICY_BY_ANSWER: dict[str, ExistingFilePolicy] = {"s": "skip", "n": "number", "r": "replace"}


def run(options: argparse.Namespace) -> int:
    """Write the files; all possible checks come before a voice speaks."""
    began = time.monotonic()
    settings = parse_export_settings(options)
    address = parse_scheduler(options)
    source = Path(options.source)
    imported = apply_readings(read_script_file(source, parse_columns(options.columns)))
    for sentence in imported.losses:
        print_note(sentence)
    project = cast_characters(imported.project, options.cast, options.voice)
    project = match_export_voices(project, source, options.voice)
    cast_ = prepare_export_voices([item.line for item in build_numbered_lines(project.script.lines)], options)
    project = cast_unknown_speakers(project, cast_.manifests, source)
    project = match_speaker_names(project, cast_.manifests, source, options.cast)
    with ExitStack() as closing:
        cluster = None if address is None else _open_cluster(address, cast_, options, closing)
        ledger = open_ledger(project, source, settings, cast_, options)
        files, game_list, settings = _plan_files(project, source, settings, cast_, ledger)
        jobs = options.jobs if cluster is None else cluster.count_files_at_once()
        batch = ExportBatch(_create_worker_factory(settings, cast_, project, options, cluster), min(jobs, max(1, len(files))))
        output = ExportOutput(ledger, batch, settings, is_json=options.json)
        _write_files(output, batch, ledger, files, game_list, cast_, options)
    if batch.stopped.is_set():
        raise KeyboardInterrupt
    return output.report_totals(time.monotonic() - began)


def _write_files(
    output: ExportOutput,
    batch: ExportBatch,
    ledger: ExportLedger,
    files: Sequence[PlannedFile],
    game_list: PlannedList | None,
    voices: ExportVoices,
    options: argparse.Namespace,
) -> None:
    """Write the files, until all are there or the user stops, and then their list. Raise the error that ends the batch."""
    words = localize("書き出しています", "Exporting")
    quiet = nullcontext() if options.json else show_slow_notice(words, lambda: f"{len(output.written_files)} / {output.count}")
    with interrupt_handler.call_on_interrupt(batch.stop_batch), quiet:
        try:
            errors = {item: [error for line in item.lines if (error := voices.find_error(line.settings)) is not None] for item in files}
            output.write_files(files, {item: found[0] for item, found in errors.items() if found})
            if options.remove_orphans and not batch.stopped.is_set():
                output.remove_orphans()
            if game_list is not None and not batch.stopped.is_set():
                output.write_game_list(game_list, files)
        finally:
            batch.close()
            ledger.close()


def parse_scheduler(options: argparse.Namespace) -> ClusterAddress | None:
    """Return the scheduler that was asked for, None for none. Raises InputError for options that do not fit."""
    if not options.scheduler:
        alone = next((name for name in _SCHEDULER_OPTIONS if getattr(options, name)), None)
        if alone is None:
            return None
        option = f"--{alone.replace('_', '-')}"
        raise InputError(
            localize(f"{option} は --scheduler と一緒に指定してください。", f"{option} needs --scheduler."),
            localize("koebako export --help で確認できます。", "See koebako export --help."),
        )
    if options.jobs != 1:
        raise InputError(
            localize("--jobs と --scheduler は同時に指定できません。", "--jobs and --scheduler exclude each other."),
            localize("並列の数はワーカーの数で決まります。", "The workers of the cluster decide how much runs at once."),
        )
    return parse_cluster_address(
        options.scheduler, ca_file=options.tls_ca_file, cert=options.tls_cert, key=options.tls_key, is_insecure=options.insecure
    )


def _open_cluster(address: ClusterAddress, voices: ExportVoices, options: argparse.Namespace, closing: ExitStack) -> ClusterBatch:
    """Return a cluster whose workers have been asked; voices that nobody can speak are recorded, as only their lines fail.

    Raises InputError or BackendError if the cluster is of no use.
    """
    # With asyncio, which other exports do not wait for.
    from app.export.cluster_task import describe_wanted_voice
    from app.export.cluster_worker import ClusterBatch, ClusterRoster

    settings = _load_settings(options)
    wanted_voices: dict[str, WantedVoice] = {}
    for voice, reference in voices.voice_names.items():
        try:
            wanted_voices[voice] = describe_wanted_voice(reference, settings, options.backend, force_bert=options.force_bert)
        except AppError as error:
            voices.errors[voice] = error
    client = ClusterClient(address)
    names = {voice: manifest.name for voice, manifest in voices.manifests.items()}
    roster = ClusterRoster(client, wanted_voices, names, print_note, voices_folder=options.voices_folder, force_bert=options.force_bert)
    cluster = ClusterBatch(client, roster)
    closing.callback(cluster.close)
    voices.errors.update(roster.ask_first_workers())
    return cluster


def parse_export_settings(options: argparse.Namespace) -> ExportSettings:
    """Parse the typed settings. Raises InputError for settings that exclude each other."""
    if options.remove_orphans and options.only != "changed":
        raise InputError(
            localize("--remove-orphans は --only changed と一緒に指定してください。", "--remove-orphans needs --only changed."),
            localize("koebako export --help で確認できます。", "See koebako export --help."),
        )
    problem = describe_pattern_problem(options.pattern) if options.pattern else ""
    sidecars = [item for item in options.sidecars.split(",") if item]
    unknown = [item for item in sidecars if item not in SIDECAR_KINDS]
    if problem or unknown:
        raise InputError(
            problem or localize(f"--sidecars {unknown[0]} は使えません。", f"--sidecars {unknown[0]} is not available."),
            "" if problem else localize("使用できるもの: ", "Available: ") + ",".join(SIDECAR_KINDS),
        )
    by_whom: dict[str, tuple[FileGrouping, FileGrouping]] = {
        "speaker": ("speaker_folders", "speakers"),
        "character": ("character_folders", "characters"),
    }
    files = by_whom.get(options.by or "", ("lines", "joined"))[options.joined]
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
        existing="skip" if options.only == "missing" else options.existing,
        loudness=options.loudness,
        loudness_each=options.loudness_each,
        game=cast(GameEngine, options.game or ""),
        only_changed=options.only == "changed",
    )
    choose_encoding(f"a{settings.suffix}", ASSUMED_RATE_HZ, options.subtype, settings.channels, options.rate or None)
    try:
        return parse_settings_data(convert_settings_to_data(settings))
    except ValueError as exc:
        raise InputError(
            localize(f"--{exc} の値は範囲外です。", f"The value for --{exc} is out of range."),
            localize("koebako export --help で確認できます。", "See koebako export --help."),
        ) from exc


def open_ledger(
    project: Project, source: Path, settings: ExportSettings, voices: ExportVoices, options: argparse.Namespace
) -> ExportLedger:
    conditions = collect_sound_conditions(
        voices.voice_names, project.dictionary, _load_settings(options), backend=options.backend, force_bert=options.force_bert
    )
    ids = frozenset(line.id for line in project.script.lines)
    return ExportLedger(settings, LedgerScript(source.stem, ids, source, Path(options.cast) if options.cast else None), conditions)


def _load_settings(options: argparse.Namespace) -> Settings:
    """Return the user's settings with the precision that was asked for."""
    settings = load_usable_settings()
    return settings if options.precision is None else settings.replace_precision(PrecisionPreference(options.precision))


def _plan_files(
    project: Project, source: Path, settings: ExportSettings, voices: ExportVoices, ledger: ExportLedger
) -> tuple[list[PlannedFile], PlannedList | None, ExportSettings]:
    """Return the planned files and their list, and the settings with the decision about existing files."""
    context = PlanContext(project.script.title or source.stem, voices.find_names, date.today(), list_character_names(project.script.cast))
    lines = build_numbered_lines(project.script.lines)
    files, game_list = ledger.plan_files(lines, settings, context), ledger.plan_game_list(settings)
    if settings.existing != "ask" or not (existing_names := list_existing_names(files, game_list)):
        return files, game_list, settings
    settings = replace(settings, existing=_ask_existing_policy(len(existing_names)))
    return ledger.plan_files(lines, settings, context), ledger.plan_game_list(settings), settings


def _ask_existing_policy(existing_count: int) -> ExistingFilePolicy:
    count = localize(f"{existing_count} 個のファイルがすでにあります。", f"{existing_count} of the files already exist.")
    if sys.stdin is None or not sys.stdin.isatty():
        print_note(f"{count}{localize('上書きせず、残りを書き出します。', ' They are skipped.')}")
        return "skip"
    question = localize("[s] 書き出さない [n] 番号を付ける [r] 上書きする:", "[s] skip [n] number [r] replace:")
    answer = ask_question(f"{count} {question}")
    if answer[:1].casefold() not in _POLICY_BY_ANSWER:
        raise KeyboardInterrupt
    return _POLICY_BY_ANSWER[answer[:1].casefold()]


def _create_worker_factory(
    settings: ExportSettings, voices: ExportVoices, project: Project, options: argparse.Namespace, cluster: ClusterBatch | None
) -> Callable[[], ExportWorker]:
    batch = BatchSettings(settings, voices.voice_names, project.dictionary, options.backend, options.precision, options.force_bert)
    if cluster is not None:
        from app.export.cluster_worker import ClusterWorker

        return lambda: ClusterWorker(cluster, cluster.build_portable_settings(batch))
    return (lambda: LocalWorker(batch)) if options.jobs == 1 else (lambda: ProcessWorker(batch))
