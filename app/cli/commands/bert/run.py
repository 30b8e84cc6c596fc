"""`koebako bert`: the installed BERTs, how they are added, and in which precision they run."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.adapters.shared_settings import change_settings
from app.adapters.speech_activity import is_speaking
from app.cli.console_output import print_json, print_localized_note, print_note, print_record, print_result
from app.cli.progress_display import ProgressView, show_progress
from app.common.files import paths
from app.common.language import localize
from app.common.progress import Report, build_part_report
from app.install.install_bert import AddBertResult, add_bert, find_installed_bert, measure_missing_agreements, remove_bert
from app.install.refinement_runs import refine_installed
from app.settings.user_settings import load_usable_settings
from app.voices.bert_models import (
    TOKENIZER_NAME,
    VOCABULARY_NAME,
    BertModel,
    choose_bert_precision,
    find_equal_duration_share,
    list_installed_berts,
)
from app.voices.installed_voices import list_installed_voices
from app.voices.pending_refinement import is_refinement_pending
from app.voices.required_bert import STANDARD_LICENCE

if TYPE_CHECKING:
    from app.install.download_sources import DownloadMonitor

DOWNLOAD_SHARE = 0.6


def run(options: argparse.Namespace) -> int:
    """Run one of the actions list, add, use, remove, check."""
    actions = {"list": _list_berts, "add": _add_bert, "use": _use_bert, "remove": _remove_bert, "check": _check_precisions}
    actions[options.action](options)
    return 0


def describe_bert(bert: BertModel) -> dict[str, Any]:
    """Return a BERT as `bert list --json` shows it."""
    return {
        "id": bert.id,
        "name": bert.name,
        "precisions": list(bert.graphs),
        "int8_cosine": bert.int8_cosine,
        "size_mb": round(bert.size_bytes / 1e6),
        "licence": bert.licence,
        "kept_whole": bert.kept_whole,
        "pending": is_refinement_pending(bert.folder),
        "note": bert.note,
        "path": str(bert.folder),
    }


def _list_berts(options: argparse.Namespace) -> None:
    settings = load_usable_settings()
    for bert in list_installed_berts(paths.list_bert_dirs()):
        print_record(
            describe_bert(bert) | {"used": bert.id == settings.bert, "precision": settings.bert_precision},
            f"{bert.id}  {bert.name}  [{', '.join(bert.graphs)}]",
            as_json=options.json,
        )


def _add_bert(options: argparse.Namespace) -> None:
    added = _find_own_bert(options.source) if options.wait else None
    if added is None:
        with show_progress(as_json=options.json) as shown:
            start = 0.0 if options.source is not None else DOWNLOAD_SHARE
            with _open_source(options, shown, build_part_report(shown, 0.0, start)) as source:
                added = add_bert(source, build_part_report(shown, start, 1.0), id=options.id)
    _report_added(added, as_json=options.json)
    is_pending = is_refinement_pending(added.bert.folder)
    if options.wait:
        if is_pending:
            finish_bert(added.bert, as_json=options.json)
        elif added.bert.is_abandoned:
            print_localized_note(
                "残りの準備は中止されています。元のファイルを --wait を付けてもう一度追加すると行えます。",
                "The rest of its preparation was stopped. Add its file again with --wait to have it done.",
            )
        # This decides which voices may use the BERT in int8.
        measure_missing_agreements(is_paused=is_speaking)
    elif is_pending and not options.json:
        print_localized_note(
            "すぐに使えます。残りの準備は、Koebako のウィンドウまたは serve の動作中に行います（bert add ID --wait でも行えます）。",
            "Ready to use. The rest is prepared while Koebako’s window or `serve` runs, or by `koebako bert add ID --wait`.",
        )


def finish_bert(bert: BertModel, *, as_json: bool) -> None:
    """Refine a BERT that can be used already, and report that."""
    with show_progress(as_json=as_json) as shown:
        outcome = refine_installed(bert, shown)
    if as_json:
        print_json({"type": "bert_refinement", "id": bert.id, "outcome": outcome})
    elif outcome == "refined":
        print_note(localize(f"BERT「{bert.id}」の準備がすべて終わりました。", f"The BERT “{bert.id}” is fully prepared."))
    elif outcome == "failed":
        print_localized_note(
            f"BERT「{bert.id}」の追加の確認を完了できませんでした。BERT はこのまま使えます。",
            f"The full check of the BERT “{bert.id}” could not be completed. It can be used as it is.",
        )


def _find_own_bert(source: str | None) -> AddBertResult | None:
    """Return the user's BERT of an id that is no path; None if there is none."""
    if source is None or Path(source).exists():
        return None
    berts = list_installed_berts([paths.find_data_dir() / "bert"])
    return next((AddBertResult(bert, was_installed=True) for bert in berts if bert.id == source), None)


