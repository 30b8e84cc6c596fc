"""`koebako voices`: which voices there are and what a voice is; the other actions have files of their own."""

import argparse
import math
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from app.adapters.shared_settings import change_settings
from app.cli.commands.voices.add_voices_command import finish_voices, run_add
from app.cli.commands.voices.voice_records import (
    build_fast_record,
    build_info_record,
    build_list_record,
    format_fast_lines,
    format_info_lines,
    format_values,
)
from app.cli.console_output import print_done, print_error, print_json, print_note, print_record, print_result, print_result_lines
from app.cli.licence_prompt import create_licence_prompt
from app.cli.progress_display import show_progress
from app.common.errors import AppError, InputError, VoiceError
from app.common.files import paths
from app.common.language import localize
from app.install.manage_voices import (
    RenewVoice,
    export_voice,
    list_user_voice_ids,
    prepare_voice_again,
    remove_voice,
    rename_voice,
    renew_outdated_voice,
)
from app.install.refinement_work import list_outdated_voices
from app.install.resolve_voice import find_unprepared_voice
from app.install.sandboxed_import import check_voice
from app.install.voice_licence import find_unaccepted_licence
from app.settings.user_settings import load_usable_settings
from app.voices.aivisspeech_voices import find_aivisspeech_folder, list_aivisspeech_voices
from app.voices.containers.voice_descriptions import build_voice_card
from app.voices.containers.voice_sources import read_source_facts
from app.voices.expected_outputs import CaseResult, SkippedCase
from app.voices.installed_voices import choose_default_voice, list_installed_voices, require_installed_voice
from app.voices.pending_refinement import is_refinement_pending
from app.voices.prepared_voice import MANIFEST_NAME, Voice, read_manifest
from app.voices.voice_card_data import VoiceCardData, read_card
from app.voices.voice_labels import explain_missing_int8, format_voice_name


def run_remove(options: argparse.Namespace) -> int:
    """Remove a voice; where it was the default, Koebako chooses again."""
    removed = remove_voice(options.voice)
    change_settings(lambda known: replace(known, default_voice="") if known.default_voice == removed else known)
    print_done({"removed": options.voice}, f"「{options.voice}」を削除しました。", f"“{options.voice}” was deleted.", as_json=options.json)
    return 0


def run_rename(options: argparse.Namespace) -> int:
    voice = rename_voice(options.voice, options.name)
    print_done(
        build_list_record(voice.manifest, voice.path),
        f"名前を「{voice.manifest.name}」に変更しました。",
        f"Renamed to “{voice.manifest.name}”.",
        as_json=options.json,
    )
    return 0


def run_export(options: argparse.Namespace) -> int:
    """Copy a voice to a folder or a zip."""
    with show_progress(as_json=options.json) as report:
        target = export_voice(options.voice, Path(options.target), report, may_replace=options.replace)
    print_done({"exported": str(target)}, f"書き出しました: {target}", f"Exported to {target}", as_json=options.json)
    return 0


def run_renew(options: argparse.Namespace) -> int:
    """Prepare every requested voice again; one that fails is reported and stays as it was. Return the exit code of the first failure."""
    names, renew = _choose_renewals(options)
    ask = create_licence_prompt(is_accepted=options.accept_licence, as_json=options.json)
    exit_code = 0
    for voice in names:
        began = time.monotonic()
        try:
            with show_progress(as_json=options.json) as report:
                renewed = renew(voice, ask, report)
        except AppError as error:
            if len(names) == 1:
                raise
            print_error(error, as_json=options.json, source=voice)
            exit_code = exit_code or error.exit_code
        else:
            finish_voices([renewed], options, began)
    return exit_code


def _choose_renewals(options: argparse.Namespace) -> tuple[list[str], RenewVoice]:
    """Return the voices to prepare again, and the function that does it; raise InputError where none, or too many, are given."""
    if options.outdated and not options.all:
        manifests = [voice.manifest for voice in list_outdated_voices()]
        chosen = [voice.id for voice in manifests if not options.voices or {voice.id, voice.name}.intersection(options.voices)]
        if not chosen:
            print_note(localize("準備し直す必要がある声はありません。", "No voice has to be prepared again."))
        return chosen, renew_outdated_voice
    if options.outdated or options.all == bool(options.voices):
        raise InputError(
            localize("準備し直す声を指定してください。", "Specify the voices to prepare again."),
            localize(
                "声の ID か名前、--all、--outdated のいずれかを指定してください。",
                "Specify IDs or names of voices, or --all, or --outdated.",
            ),
        )
    names = list_user_voice_ids() if options.all else options.voices
    if not names:
        print_note(localize("追加した声はありません。", "You have not added any voices."))
    return names, prepare_voice_again


def run_use(options: argparse.Namespace) -> int:
    """Make a voice the default."""
    manifest = require_installed_voice(options.voice, paths.list_voice_dirs()).manifest
    change_settings(lambda settings: replace(settings, default_voice=manifest.id))
    if options.json:
        print_json({"id": manifest.id, "default": True})
    else:
        name = format_voice_name(manifest)
        print_note(localize(f"既定の声を「{name}」にしました。", f"“{name}” is the default voice now."))
    return 0


