"""The user's dictionary as data: our own file, the JSON that VOICEVOX, AivisSpeech and the Style-Bert-VITS2 editor exchange, CSV, MeCab's rows."""

from __future__ import annotations

import csv
import io
import json
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from app.core.dictionary import LONGEST_SURFACE, USUAL_PRIORITY, Entry, Kind, make_entry
from app.core.mecab_rows import word_of_row
from app.core.moras import katakana_of, split_moras
from app.core.spreadsheets import harmless, original, rows_of
from app.core.tolerance import Lose, tolerating
from app.errors import InputError
from app.json_text import HIGHEST_WHOLE, parse_json, whole
from app.language import localized
from app.system_errors import reason_of

VERSION = 1
MOST_ENTRIES = 200_000  # five times what the largest dictionaries hold that people exchange
MOST_VALUES_OF_ENTRY = 32  # VOICEVOX writes 17
SHOWN_CHARACTERS = 30
LONGEST_VALUE = 1000  # characters, or parts of a compound; a surface has up to 100, a reading up to 200
COLUMNS = ("surface", "reading", "accent", "kind", "priority")
_HEADS = {"表記": "surface", "単語": "surface", "読み": "reading", "アクセント": "accent", "品詞": "kind", "優先度": "priority"}
_Item = tuple[str, Any]
"""Where a word stands in its file, for people, and what stands there."""
# Part of speech and its first subdivision, as those programs write them.
_PARTS: dict[Kind, tuple[str, str]] = {
    "proper_noun": ("名詞", "固有名詞"),
    "noun": ("名詞", "一般"),
    "suffix": ("名詞", "接尾"),
    "verb": ("動詞", "自立"),
    "adjective": ("形容詞", "自立"),
}
_CONTEXTS: dict[Kind, int] = {"proper_noun": 1348, "noun": 1345, "suffix": 1358, "verb": 642, "adjective": 20}
_TYPES: dict[str, Kind] = {
    "PROPER_NOUN": "proper_noun",
    "COMMON_NOUN": "noun",
    "SUFFIX": "suffix",
    "VERB": "verb",
    "ADJECTIVE": "adjective",
}
"""Kinds as VOICEVOX's library writes them."""
_NAMESPACE = uuid.UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8")  # so that a word has the same id in every export


def to_data(entries: Iterable[Entry]) -> dict[str, Any]:
    """What `from_data` reads."""
    return {"version": VERSION, "entries": [{name: getattr(entry, name) for name in COLUMNS} for entry in entries]}


def from_data(data: object, lose: Lose | None = None) -> tuple[Entry, ...]:
    """Entries of our own file. Raises ValueError, or InputError, for what this version could not have written.

    Args:
        lose: called for a word that cannot be read, instead of an error.
    """
    if not isinstance(data, dict) or data.get("version") != VERSION or not isinstance(data.get("entries"), list):
        raise ValueError("no dictionary")
    entries = list[Entry]()
    for item in data["entries"]:
        with tolerating(lose, "dictionary"):
            entries.append(_entry(_object(item)))
    return tuple(entries)


def to_exchange(entries: Iterable[Entry]) -> str:
    """JSON as those programs read it."""
    return json.dumps(exchange_words(entries), ensure_ascii=False, indent=2) + "\n"


def exchange_words(entries: Iterable[Entry]) -> dict[str, dict[str, Any]]:
    """The words of that JSON, by id."""
    return {str(uuid.uuid5(_NAMESPACE, entry.surface)): _word(entry) for entry in entries}


