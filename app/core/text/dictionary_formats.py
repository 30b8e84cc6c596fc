"""The user's dictionary as data.

The formats are our own file, the JSON that VOICEVOX, AivisSpeech and the Style-Bert-VITS2 editor exchange, CSV, MeCab's rows, and the
text that Microsoft IME and Google Japanese Input export: lines of reading, word, part of speech and perhaps a comment, with tabs between.
Microsoft IME begins its file with a line of its own and has remarks behind `!`; Google Japanese Input has `#`.
"""

import csv
import io
import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from app.common.errors import InputError
from app.common.files.untrusted_json import MAX_INT64, parse_json, require_int, require_object
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.core.lenient_parsing import ReportLoss, UnreadableSkipper
from app.core.text.dictionary_entries import LONGEST_SURFACE, USUAL_PRIORITY, DictionaryEntry, EntryKind, make_entry, parse_mecab_row
from app.core.text.pronunciation import parse_user_reading, split_moras
from app.core.text.spreadsheet_cells import escape_formula, parse_rows, unescape_formula

DICTIONARY_VERSION = 1
MAX_DICTIONARY_ENTRIES = 200_000  # the largest dictionaries that people exchange hold a fifth of this
MOST_VALUES_OF_ENTRY = 32  # VOICEVOX writes 17 values for each word
SHOWN_ENTRY_CHARACTERS = 30
LONGEST_ENTRY_VALUE = 1000  # counts characters, or parts of a compound; a surface has up to 100 characters and a reading up to 200
DICTIONARY_COLUMNS = ("surface", "reading", "accent", "kind", "priority")
_JAPANESE_HEADERS = {"表記": "surface", "単語": "surface", "読み": "reading", "アクセント": "accent", "品詞": "kind", "優先度": "priority"}
_Item = tuple[str, Any]  # the place of a word in its file, as text for the user, and the data found there
# Part of speech and its first subdivision, as those programs write them.
_PARTS_OF_SPEECH_BY_KIND: dict[EntryKind, tuple[str, str]] = {
    "proper_noun": ("名詞", "固有名詞"), "noun": ("名詞", "一般"), "suffix": ("名詞", "接尾"), "verb": ("動詞", "自立"), "adjective": ("形容詞", "自立"),
}  # fmt: skip
_CONTEXT_IDS: dict[EntryKind, int] = {"proper_noun": 1348, "noun": 1345, "suffix": 1358, "verb": 642, "adjective": 20}
# Kinds as VOICEVOX's library writes them.
_KINDS_BY_WORD_TYPE: dict[str, EntryKind] = {
    "PROPER_NOUN": "proper_noun", "COMMON_NOUN": "noun", "SUFFIX": "suffix", "VERB": "verb", "ADJECTIVE": "adjective",
}  # fmt: skip
_ENTRY_ID_NAMESPACE = uuid.UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8")  # a fixed namespace gives a word the same id in every export

ImeCells = tuple[str, str, str]  # the reading, the word and the part of speech of a line
_REMARK_MARKS = ("!", "#")
_MICROSOFT_HEADER = "!Microsoft IME Dictionary Tool"
_PART_OF_SPEECH = re.compile(
    "(?:[あかがさざただなはばまやらわアカガサザタダナハバマヤラワハ]行[五四]段|.*(?:名詞|動詞|副詞|形容詞|連体詞|接続詞|感動詞|助数詞|数詞|接頭|接尾)"
    "|固有|人名|姓|名$|.*地名|組織|短縮(?:よみ|読み)|顔文字|慣用句|独立語|単漢字|記号|句読点|数$|アルファベット|サジェストのみ|抑制単語|品詞なし|終助詞|名サ|.変)"
)
# These stand for another text, or keep a word away: as readings they would be wrong.
_WITHOUT_READING = re.compile("短縮|顔文字|サジェストのみ|抑制単語|句読点")
# The first that fits decides: a noun that takes する is no verb, and 形容動詞 is none either.
_KIND_PATTERNS: tuple[tuple[re.Pattern[str], EntryKind], ...] = (
    (re.compile("接尾|助数詞"), "suffix"),
    (re.compile("固有|人名|姓|名$|地名|組織"), "proper_noun"),
    (re.compile("名詞|名サ|形動|形容動詞|副詞"), "noun"),
    (re.compile("形容詞"), "adjective"),
    (re.compile("動詞|段"), "verb"),
)


