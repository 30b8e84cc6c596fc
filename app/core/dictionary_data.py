"""The user's dictionary as data: our own file, the JSON that VOICEVOX, AivisSpeech and the Style-Bert-VITS2 editor exchange, and CSV."""

from __future__ import annotations

import csv
import io
import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from app.core.dictionary import USUAL_PRIORITY, Entry, Kind, make_entry
from app.core.moras import split_moras
from app.errors import InputError
from app.language import say

VERSION = 1
COLUMNS = ("surface", "reading", "accent", "kind", "priority")
# Part of speech and its first subdivision, as those programs write them.
_PARTS: dict[Kind, tuple[str, str]] = {
    "proper_noun": ("名詞", "固有名詞"),
    "noun": ("名詞", "一般"),
    "suffix": ("名詞", "接尾"),
    "verb": ("動詞", "自立"),
    "adjective": ("形容詞", "自立"),
}
_CONTEXTS: dict[Kind, int] = {"proper_noun": 1348, "noun": 1345, "suffix": 1358, "verb": 642, "adjective": 20}
_NAMESPACE = uuid.UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8")  # so that a word has the same id in every export


def to_data(entries: Iterable[Entry]) -> dict[str, Any]:
    """What `from_data` reads."""
    return {"version": VERSION, "entries": [{name: getattr(entry, name) for name in COLUMNS} for entry in entries]}


def from_data(data: object) -> tuple[Entry, ...]:
    """Entries of our own file. Raises ValueError, or InputError, for what this version could not have written."""
    if not isinstance(data, dict) or data.get("version") != VERSION or not isinstance(data.get("entries"), list):
        raise ValueError("no dictionary")
    return tuple(_entry(item) for item in data["entries"])


def to_exchange(entries: Iterable[Entry]) -> str:
    """JSON as those programs read it."""
    words = {str(uuid.uuid5(_NAMESPACE, entry.surface)): _word(entry) for entry in entries}
    return json.dumps(words, ensure_ascii=False, indent=2) + "\n"


def to_csv(entries: Iterable[Entry]) -> str:
    """A table with a head."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([getattr(entry, name) for name in COLUMNS] for entry in entries)
    return table.getvalue()


def from_text(text: str) -> tuple[list[Entry], list[InputError]]:
    """Entries of a file of any of these kinds, and what is wrong with those that cannot be used; InputError for a text of another kind."""
    return _read(_json_items(text) if text.lstrip().startswith(("{", "[")) else list(_rows(text)))


def _json_items(text: str) -> list[Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise _unknown(str(exc)) from exc
    if isinstance(data, dict):
        data = data.get("entries", list(data.values()))
    if not isinstance(data, list):
        raise _unknown("entries")
    return data


def _read(items: list[Any]) -> tuple[list[Entry], list[InputError]]:
    entries, wrong = [], []
    for item in items:
        try:
            entries.append(_entry(_ours(item)))
        except InputError as error:
            wrong.append(error)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            wrong.append(_unknown(say("単語の形が違います", "a word of another form")))
    return entries, wrong


def _rows(text: str) -> Iterable[dict[str, Any]]:
    """Lines of a table, whose first may name the columns; reading and what follows it may be missing."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text), strict=True) if row]
    except csv.Error as exc:
        raise _unknown(str(exc)) from exc
    head, *others = rows or [[]]
    names = tuple(head) if "surface" in head else COLUMNS
    for row in others if "surface" in head else rows:
        yield dict(zip(names, row, strict=False))


def _ours(item: Mapping[str, Any]) -> dict[str, Any]:
    """An entry under our names, whoever wrote it."""
    if "pronunciation" not in item:
        return dict(item)
    readings, accents = _list(item["pronunciation"]), _list(item["accent_type"])
    # AivisSpeech lists the parts of a compound; here it is one phrase, whose accent is that of its last part, as Japanese compounds have it.
    before = sum(len(split_moras(reading)) for reading in readings[:-1])
    accent = int(accents[-1])
    return {
        "surface": "".join(map(str, _list(item["surface"]))),
        "reading": "".join(map(str, readings)),
        "accent": before + accent if accent else 0,
        "kind": _kind(str(item.get("part_of_speech", "名詞")), str(item.get("part_of_speech_detail_1", "固有名詞"))),
        "priority": item.get("priority", USUAL_PRIORITY),
    }


def _entry(item: Mapping[str, Any]) -> Entry:
    given = {name: item[name] for name in COLUMNS if item.get(name) not in (None, "")}
    return make_entry(
        str(given.get("surface", "")),
        str(given.get("reading", "")),
        int(given.get("accent", 0)),
        str(given.get("kind", "proper_noun")),
        int(given.get("priority", USUAL_PRIORITY)),
    )


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


def _kind(part: str, detail: str) -> Kind:
    return next((kind for kind, names in _PARTS.items() if names == (part, detail) or (part != "名詞" and names[0] == part)), "noun")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _unknown(reason: str) -> InputError:
    return InputError(
        say(f"辞書として読めません。（{reason}）", f"This is not a dictionary. ({reason})"),
        say(
            "VOICEVOX、AivisSpeech などの辞書（JSON）か、表記,読み,アクセント の CSV を選んでください。",
            "Choose a dictionary of VOICEVOX or AivisSpeech (JSON), or a CSV with surface,reading,accent.",
        ),
    )