def to_csv(entries: Iterable[Entry]) -> str:
    """A table with a head."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([harmless(getattr(entry, name)) for name in COLUMNS] for entry in entries)
    return table.getvalue()


def from_text(text: str) -> tuple[list[Entry], list[InputError]]:
    """Entries of a file of any of these kinds, and what is wrong with those that cannot be used; InputError for a text of another kind."""
    return _read(_json_items(text) if text.lstrip().startswith(("{", "[")) else _rows(text))


def from_json(data: Any) -> tuple[list[Entry], list[InputError]]:
    """As `from_text`, of what its JSON holds."""
    return _read(_items_of(data))


def too_many() -> InputError:
    """The error for more words than a dictionary holds."""
    return InputError(
        localized("単語が多すぎます。", "There are too many words."),
        localized(
            f"ユーザー辞書に登録できるのは {MOST_ENTRIES:,} 語までです。", f"The user dictionary can hold up to {MOST_ENTRIES:,} words."
        ),
    )


def _json_items(text: str) -> list[_Item]:
    try:
        data = parse_json(text, most_values=MOST_ENTRIES * MOST_VALUES_OF_ENTRY, forgiving=True)
    except ValueError as exc:
        raise _unknown(reason_of(exc)) from exc
    return _items_of(data)


def _items_of(data: Any) -> list[_Item]:
    if isinstance(data, dict):
        data = data.get("entries", list(data.values()))
    if not isinstance(data, list):
        raise _unknown("entries")
    return [(localized(f"{number} 番目の単語", f"Word {number}"), item) for number, item in enumerate(data, 1)]


def _read(items: list[_Item]) -> tuple[list[Entry], list[InputError]]:
    if len(items) > MOST_ENTRIES:
        raise too_many()
    entries, wrong = list[Entry](), list[InputError]()
    for place, item in items:
        try:
            entries.append(_entry(_ours(_object(item))))
        except InputError as error:
            wrong.append(_named(place, item, error))
        except (ValueError, LookupError):
            wrong.append(_named(place, item, _no_word()))
    return entries, wrong


def _rows(text: str) -> list[_Item]:
    """Lines of a table, whose first may name the columns; reading and what follows it may be missing. Or MeCab's, or both."""
    filled = (row for row in rows_of(text, multiline=False) if row[1] is None or any(row[1]))
    rows = list(islice(filled, MOST_ENTRIES + 2))  # with a head, and one too many
    head = [_HEADS.get(name.strip(), name.strip()) for name in (rows[0][1] or ())] if rows else []
    names, others = (head, rows[1:]) if "surface" in head else (COLUMNS, rows)
    return [(localized(f"{number} 行目", f"Line {number}"), _row(cells, names)) for number, cells in others]


def _row(cells: Sequence[str] | None, names: Sequence[str]) -> Any:
    """Under the names of some format; a row that is none as it is."""
    if cells is None:
        return None
    cells = [original(cell.strip()) for cell in cells]
    try:
        return word_of_row(cells) or dict(zip(names, cells, strict=False))
    except ValueError:
        return {"surface": cells[0]}


def _object(item: Any) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise ValueError("no entry")
    return item


def _ours(item: dict[str, Any]) -> dict[str, Any]:
    """An entry under our names, from any of the formats. Raises ValueError or LookupError where it is none."""
    if "pronunciation" not in item:
        return item
    accents = [_number(accent) for accent in _list(item["accent_type"])]
    surface, reading, accent = compound_of(_texts(item["surface"]), _texts(item["pronunciation"]), accents)
    return {
        "surface": surface,
        "reading": reading,
        "accent": accent,
        "kind": _TYPES.get(str(item.get("word_type")))
        or _kind(item.get("part_of_speech", "名詞"), item.get("part_of_speech_detail_1", "固有名詞")),
        "priority": item.get("priority", USUAL_PRIORITY),
    }