def convert_entries_to_data(entries: Iterable[DictionaryEntry]) -> dict[str, Any]:
    """Return the data of our own file, which `parse_entries` reads."""
    return {"version": DICTIONARY_VERSION, "entries": [{name: getattr(entry, name) for name in DICTIONARY_COLUMNS} for entry in entries]}


def parse_entries(data: object, lose: ReportLoss | None = None) -> tuple[DictionaryEntry, ...]:
    """Return the entries of our own file. Raises ValueError, or InputError, for data that this version could not have written.

    Args:
        lose: called for a word that cannot be read, instead of an error.
    """
    if not isinstance(data, dict) or data.get("version") != DICTIONARY_VERSION or not isinstance(data.get("entries"), list):
        raise ValueError("no dictionary")
    entries = list[DictionaryEntry]()
    for item in data["entries"]:
        with UnreadableSkipper(lose, "dictionary"):
            entries.append(_build_entry(require_object(item)))
    return tuple(entries)


def format_exchange_json(entries: Iterable[DictionaryEntry]) -> str:
    """Return the JSON that VOICEVOX, AivisSpeech and the Style-Bert-VITS2 editor read."""
    return json.dumps(build_exchange_words(entries), ensure_ascii=False, indent=2) + "\n"


def build_exchange_words(entries: Iterable[DictionaryEntry]) -> dict[str, dict[str, Any]]:
    """Return the words of that exchange JSON, by id."""
    return {str(uuid.uuid5(_ENTRY_ID_NAMESPACE, entry.surface)): _build_exchange_word(entry) for entry in entries}


def format_entries_csv(entries: Iterable[DictionaryEntry]) -> str:
    """Return a CSV table with a header row."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(DICTIONARY_COLUMNS)
    writer.writerows([escape_formula(getattr(entry, name)) for name in DICTIONARY_COLUMNS] for entry in entries)
    return table.getvalue()


def is_ime_text(text: str) -> bool:
    """Return whether a text is the export of an input method: by Microsoft's first line, else by the parts of speech of its first word."""
    if text.startswith(_MICROSOFT_HEADER):
        return True
    first = next(_iterate_word_lines(text), None)
    if first is None or first[1].count("\t") < 2:
        return False
    return bool(_PART_OF_SPEECH.match(first[1].split("\t")[2].strip()))


def parse_ime_lines(text: str) -> Iterator[tuple[int, ImeCells | None]]:
    """Yield the number of each line, from 1, and its cells; None for a line without reading and word. Remarks and empty lines are left out."""
    for number, line in _iterate_word_lines(text):
        cells = [cell.strip() for cell in line.split("\t")]
        yield number, (cells[0], cells[1], cells[2] if len(cells) > 2 else "") if len(cells) > 1 else None


def find_ime_kind(part_of_speech: str) -> EntryKind:
    """Return the kind of word for a part of speech. Raises InputError for one whose words have no reading of their own."""
    if _WITHOUT_READING.search(part_of_speech):
        raise InputError(
            localize(f"品詞「{part_of_speech}」の単語には読みがありません。", f"Words of the kind “{part_of_speech}” have no reading."),
            localize("短縮よみや顔文字は、読み上げには使えません。", "Shorthand and emoticons cannot be used for reading aloud."),
        )
    return next((kind for pattern, kind in _KIND_PATTERNS if pattern.search(part_of_speech)), "noun")


def _iterate_word_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(re.split("\r\n?|\n", text), 1):
        if line.strip() and not line.startswith(_REMARK_MARKS):
            yield number, line


def parse_dictionary_text(text: str) -> tuple[list[DictionaryEntry], list[InputError]]:
    """Return the entries of a file of any of these formats, and one error for each unusable word. Raises InputError for a text of another kind."""
    if is_ime_text(text):
        return _read_items(_parse_ime_text(text))
    if not text.lstrip().startswith(("{", "[")):
        return _read_items(_parse_table(text))
    try:
        data = parse_json(text, most_values=MAX_DICTIONARY_ENTRIES * MOST_VALUES_OF_ENTRY, is_lenient=True)
    except ValueError as exc:
        raise _create_unknown_error(describe_reason(exc)) from exc
    return parse_dictionary_json(data)


