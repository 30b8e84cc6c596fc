"""`koebako dict`: the words that the user taught the program."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from app.adapters.openjtalk.dictionary import change_words
from app.adapters.user_dictionary import Change, known_words, write_words
from app.cli.named_input import read_named, text_of
from app.cli.output import json_line, note, print_error, result
from app.core.dictionary import Entry, make_entry, put, surface_of
from app.core.dictionary_data import from_text
from app.errors import InputError
from app.language import localized

MOST_SHOWN = 5  # words of a file that cannot be used


def run(options: argparse.Namespace) -> int:
    """One of the actions list, add, remove, import, export."""
    actions = {"list": _list, "add": _add, "remove": _remove, "import": _import, "export": _export}
    return actions[options.action](options)


def _list(options: argparse.Namespace) -> int:
    words = known_words()
    for entry in words:
        _show(entry, as_json=options.json)
    if not words and not options.json:
        note(
            localized(
                "単語はまだ登録されていません。koebako dict add で登録できます。",
                "The user dictionary is empty. Add a word with `koebako dict add`.",
            )
        )
    return 0


def _add(options: argparse.Namespace) -> int:
    entry = make_entry(options.surface, options.reading, options.accent, options.kind, options.priority)
    _change(lambda words: put(words, [entry]))
    _show(entry, as_json=options.json)
    return 0


def _remove(options: argparse.Namespace) -> int:
    surface = surface_of(options.surface)
    if surface not in {entry.surface for entry in known_words()}:
        raise InputError(
            localized(f"「{surface}」はユーザー辞書にありません。", f"“{surface}” is not in the user dictionary."),
            localized("koebako dict list で確認してください。", "See `koebako dict list`."),
        )
    _change(lambda words: tuple(entry for entry in words if entry.surface != surface))
    if options.json:
        json_line({"removed": surface})
    else:
        note(localized(f"「{surface}」を削除しました。", f"“{surface}” was deleted."))
    return 0


def _import(options: argparse.Namespace) -> int:
    file = Path(options.file)
    found, wrong = from_text(text_of(read_named(file), file.name))
    words = _change(lambda words: put(put(words, found), words if options.keep else ()))
    for error in wrong[:MOST_SHOWN]:
        print_error(error, as_json=options.json, source=options.file)
    if len(wrong) > MOST_SHOWN:
        note(localized(f"…ほか {len(wrong) - MOST_SHOWN} 件", f"… and {len(wrong) - MOST_SHOWN} more"))
    if options.json:
        json_line({"imported": len(found), "refused": len(wrong), "words": len(words)})
    else:
        note(
            localized(
                f"{len(found)} 語を読み込みました（読み込めなかった単語 {len(wrong)}、登録済み {len(words)} 語）。",
                f"Words imported: {len(found)}; rejected: {len(wrong)}; now in the dictionary: {len(words)}.",
            )
        )
    return 0 if found or not wrong else InputError.exit_code


def _export(options: argparse.Namespace) -> int:
    words, target = known_words(), Path(options.file)
    write_words(words, target)
    if options.json:
        json_line({"exported": str(target), "words": len(words)})
    else:
        note(localized(f"{len(words)} 語を {target} に書き出しました。", f"Words exported to {target}: {len(words)}."))
    return 0


def _change(change: Change) -> tuple[Entry, ...]:
    words, error = change_words(change)
    if error is not None:
        print_error(error, as_json=False)
    return words


def _show(entry: Entry, *, as_json: bool) -> None:
    if as_json:
        json_line(asdict(entry))
    else:
        result(f"{entry.surface}\t{entry.reading}\t{entry.accent}\t{entry.kind}\t{entry.priority}")
