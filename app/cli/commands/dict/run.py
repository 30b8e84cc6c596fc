"""`koebako dict`: the words that the user taught the program."""

import argparse
from dataclasses import asdict
from pathlib import Path

from app.adapters.openjtalk.user_lexicon import change_user_entries
from app.adapters.user_dictionary import DictionaryChange, export_entries, read_user_entries
from app.cli.command_files import decode_text, read_named_input, refuse_existing_file
from app.cli.console_output import print_done, print_error, print_localized_note, print_note, print_record
from app.common.errors import InputError
from app.common.language import localize
from app.core.text.dictionary_entries import DictionaryComparison, DictionaryEntry, compare_import, fold_surface, make_entry, merge_entries
from app.core.text.dictionary_formats import parse_dictionary_text

MAX_SHOWN_ERRORS = 5  # words of a file that cannot be used


def run(options: argparse.Namespace) -> int:
    """Run one of the actions list, add, remove, import, export."""
    actions = {"list": _list_entries, "add": _add_entry, "remove": _remove_entry, "import": _import_entries, "export": _export_entries}
    return actions[options.action](options)


def _list_entries(options: argparse.Namespace) -> int:
    words = read_user_entries()
    for entry in words:
        _print_entry(entry, as_json=options.json)
    if not words and not options.json:
        print_localized_note(
            "単語はまだ登録されていません。koebako dict add で登録できます。",
            "The user dictionary is empty. Add a word with `koebako dict add`.",
        )
    return 0


def _add_entry(options: argparse.Namespace) -> int:
    entry = make_entry(options.surface, options.reading, options.accent, options.kind, options.priority)
    _change_dictionary(lambda words: merge_entries(words, [entry]))
    _print_entry(entry, as_json=options.json)
    return 0


def _remove_entry(options: argparse.Namespace) -> int:
    surface = fold_surface(options.surface)
    if surface not in {entry.surface for entry in read_user_entries()}:
        raise InputError(
            localize(f"「{surface}」はユーザー辞書にありません。", f"“{surface}” is not in the user dictionary."),
            localize("koebako dict list で確認してください。", "See `koebako dict list`."),
        )
    _change_dictionary(lambda words: tuple(entry for entry in words if entry.surface != surface))
    print_done({"removed": surface}, f"「{surface}」を削除しました。", f"“{surface}” was deleted.", as_json=options.json)
    return 0


def _import_entries(options: argparse.Namespace) -> int:
    file = Path(options.file)
    entries, wrong = parse_dictionary_text(decode_text(read_named_input(file), file.name))
    if options.dry_run:
        return _print_comparison(compare_import(read_user_entries(), entries, wrong), options)
    words = _change_dictionary(lambda words: merge_entries(merge_entries(words, entries), words if options.keep else ()))
    for error in wrong[:MAX_SHOWN_ERRORS]:
        print_error(error, as_json=options.json, source=options.file)
    if len(wrong) > MAX_SHOWN_ERRORS:
        print_note(localize(f"…ほか {len(wrong) - MAX_SHOWN_ERRORS} 件", f"… and {len(wrong) - MAX_SHOWN_ERRORS} more"))
    print_done(
        {"imported": len(entries), "refused": len(wrong), "words": len(words)},
        f"{len(entries)} 語を読み込みました（読み込めなかった単語 {len(wrong)}、登録済み {len(words)} 語）。",
        f"Words imported: {len(entries)}; rejected: {len(wrong)}; now in the dictionary: {len(words)}.",
        as_json=options.json,
    )
    return 0 if entries or not wrong else InputError.exit_code


def _print_comparison(comparison: DictionaryComparison, options: argparse.Namespace) -> int:
    """Print what an import would do."""
    groups = {"conflict": comparison.conflicts, "duplicate": comparison.duplicates}
    for name, conflicts in groups.items():
        for conflict in conflicts:
            print_record(
                {name: {"present": asdict(conflict.present), "imported": asdict(conflict.imported)}},
                "\t".join((name, *map(_format_entry, (conflict.present, conflict.imported)))),
                as_json=options.json,
            )
    for error in comparison.rejected:
        print_error(error, as_json=options.json, source=options.file)
    counts = {"added": len(comparison.added), "unchanged": len(comparison.unchanged), "conflicts": len(comparison.conflicts)}
    counts |= {"duplicates": len(comparison.duplicates), "refused": len(comparison.rejected)}
    print_done(
        counts,
        f"新しい単語 {counts['added']}、登録済みと同じ {counts['unchanged']}、登録済みと異なる {counts['conflicts']}、"
        f"ファイル内の重複 {counts['duplicates']}、読み込めない {counts['refused']}。何も登録していません。",
        f"New words: {counts['added']}; the same already: {counts['unchanged']}; different: {counts['conflicts']}; "
        f"twice in the file: {counts['duplicates']}; rejected: {counts['refused']}. Nothing was written.",
        as_json=options.json,
    )
    return 0 if comparison.found or not comparison.rejected else InputError.exit_code


def _export_entries(options: argparse.Namespace) -> int:
    words, target = read_user_entries(), Path(options.file)
    refuse_existing_file(target, may_replace=options.replace)
    export_entries(words, target)
    print_done(
        {"exported": str(target), "words": len(words)},
        f"{len(words)} 語を {target} に書き出しました。",
        f"Words exported to {target}: {len(words)}.",
        as_json=options.json,
    )
    return 0


def _change_dictionary(change: DictionaryChange) -> tuple[DictionaryEntry, ...]:
    words, error = change_user_entries(change)
    if error is not None:
        print_error(error, as_json=False)
    return words


def _print_entry(entry: DictionaryEntry, *, as_json: bool) -> None:
    print_record(asdict(entry), _format_entry(entry), as_json=as_json)


def _format_entry(entry: DictionaryEntry) -> str:
    return f"{entry.surface}\t{entry.reading}\t{entry.accent}\t{entry.kind}\t{entry.priority}"
