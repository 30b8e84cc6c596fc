"""`koebako voices add`: voices from files, folders, addresses and the hub into the library."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from app import paths
from app.cli.commands.voices.lines import listed
from app.cli.commands.voices.with_bert import add_with_bert
from app.cli.licence_prompt import licence_prompt
from app.cli.output import json_line, note, print_error, result
from app.cli.progress import shown_progress
from app.errors import AppError, InputError, VoiceError
from app.install.library import Installed, Wishes, add_voices, known_by_content
from app.install.precision import check_precisions
from app.install.upkeep import checked_name
from app.language import localized
from app.progress import Report, part
from app.voices.bert import find_bert
from app.voices.voice import Voice

DOWNLOAD_SHARE = 0.6  # of the whole job, where a voice is downloaded first


def add(options: argparse.Namespace) -> int:
    """Adds every source; one that fails is reported, and the others are still added. Returns the exit code of the first failure."""
    jobs = list(_jobs(options))
    if not jobs:
        raise InputError(
            localized("追加する声が指定されていません。", "No voice to add was given."),
            localized("ファイル、フォルダー、--url、--hub のいずれかを指定してください。", "Specify a file, a folder, --url or --hub."),
        )
    if options.name is not None and (len(jobs) > 1 or options.all):
        raise InputError(
            localized("--name は、声を一つだけ追加するときに使えます。", "--name works with a single voice only."),
            localized("追加した後、koebako voices rename で変更してください。", "Use `koebako voices rename` afterwards."),
        )
    if options.with_bert and not options.hub:
        raise InputError(
            localized("--with-bert は --hub と一緒に使います。", "--with-bert works with --hub only."),
            localized(
                "BERT だけを追加するには koebako bert add --hub を使ってください。", "For the BERT alone, use `koebako bert add --hub`."
            ),
        )
    wishes = Wishes(
        licence_prompt(accepted=options.accept_licence, as_json=options.json),
        options.keep_both,
        options.update,
        None if options.name is None else checked_name(options.name),
    )
    exit_code = 0
    for source, job in jobs:
        try:
            job(wishes)
        except AppError as error:
            if len(jobs) == 1:
                raise
            print_error(error, as_json=options.json, source=source)
            exit_code = exit_code or error.exit_code
    return exit_code


def _jobs(options: argparse.Namespace) -> Iterator[tuple[str, Callable[[Wishes], None]]]:
    """What to add, as the user named it, and how."""
    for source in options.sources:
        yield source, partial(_add_file, Path(source), options)
    for url in options.url:
        yield url, partial(_add_download, "fetch_url", url, options)
    for uuid in options.hub:
        yield uuid, partial(_add_from_hub, uuid, options)


def _add_file(source: Path, options: argparse.Namespace, wishes: Wishes) -> None:
    with shown_progress(as_json=options.json) as shown:
        added = _add(source, shown, wishes=wishes, options=options)
    report_added(added, options.json)


def _add_from_hub(uuid: str, options: argparse.Namespace, wishes: Wishes) -> None:
    """An update that would bring what is here already brings nothing."""
    if options.with_bert:
        report_added(add_with_bert(uuid, wishes, as_json=options.json, add=partial(_add, wishes=wishes, options=options)), options.json)
        return
    checksum = _hub_checksum(uuid, options) if options.update else None
    newest = known_by_content(checksum) if checksum else None
    if newest is not None:
        report_added([newest], options.json)
    else:
        _add_download("fetch_hub_voice", uuid, options, wishes)


def _hub_checksum(uuid: str, options: argparse.Namespace) -> str | None:
    from app.install.fetch import Watch, hub_checksum

    with shown_progress(as_json=options.json) as shown:
        return hub_checksum(uuid, Watch(on_wait=shown.waits))


def _add_download(fetch: str, address: str, options: argparse.Namespace, wishes: Wishes) -> None:
    from app.install import fetch as fetching  # brings an HTTP library, which files do not need
    from app.install.fetched_files import used_up

    with shown_progress(as_json=options.json) as shown:
        watch = fetching.Watch(part(shown, 0.0, DOWNLOAD_SHARE), shown.downloaded, shown.waits)
        file: Path = getattr(fetching, fetch)(address, watch)
        with used_up(file):
            added = _add(file, part(shown, DOWNLOAD_SHARE, 1.0), wishes=wishes, options=options)
    report_added(added, options.json)


def _add(source: Path, report: Report, *, wishes: Wishes, options: argparse.Namespace) -> list[Installed]:
    added = add_voices(source, wishes, report, checkpoint=options.checkpoint, every=options.all)
    check_precisions()  # whether the new voice may use its BERT in int8
    return added


def report_added(added: list[Installed], as_json: bool) -> None:
    """Says what came into the library."""
    for item in added:
        if as_json:
            json_line(_line(item))
            continue
        manifest = item.voice.manifest
        result(f"{manifest.id}  {manifest.name}  ({_outcome(item)})")
        for text in (*item.card.notes, item.card.opaque_reason, _missing_bert(item.voice)):
            if text:
                note(text)


def _missing_bert(voice: Voice) -> str:
    """Which BERT a voice cannot speak without and how to get it, in the language of the user; empty where it is there."""
    try:
        find_bert(voice.manifest.bert, paths.bert_dirs())
    except VoiceError as error:
        return f"{error.message}{localized('', ' ')}{error.hint}"
    return ""


def _line(item: Installed) -> dict[str, Any]:
    state = {"type": "voice", "already": item.already, "updated": item.updated}
    card = {
        "max_abs_diff": item.card.max_abs_diff,
        "opaque_reason": item.card.opaque_reason,
        "notes": [*item.card.notes, *filter(None, [_missing_bert(item.voice)])],
    }
    return state | listed(item.voice.manifest, item.voice.path, item.card.source_name) | card


def _outcome(item: Installed) -> str:
    if item.already:
        return localized("すでにあります", "already there")
    return localized("更新しました", "updated") if item.updated else localized("追加しました", "added")