def compound_of(surfaces: Sequence[str], readings: Sequence[str], accents: Sequence[int]) -> tuple[str, str, int]:
    """Surface, reading and accent of a word in parts, as AivisSpeech lists them.

    Here a word is one phrase, whose accent is that of its last part, as Japanese compounds have it. Raises InputError where parts are missing or impossible.
    """
    surface = "".join(surfaces)
    kana = [katakana_of(surface, reading) for reading in readings]
    moras = [len(split_moras(part)) for part in kana]
    complete = len(moras) == len(accents) and len(surfaces) in (1, len(moras))
    if len(moras) > 1 and complete:  # of a word in one part `make_entry` says what is wrong
        complete = all(0 <= accent <= most for accent, most in zip(accents, moras, strict=True))
    if not complete:
        raise InputError(
            localized(
                f"「{surface[:LONGEST_SURFACE]}」の表記、読み、アクセント位置が対応していません。",
                f"The surfaces, readings and accents of “{surface[:LONGEST_SURFACE]}” do not match.",
            ),
            localized("部分ごとに、表記、読み、アクセント位置を指定してください。", "Give each part a surface, a reading and an accent."),
        )
    return surface, "".join(kana), sum(moras[:-1]) + accents[-1] if accents[-1] else 0


def _entry(item: Mapping[str, Any]) -> Entry:
    """Raises ValueError for values of another kind, InputError for those that no word has."""
    given = {name: item[name] for name in COLUMNS if item.get(name) not in (None, "")}
    return make_entry(
        _text(given.get("surface", "")),
        _text(given.get("reading", "")),
        _number(given.get("accent", 0)),
        _text(given.get("kind", "proper_noun")),
        _number(given.get("priority", USUAL_PRIORITY)),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_VALUE:
        raise ValueError("no text")
    return value


def _texts(value: Any) -> list[str]:
    """One, or the parts of a compound."""
    parts = _list(value)
    if len(parts) > LONGEST_VALUE:
        raise ValueError("too many parts")
    return [_text(part) for part in parts]


def _number(value: Any) -> int:
    """A whole number, as a float where a program writes it so, or its digits in a table."""
    if (isinstance(value, str) and re.fullmatch("[0-9]{1,9}", value)) or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    return whole(value, 0, HIGHEST_WHOLE)


def _word(entry: Entry) -> dict[str, Any]:
    part, detail = _PARTS[entry.kind]
    return {
        "surface": entry.surface,
        "priority": entry.priority,
        "context_id": _CONTEXTS[entry.kind],
        "part_of_speech": part,
        "part_of_speech_detail_1": detail,
        "part_of_speech_detail_2": "一般" if entry.kind in ("proper_noun", "suffix") else "*",
        "part_of_speech_detail_3": "*",
        "inflectional_type": "*",
        "inflectional_form": "*",
        "stem": "*",
        "yomi": entry.reading,
        "pronunciation": entry.reading,
        "accent_type": entry.accent,
        "mora_count": len(split_moras(entry.reading)),
        "accent_associative_rule": "*",
    }


def _kind(part: object, detail: object) -> Kind:
    return next((kind for kind, names in _PARTS.items() if names == (part, detail) or (part != "名詞" and names[0] == part)), "noun")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _named(place: str, item: Any, error: InputError) -> InputError:
    """The same error with the line or word that it is about."""
    surface = item.get("surface") if isinstance(item, dict) else None
    word = surface[:SHOWN_CHARACTERS] if isinstance(surface, str) else ""
    if word and word not in error.message:
        place = localized(f"{place}「{word}」", f"{place} (“{word}”)")
    return InputError(f"{place}: {error.message}", error.hint)


def _no_word() -> InputError:
    return InputError(
        localized("単語として読み込めません。", "This is not a word with its reading."),
        localized("表記と読み（かな）が必要です。", "A word needs its spelling and its reading in kana."),
    )


def _unknown(reason: str) -> InputError:
    return InputError(
        localized(f"辞書として読み込めません。（{reason}）", f"This is not a dictionary. ({reason})"),
        localized(
            "VOICEVOX や AivisSpeech などの辞書（JSON）、「表記,読み,アクセント」の CSV、または MeCab のユーザー辞書（CSV）を選んでください。",
            "Choose a dictionary from VOICEVOX or AivisSpeech (JSON), a CSV with surface,reading,accent, or one of MeCab (CSV).",
        ),
    )