def parse_dictionary_json(data: Any) -> tuple[list[DictionaryEntry], list[InputError]]:
    """Return entries and errors as `parse_dictionary_text` does, from parsed JSON."""
    if isinstance(data, dict):
        data = data.get("entries", list(data.values()))
    if not isinstance(data, list):
        raise _create_unknown_error("entries")
    return _read_items([(localize(f"{number} 番目の単語", f"Word {number}"), item) for number, item in enumerate(data, 1)])


def create_too_many_error() -> InputError:
    """Return the error for more words than a dictionary holds."""
    return InputError(
        localize("単語が多すぎます。", "There are too many words."),
        localize(
            f"ユーザー辞書に登録できるのは {MAX_DICTIONARY_ENTRIES:,} 語までです。",
            f"The user dictionary can hold up to {MAX_DICTIONARY_ENTRIES:,} words.",
        ),
    )


def _read_items(items: list[_Item]) -> tuple[list[DictionaryEntry], list[InputError]]:
    if len(items) > MAX_DICTIONARY_ENTRIES:
        raise create_too_many_error()
    entries, wrong = list[DictionaryEntry](), list[InputError]()
    for location, item in items:
        try:
            entries.append(_build_entry(_convert_item(require_object(item))))
        except InputError as error:
            wrong.append(_locate_error(location, item, error))
        except (ValueError, LookupError):
            no_word_error = InputError(
                localize("単語として読み込めません。", "This is not a word with its reading."),
                localize("表記と読み（かな）が必要です。", "A word needs its spelling and its reading in kana."),
            )
            wrong.append(_locate_error(location, item, no_word_error))
    return entries, wrong


def _parse_table(text: str) -> list[_Item]:
    """Parse the rows of a table, of MeCab's format, or of both mixed.

    The first row may name the columns; the reading and the columns after it may be missing.
    """
    filled = (row for row in parse_rows(text, multiline=False) if row[1] is None or any(row[1]))
    # Two more than the limit: one for a header row, and one to notice that there are too many.
    rows = list(islice(filled, MAX_DICTIONARY_ENTRIES + 2))
    head = [_JAPANESE_HEADERS.get(name.strip(), name.strip()) for name in (rows[0][1] or ())] if rows else []
    names, content_rows = (head, rows[1:]) if "surface" in head else (DICTIONARY_COLUMNS, rows)
    return [(localize(f"{number} 行目", f"Line {number}"), _parse_row(cells, names)) for number, cells in content_rows]


def _parse_ime_text(text: str) -> list[_Item]:
    """Parse the export of an input method. It has no accents: its words are flat."""
    # One more than the limit notices that there are too many.
    lines = islice(parse_ime_lines(text), MAX_DICTIONARY_ENTRIES + 1)
    names = ("reading", "surface", "part")
    return [
        (localize(f"{number} 行目", f"Line {number}"), None if cells is None else dict(zip(names, cells, strict=True)))
        for number, cells in lines
    ]


def _parse_row(cells: Sequence[str] | None, names: Sequence[str]) -> Any:
    """Return the cells under the column names of a known format; a malformed row keeps only its surface, None stays None."""
    if cells is None:
        return None
    cells = [unescape_formula(cell.strip()) for cell in cells]
    try:
        return parse_mecab_row(cells) or dict(zip(names, cells, strict=False))
    except ValueError:
        return {"surface": cells[0]}


def _convert_item(item: dict[str, Any]) -> dict[str, Any]:
    """Convert an entry of any of the formats to our names. Raises ValueError or LookupError where the item is no entry."""
    if "part" in item:
        return {"surface": item["surface"], "reading": item["reading"], "kind": find_ime_kind(_require_text(item["part"]))}
    if "pronunciation" not in item:
        return item
    part_of_speech, detail = item.get("part_of_speech", "名詞"), item.get("part_of_speech_detail_1", "固有名詞")
    kinds = (
        key
        for key, names in _PARTS_OF_SPEECH_BY_KIND.items()
        if names == (part_of_speech, detail) or (part_of_speech != "名詞" and names[0] == part_of_speech)
    )
    kind = next(kinds, "noun")
    accents = [_parse_number(accent) for accent in _list_parts(item["accent_type"])]
    surface, reading, accent = join_compound(_require_texts(item["surface"]), _require_texts(item["pronunciation"]), accents)
    return {
        "surface": surface,
        "reading": reading,
        "accent": accent,
        "kind": _KINDS_BY_WORD_TYPE.get(str(item.get("word_type")), kind),
        "priority": item.get("priority", USUAL_PRIORITY),
    }