def run_precision(options: argparse.Namespace) -> int:
    """Keep the choice; raise VoiceError for an unknown voice, or one that has no faster way to speak."""
    voice = require_installed_voice(options.voice, paths.list_voice_dirs())
    why = explain_missing_int8(voice.manifest)
    if options.precision == "fast" and why:
        name = voice.manifest.name
        raise VoiceError(
            localize(f"声「{name}」では「高速」を使えません。{why}", f"Fast is not available for “{name}”: {why}."),
            localize("この声は「高精度」で合成します。", "It is synthesised exactly."),
        )
    change_settings(
        lambda settings: settings.replace_precision(
            settings.precision_preference.replace_voice_precision(voice.manifest.id, options.precision)
        )
    )
    print_done(
        {"id": voice.manifest.id, "precision": options.precision},
        f"声「{voice.manifest.name}」の音声合成の精度: {options.precision}",
        f"Synthesis precision of “{voice.manifest.name}”: {options.precision}",
        as_json=options.json,
    )
    return 0


def run_check(options: argparse.Namespace) -> int:
    """Prepare the source in a temporary folder and compare every case; install nothing."""
    if not math.isfinite(options.tolerance) or options.tolerance < 0:
        raise InputError(
            localize("許容差には 0 以上の数を指定してください。", "The tolerance must be 0 or greater."),
            localize("例: --tolerance 0.001", "For example: --tolerance 0.001"),
        )
    count, skipped, worst, good = 0, 0, 0.0, True
    with closing(check_voice(Path(options.source), Path(options.expected))) as results:
        for case, opaque in results:
            count += 1
            if isinstance(case, SkippedCase):
                skipped += 1
                ja = f"case {case.case}: 省略（この声は入力 {case.name} を受け取りません）"
                en = f"case {case.case}: skipped, this voice does not take {case.name}"
                print_record({"case": case.case, "skipped": case.name}, localize(ja, en), as_json=options.json)
                continue
            difference = math.inf if case.max_abs_diff is None else case.max_abs_diff
            worst = max(worst, difference)
            good = good and case.durations_equal and difference <= options.tolerance
            _print_case(case, opaque, options.json)
    source = Path(options.source)
    fast_record = build_fast_record(read_manifest(source)) if (source / MANIFEST_NAME).is_file() else {}
    print_done(
        {"summary": True, "cases": count, "worst": worst} | fast_record,
        f"{count - skipped} 件を比較、{skipped} 件を省略。最大の差 {worst:.3g}",
        f"{count - skipped} cases compared, {skipped} skipped; largest difference {worst:.3g}",
        as_json=options.json,
    )
    return 0 if good else VoiceError.exit_code


def _print_case(case: CaseResult, is_single_graph: bool, as_json: bool) -> None:
    if as_json:
        line = {"case": case.case, "max_abs_diff": case.max_abs_diff, "durations_equal": case.durations_equal}
        print_json(line | {"frames": case.frames, "opaque": is_single_graph})
        return
    shown = f"case {case.case}: max_abs_diff {case.max_abs_diff}, durations_equal {case.durations_equal}, {case.frames} frames"
    print_result(shown + (localize("、一体型", ", single graph") if is_single_graph else ""))


def run(options: argparse.Namespace) -> int:
    actions = {"list": _list_voices, "info": _show_info, "check": run_check, "add": run_add, "renew": run_renew}
    changes = {"remove": run_remove, "rename": run_rename, "export": run_export, "precision": run_precision, "use": run_use}
    return (actions | changes)[options.action](options)


def _list_voices(options: argparse.Namespace) -> int:
    installed = list_installed_voices(paths.list_voice_dirs())
    voices = [(voice.manifest, voice.path, read_card(voice.path).source_name) for voice in installed]
    library_ids = {manifest.id for manifest, _, _ in voices}
    default = choose_default_voice(paths.list_voice_dirs()).voice.manifest.id if installed else ""
    voices += [
        (voice.manifest, voice.path, "")
        for voice in list_aivisspeech_voices(find_aivisspeech_folder())
        if voice.manifest.id not in library_ids
    ]
    for manifest, path, source in voices:
        if options.json:
            print_json(build_list_record(manifest, path, source) | {"default": manifest.id == default})
        else:
            mark = "" if manifest.id in library_ids else "  (AivisSpeech)"
            mark = localize("  （既定の声）", "  (default voice)") if manifest.id == default else mark
            waiting = localize("  （残りの準備中）", "  (still being prepared)") if is_refinement_pending(path) else ""
            styles = ", ".join(item.name for item in manifest.styles)
            print_result(f"{manifest.id}  {format_voice_name(manifest)}  [{styles}]{mark}{waiting}")
    return 0


def _show_info(options: argparse.Namespace) -> int:
    voice = find_unprepared_voice(options.voice)
    fast, licence_open = voice.manifest.fast, find_unaccepted_licence(voice) is not None
    details = build_info_record(voice.manifest, voice.path, _load_card(voice)) | {
        "licence_accepted": not licence_open,
        "precision": "exact" if fast is None else load_usable_settings().precision_preference.find_precision(voice.manifest.id),
    }
    if options.json:
        print_json(details)
    else:
        for text in (*format_info_lines(format_values(details, voice.manifest)), *format_fast_lines(voice.manifest)):
            print_result_lines(text)
    return 0


def _load_card(voice: Voice) -> VoiceCardData:
    """Return the card of a prepared voice, or the facts of another file, without its media."""
    if (voice.path / MANIFEST_NAME).is_file():
        return read_card(voice.path)
    facts = read_source_facts(voice.path)
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        card = build_voice_card(facts.config, facts.aivm_manifest, Path(folder), emoji=voice.manifest.emoji)
    return replace(card, speakers=tuple(replace(item, icon="", styles=()) for item in card.speakers))