def _report_added(added: AddBertResult, *, as_json: bool) -> None:
    if as_json:
        print_json({"type": "bert", "already": added.was_installed} | describe_bert(added.bert))
        return
    state = localize("すでにあります", "already there") if added.was_installed else localize("追加しました", "added")
    print_result(f"{added.bert.id}  {added.bert.name}  [{', '.join(added.bert.graphs)}]  ({state})")
    for note in filter(None, (added.bert.kept_whole, added.bert.note)):
        print_note(note)
    if added.bert.licence:
        print_note(localize("ライセンス: ", "Licence: ") + added.bert.licence)


@contextmanager
def _open_source(options: argparse.Namespace, view: ProgressView, report: Report) -> Iterator[Path]:
    """Open the source on this disk; a download is deleted when it is of no more use."""
    if options.source is not None:
        yield Path(options.source)
        return
    # Brings an HTTP library, which files do not need.
    from app.install import download_sources
    from app.install.download_sources import discard_after_use

    watch = download_sources.DownloadMonitor(report, view.update_download, view.update_wait)
    if options.hub:
        print_note(localize("ライセンス: ", "Licence: ") + STANDARD_LICENCE)
        downloaded = download_sources.fetch_standard_bert(watch)
    else:
        downloaded = download_sources.fetch_url(options.url, watch)
        _fetch_companions(options.url, downloaded, download_sources.DownloadMonitor(on_wait=view.update_wait))
    with discard_after_use(downloaded):
        yield downloaded


def _fetch_companions(url: str, model: Path, monitor: DownloadMonitor) -> None:
    """Fetch the tiny files that must be in the same folder as a model."""
    from app.adapters.http.http_address import parse_address
    from app.install import download_sources
    from app.install.download_sources import discard_download

    vocabulary = () if model.with_name(VOCABULARY_NAME).is_file() else (TOKENIZER_NAME,)
    for name in (*vocabulary, *(("config.json",) if model.suffix == ".safetensors" else ())):
        if not model.with_name(name).is_file():
            downloaded = download_sources.fetch_url(parse_address(url).join_reference(name).url, monitor)
            shutil.copyfile(downloaded, model.with_name(name))
            discard_download(downloaded)


def _use_bert(options: argparse.Namespace) -> None:
    bert = find_installed_bert(options.bert)
    settings = change_settings(lambda known: replace(known, bert=bert.id, bert_precision=options.precision or known.bert_precision))
    with show_progress(as_json=options.json) as shown:
        measure_missing_agreements(shown)
    print_record(
        describe_bert(bert) | {"used": True, "precision": settings.bert_precision},
        f"{bert.id}  {settings.bert_precision}",
        as_json=options.json,
    )


def _remove_bert(options: argparse.Namespace) -> None:
    bert = find_installed_bert(options.bert)
    remove_bert(bert)
    change_settings(lambda known: replace(known, bert="") if known.bert == bert.id else known)
    silent = [voice.manifest.name for voice in list_installed_voices(paths.list_voice_dirs()) if voice.manifest.bert == bert.id]
    if options.json:
        print_json({"id": bert.id, "removed": True, "voices_without_bert": silent})
        return
    print_result(localize(f"削除しました: {bert.id}", f"Deleted: {bert.id}"))
    if silent:
        print_note(localize("この BERT がないと使えない声: ", "Voices that cannot speak without it: ") + ", ".join(silent))


def _check_precisions(options: argparse.Namespace) -> None:
    """Measure precisions that were not measured yet; the window runs this as a child when it is idle."""
    with show_progress(as_json=options.json) as shown:
        measure_missing_agreements(shown)
    choice = load_usable_settings().bert_precision
    berts = {bert.id: bert for bert in reversed(list_installed_berts(paths.list_bert_dirs()))}
    for voice in list_installed_voices(paths.list_voice_dirs()):
        bert = berts.get(voice.manifest.bert)
        if bert is None:
            continue
        share = find_equal_duration_share(voice, bert) if "int8" in bert.graphs else None
        precision = choose_bert_precision(voice, bert, choice, "cpu")
        print_record(
            {"voice": voice.manifest.id, "bert": bert.id, "equal_share": share, "precision": precision},
            f"{voice.manifest.id}  {bert.id}  {precision}" + ("" if share is None else f"  ({share:.1%})"),
            as_json=options.json,
        )
