"""`koebako bert`: the installed BERTs, how they are added, and in which precision they run."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app import paths
from app.adapters.own_settings import change_settings
from app.cli.output import json_line, note, result
from app.cli.progress import Shown, shown_progress
from app.install.bert import add_bert, find_installed_bert, remove_bert
from app.install.precision import check_precisions
from app.language import localized
from app.progress import Report, part
from app.settings import known_settings
from app.voices.bert import Bert, installed_berts
from app.voices.library import installed_voices
from app.voices.precision import choose_precision, known_share
from app.voices.vocabulary import TOKENIZER_NAME, VOCABULARY_NAME
from app.voices.wanted_bert import STANDARD_LICENCE

if TYPE_CHECKING:
    from app.install.fetch import Watch

DOWNLOAD_SHARE, ADD_SHARE = 0.6, 0.95


def run(options: argparse.Namespace) -> int:
    """One of the actions list, add, use, remove, check."""
    actions = {"list": _list, "add": _add, "use": _use, "remove": _remove, "check": _check}
    actions[options.action](options)
    return 0


def described(bert: Bert) -> dict[str, Any]:
    """A BERT as `bert list --json` shows it."""
    return {
        "id": bert.id,
        "name": bert.name,
        "precisions": list(bert.graphs),
        "int8_cosine": bert.int8_cosine,
        "size_mb": round(bert.size_bytes / 1e6),
        "licence": bert.licence,
        "kept_whole": bert.kept_whole,
        "path": str(bert.folder),
    }


def _list(options: argparse.Namespace) -> None:
    settings = known_settings()
    for bert in installed_berts(paths.bert_dirs()):
        if options.json:
            json_line(described(bert) | {"used": bert.id == settings.bert, "precision": settings.bert_precision})
        else:
            result(f"{bert.id}  {bert.name}  [{', '.join(bert.graphs)}]")


def _add(options: argparse.Namespace) -> None:
    with shown_progress(as_json=options.json) as shown:
        start = 0.0 if options.source is not None else DOWNLOAD_SHARE
        with _source(options, shown, part(shown, 0.0, start)) as source:
            added = add_bert(source, part(shown, start, ADD_SHARE), id=options.id)
        check_precisions(part(shown, ADD_SHARE, 1.0))
    if options.json:
        json_line({"type": "bert", "already": added.already} | described(added.bert))
        return
    state = localized("すでにあります", "already there") if added.already else localized("追加しました", "added")
    result(f"{added.bert.id}  {added.bert.name}  [{', '.join(added.bert.graphs)}]  ({state})")
    if added.bert.kept_whole:
        note(added.bert.kept_whole)
    if added.bert.licence:
        note(localized("ライセンス: ", "Licence: ") + added.bert.licence)


@contextmanager
def _source(options: argparse.Namespace, shown: Shown, report: Report) -> Iterator[Path]:
    """What to add, on this disk; a download is not kept longer than it is of use."""
    if options.source is not None:
        yield Path(options.source)
        return
    from app.install import fetch  # brings an HTTP library, which files do not need
    from app.install.fetched_files import used_up

    watch = fetch.Watch(report, shown.downloaded, shown.waits)
    if options.hub:
        note(localized("ライセンス: ", "Licence: ") + STANDARD_LICENCE)
        found = fetch.fetch_standard_bert(watch)
    else:
        found = fetch.fetch_url(options.url, watch)
        _fetch_companions(options.url, found, fetch.Watch(on_wait=shown.waits))
    with used_up(found):
        yield found


def _fetch_companions(url: str, model: Path, watch: Watch) -> None:
    """What has to lie beside a model; it is tiny."""
    from app.adapters.http.address import address_of
    from app.install import fetch
    from app.install.fetched_files import discard

    vocabulary = () if model.with_name(VOCABULARY_NAME).is_file() else (TOKENIZER_NAME,)
    for name in (*vocabulary, *(("config.json",) if model.suffix == ".safetensors" else ())):
        if not model.with_name(name).is_file():
            found = fetch.fetch_url(address_of(url).join(name).url, watch)
            shutil.copyfile(found, model.with_name(name))
            discard(found)


def _use(options: argparse.Namespace) -> None:
    bert = find_installed_bert(options.bert)
    settings = change_settings(lambda known: replace(known, bert=bert.id, bert_precision=options.precision or known.bert_precision))
    with shown_progress(as_json=options.json) as shown:
        check_precisions(shown)
    if options.json:
        json_line(described(bert) | {"used": True, "precision": settings.bert_precision})
    else:
        result(f"{bert.id}  {settings.bert_precision}")


def _remove(options: argparse.Namespace) -> None:
    bert = find_installed_bert(options.bert)
    remove_bert(bert)
    change_settings(lambda known: replace(known, bert="") if known.bert == bert.id else known)
    silent = [voice.manifest.name for voice in installed_voices(paths.voice_dirs()) if voice.manifest.bert == bert.id]
    if options.json:
        json_line({"id": bert.id, "removed": True, "voices_without_bert": silent})
        return
    result(localized(f"削除しました: {bert.id}", f"Deleted: {bert.id}"))
    if silent:
        note(localized("この BERT がないと使えない声: ", "Voices that cannot speak without it: ") + ", ".join(silent))


def _check(options: argparse.Namespace) -> None:
    """Measures what was not measured yet; the window runs this as a child when it is idle."""
    with shown_progress(as_json=options.json) as shown:
        check_precisions(shown)
    choice = known_settings().bert_precision
    berts = {bert.id: bert for bert in reversed(installed_berts(paths.bert_dirs()))}
    for voice in installed_voices(paths.voice_dirs()):
        bert = berts.get(voice.manifest.bert)
        if bert is None:
            continue
        share = known_share(voice, bert) if "int8" in bert.graphs else None
        precision = choose_precision(voice, bert, choice, "cpu")
        if options.json:
            json_line({"voice": voice.manifest.id, "bert": bert.id, "equal_share": share, "precision": precision})
        else:
            result(f"{voice.manifest.id}  {bert.id}  {precision}" + ("" if share is None else f"  ({share:.1%})"))