def join_compound(surfaces: Sequence[str], readings: Sequence[str], accents: Sequence[int]) -> tuple[str, str, int]:
    """Return surface, reading and accent of a word in parts, as AivisSpeech lists them.

    Here a word is one phrase with the accent of its last part, as in Japanese compounds. Raises InputError where parts are
    missing or impossible.
    """
    surface = "".join(surfaces)
    kana = [parse_user_reading(surface, reading) for reading in readings]
    moras = [len(split_moras(part_kana)) for part_kana in kana]
    complete = len(moras) == len(accents) and len(surfaces) in (1, len(moras))
    # For a word in one part `make_entry` says what is wrong.
    if len(moras) > 1 and complete:
        complete = all(0 <= accent <= mora_count for accent, mora_count in zip(accents, moras, strict=True))
    if not complete:
        raise InputError(
            localize(
                f"「{surface[:LONGEST_SURFACE]}」の表記、読み、アクセント位置が対応していません。",
                f"The surfaces, readings and accents of “{surface[:LONGEST_SURFACE]}” do not match.",
            ),
            localize("部分ごとに、表記、読み、アクセント位置を指定してください。", "Give each part a surface, a reading and an accent."),
        )
    return surface, "".join(kana), sum(moras[:-1]) + accents[-1] if accents[-1] else 0


def _build_entry(item: Mapping[str, Any]) -> DictionaryEntry:
    """Build an entry. Raises ValueError for values of another type, InputError for values that no word has."""
    values = {name: item[name] for name in DICTIONARY_COLUMNS if item.get(name) not in (None, "")}
    return make_entry(
        _require_text(values.get("surface", "")),
        _require_text(values.get("reading", "")),
        _parse_number(values.get("accent", 0)),
        _require_text(values.get("kind", "proper_noun")),
        _parse_number(values.get("priority", USUAL_PRIORITY)),
    )


def _require_text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_ENTRY_VALUE:
        raise ValueError("no text")
    return value


def _require_texts(value: Any) -> list[str]:
    """Return one text as a list, or the parts of a compound."""
    texts = _list_parts(value)
    if len(texts) > LONGEST_ENTRY_VALUE:
        raise ValueError("too many parts")
    return [_require_text(text) for text in texts]


def _parse_number(value: Any) -> int:
    """Return a whole number from an int, from a float that a program wrote, or from the digits of a table's cell."""
    if (isinstance(value, str) and re.fullmatch("[0-9]{1,9}", value)) or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    return require_int(value, 0, MAX_INT64)


def _build_exchange_word(entry: DictionaryEntry) -> dict[str, Any]:
    part_of_speech, detail = _PARTS_OF_SPEECH_BY_KIND[entry.kind]
    return {
        "surface": entry.surface,
        "priority": entry.priority,
        "context_id": _CONTEXT_IDS[entry.kind],
        "part_of_speech": part_of_speech,
        "part_of_speech_detail_1": detail,
        "part_of_speech_detail_2": "一般" if entry.kind in ("proper_noun", "suffix") else "*",
        **dict.fromkeys(("part_of_speech_detail_3", "inflectional_type", "inflectional_form", "stem"), "*"),
        "yomi": entry.reading,
        "pronunciation": entry.reading,
        "accent_type": entry.accent,
        "mora_count": len(split_moras(entry.reading)),
        "accent_associative_rule": "*",
    }


def _list_parts(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _locate_error(location: str, item: Any, error: InputError) -> InputError:
    surface = item.get("surface") if isinstance(item, dict) else None
    word = surface[:SHOWN_ENTRY_CHARACTERS] if isinstance(surface, str) else ""
    if word and word not in error.message:
        location = localize(f"{location}「{word}」", f"{location} (“{word}”)")
    return InputError(f"{location}: {error.message}", error.hint)


def _create_unknown_error(reason: str) -> InputError:
    return InputError(
        localize(f"辞書として読み込めません。（{reason}）", f"This is not a dictionary. ({reason})"),
        localize(
            "VOICEVOX や AivisSpeech などの辞書（JSON）、「表記,読み,アクセント」の CSV、MeCab のユーザー辞書（CSV）、または MS-IME や Google 日本語入力の辞書（テキスト）を選んでください。",
            "Choose a dictionary from VOICEVOX or AivisSpeech (JSON), a CSV with surface,reading,accent, one of MeCab (CSV), or the text of an input method.",
        ),
    )
