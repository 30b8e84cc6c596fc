"""Tables of lines: CSV and TSV with a header, Ren'Py's dialogue.tab, Yarn's strings; their columns, known by the names that people and programs give them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from app.common.errors import InputError
from app.common.files.untrusted_json import sanitise_long_text, sanitise_short_text
from app.common.language import localize
from app.core.delivery import ENGLISH, KATAKANA, LATIN_READINGS, Bounds, name_column
from app.core.script.characters import CastBuilder
from app.core.script.project import MAX_SCRIPT_LINES, Project
from app.core.script.script import LineSettings, Script
from app.core.symbols import PUNCTUATION_PHONES
from app.core.synthesis_types import BOUNDS, LINE_PAUSE_BOUNDS, PAUSE_BOUNDS, PAUSE_MARKS, SEED_BOUNDS
from app.core.text.spreadsheet_cells import SpreadsheetRow, parse_rows, unescape_formula
from app.core.text.text_lines import MAX_NAME_CHARACTERS, decode_text
from app.interchange.imported_script import ImportedScript, ImportedScriptBuilder, LossReport, check_line_count

MAX_TABLE_COLUMNS = 200
COMPARED_ROWS = 100  # rows that say where the texts are

MAX_NUMBER_CHARS = 40  # characters
_AddLoss = Callable[[str], None]  # called with the field of a cell that cannot be used

LINE_FIELDS = ("text", "character", "voice", "speaker", "style", "id")
SETTING_BY_COLUMN = {name_column(name): name for name in BOUNDS}  # settings of a line by the names that the command line has for them
OTHER_FIELDS = ("latin", "assist", "pause", "seed", "pause_after")
COLUMN_FIELDS = (*LINE_FIELDS, *SETTING_BY_COLUMN, *OTHER_FIELDS)
_COLUMN_ALIASES = {
    "text": (
        "テキスト", "セリフ", "せりふ", "台詞", "台詞内容", "内容", "発言", "字幕", "原稿", "言葉", "本文", "文章", "日本語", "dialogue", "dialog", "line", "message",
    ),
    "voice": ("声", "音声合成モデル", "ボイス"),
    "character": ("役", "キャラ", "キャラクター", "登場人物", "発言者", "話し手", "名前", "name"),
    "speaker": ("話者", "スピーカー"),
    "style": ("スタイル", "感情", "emotion"),
    "id": ("identifier", "識別子", "番号", "lineid", "line_id"),
    "latin": ("英字の読み方", "latinletters"),
    "assist": ("assist_text", "アシストテキスト"),
    "pause": ("pauses",),
    "seed": ("シード",),
    "pause_after": ("pause_after_s", "次の行までの間"),
}  # fmt: skip
_LATIN_READINGS = {reading: reading for reading in LATIN_READINGS} | {"カタカナ": KATAKANA, "英語": ENGLISH}
_BETWEEN_WORDS = re.compile(r"[\s_-]+")


def format_field_name(field: str) -> str:
    labels = {
        "text": ("テキスト", "Text"),
        "voice": ("声", "Voice"),
        "character": ("登場人物", "Character"),
        "speaker": ("話者", "Speaker"),
        "style": ("スタイル", "Style"),
        "id": ("ID", "ID"),
        "latin": ("英字の読み方", "Latin letters"),
        "assist": ("アシストテキスト", "Assist text"),
        "pause": ("記号ごとの間", "Pauses at marks"),
        "seed": ("シード", "Seed"),
        "pause_after": ("次の行までの間", "Pause before the next line"),
    }
    if field in labels:
        return localize(*labels[field])
    bounds = BOUNDS[SETTING_BY_COLUMN[field]]
    return localize(bounds.ja, bounds.en[0].upper() + bounds.en[1:])


def _fold_heading(name: str) -> str:
    """Return a heading in the form in which headings are compared: ｾﾘﾌ is セリフ, キャラクター名 キャラクター, Line_ID lineid."""
    folded = _BETWEEN_WORDS.sub("", unicodedata.normalize("NFKC", name).casefold())
    return folded.removesuffix("名") or folded


def recognise_columns(header: Sequence[str]) -> dict[str, int]:
    """Return columns by field, as far as their names are known: our own names before others, and the first column of a name."""
    names = [_fold_heading(name) for name in header]
    columns = {field: names.index(key) for field in COLUMN_FIELDS if (key := _fold_heading(field)) in names}
    for index, name in enumerate(names):
        if (field := _FIELD_BY_COLUMN.get(name)) is not None:
            columns.setdefault(field, index)
    return columns


def resolve_columns(header: Sequence[str], columns: Mapping[str, str]) -> dict[str, int]:
    """Return columns by field: those that the user names, or else the recognised ones; raise InputError for names that do not exist."""
    columns_by_field = recognise_columns(header)
    names = [name.strip().casefold() for name in header]
    chosen_columns = {_find_field(field): column for field, column in columns.items()}
    columns_by_field = {field: index for field, index in columns_by_field.items() if header[index] not in chosen_columns.values()}
    for field, column in chosen_columns.items():
        if column.strip().casefold() not in names:
            raise InputError(
                localize(f"表に「{column[:80]}」という列はありません。", f"The table has no column “{column[:80]}”."),
                localize("使用できる列: ", "Available: ") + ", ".join(name[:40] for name in header[:20]),
            )
        columns_by_field[field] = names.index(column.strip().casefold())
    return columns_by_field


def _find_field(name: str) -> str:
    field = _FIELD_BY_COLUMN.get(_fold_heading(name))
    if field is None:
        raise InputError(
            localize(f"列の種類「{name[:80]}」はありません。", f"“{name[:80]}” is not a known column type."),
            localize("使用できるもの: ", "Available: ") + ", ".join(COLUMN_FIELDS),
        )
    return field


def _build_known_columns() -> dict[str, str]:
    fields_by_name = {field: field for field in COLUMN_FIELDS}
    fields_by_name |= {name: field for field, names in _COLUMN_ALIASES.items() for name in names}
    for field, setting in SETTING_BY_COLUMN.items():
        fields_by_name |= dict.fromkeys((setting, BOUNDS[setting].ja, BOUNDS[setting].en), field)
    return {_fold_heading(name): field for name, field in fields_by_name.items()}


_FIELD_BY_COLUMN = _build_known_columns()


@dataclass(frozen=True, slots=True)
class ScriptTable:
    """Cells as text."""

    name: str
    header: tuple[str, ...]  # names of the columns; empty where the first row is one like the others
    rows: tuple[tuple[str, ...], ...]  # those with anything in them, without the header
    row_numbers: tuple[int, ...] = ()  # of header and rows in the file, from 1
    broken_rows: tuple[int, ...] = ()  # numbers of rows that are none

    @property
    def width(self) -> int:
        """Return the number of columns of the widest row."""
        return max((len(row) for row in (self.header, *self.rows)), default=0)

    def use_header(self) -> ScriptTable:
        """Return the table with its first row as the names of the columns."""
        return self if self.header or not self.rows else replace(self, header=self.rows[0], rows=self.rows[1:])

    def drop_header(self) -> ScriptTable:
        """Return the table with its first row as a row like the others."""
        return replace(self, header=(), rows=(self.header, *self.rows)) if self.header else self


def convert_to_lines(table: ScriptTable, columns: Mapping[str, int]) -> ImportedScript:
    """Convert rows to lines; without a column of texts, the first filled cell is the text. Raise InputError if there is no line."""
    builder = ImportedScriptBuilder(table.name)
    for number in table.broken_rows:
        builder.losses.add_line(number, "CSV として正しくない行", "rows that are not valid CSV")
    for number, row, cells in _iterate_cells(table, columns):
        if "text" not in columns:
            cells = {"text": next(cell for cell in row if cell)}
        text = " ".join(sanitise_long_text(cells.get("text", "")).split("\n"))
        if text:
            settings, character = _parse_settings(cells, builder, number), sanitise_short_text(cells.get("character", ""))
            # The first line of a character decides who speaks them; what others do differently is their own deviation.
            cast = builder.add_character(character, settings) if character else ""
            pause_s = _parse_number(cells, "pause_after", LINE_PAUSE_BOUNDS, partial(_add_loss, builder.losses, number))
            builder.add_line(text, settings, cells.get("id", ""), character=cast, pause_after_s=pause_s)
    unused_columns = [column for index, column in enumerate(table.header) if index not in columns.values() and column]
    if unused_columns:
        column_names = ", ".join(sanitise_short_text(column)[:40] for column in unused_columns[:10])
        builder.losses.add_sentence(localize(f"次の列は読み込みませんでした: {column_names}", f"Columns not imported: {column_names}"))
    return builder.build_script()


def read_table_cast(table: ScriptTable, columns: Mapping[str, int]) -> Project:
    """Return a project with a character for each row that has a name, and no lines. Without a voice, a character has the first one."""
    builder, cast = ImportedScriptBuilder(table.name), CastBuilder()
    for number, _, cells in _iterate_cells(table, columns):
        if name := sanitise_short_text(cells.pop("character", "")):
            cast.add_character(name, _parse_settings(cells, builder, number))
    return Project(Script(cast=cast.cast), assignments=builder.assignments)


def _iterate_cells(table: ScriptTable, columns: Mapping[str, int]) -> Iterator[tuple[int, tuple[str, ...], dict[str, str]]]:
    """Yield the number of each row in the file, its cells, and those that are filled by field."""
    for number, row in zip(table.row_numbers[1 if table.header else 0 :], table.rows, strict=True):
        yield number, row, {field: row[column] for field, column in columns.items() if column < len(row) and row[column]}


def _parse_settings(cells: Mapping[str, str], builder: ImportedScriptBuilder, row: int) -> LineSettings:
    voice, lose = cells.get("voice", ""), partial(_add_loss, builder.losses, row)
    speaker = sanitise_short_text(cells.get("speaker", "") or ("" if voice else cells.get("character", "")))
    settings = LineSettings(style=sanitise_short_text(cells.get("style", "")), assist_text=sanitise_long_text(cells.get("assist", "")))
    if voice:
        settings = replace(settings, voice=builder.name_voice(voice), speaker=speaker)
    elif speaker:
        # Whether a column of speakers names those of voices or characters is seen where the voices are known.
        settings = replace(settings, voice=builder.name_voice(speaker, is_speaker=True, is_character="character" in cells))
    numbers: dict[str, Any] = {
        setting: value
        for field, setting in SETTING_BY_COLUMN.items()
        if (value := _parse_number(cells, field, BOUNDS[setting], lose)) is not None
    }
    if latin := cells.get("latin", "").casefold():
        settings = replace(settings, latin=_LATIN_READINGS.get(latin, KATAKANA))
        if latin not in _LATIN_READINGS:
            lose("latin")
    if (seed := _parse_number(cells, "seed", SEED_BOUNDS, lose)) is not None:
        settings = replace(settings, seed=int(seed))
    return replace(settings, **numbers, pauses=_parse_pauses(cells.get("pause", ""), lose))


def _add_loss(losses: LossReport, row: int, field: str) -> None:
    losses.add_line(row, f"使用できない値（{format_field_name(field)}）", f"values that cannot be used ({format_field_name(field)})")


def _parse_number(cells: Mapping[str, str], field: str, bounds: Bounds, add_loss: _AddLoss) -> float | None:
    cell = cells.get(field, "")
    if not cell:
        return None
    value = _parse_finite(cell)
    if value is None or not bounds.low <= value <= bounds.high or (field == "seed" and value != int(value)):
        add_loss(field)
        return None
    return value


def _parse_finite(text: str) -> float | None:
    try:
        value = float(text[:MAX_NUMBER_CHARS].replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _parse_pauses(cell: str, add_loss: _AddLoss) -> tuple[tuple[str, float], ...]:
    """Parse `、=0.2 。=0.5`, with marks as they are written or as they are spoken."""
    pauses: dict[str, float] = {}
    for item in cell[:1_000].split():
        mark, _, seconds = item.rpartition("=")
        phone, value = PUNCTUATION_PHONES.get(mark, mark), _parse_finite(seconds)
        if phone in PAUSE_MARKS and value is not None and PAUSE_BOUNDS.low <= value <= PAUSE_BOUNDS.high:
            pauses[phone] = value
        else:
            add_loss("pause")
    return tuple(sorted(pauses.items()))


def parse_table(name: str, suffix: str, data: bytes, columns: Mapping[str, str]) -> ScriptTable:
    """Parse a table; raise InputError for data that are no text, and for too many rows."""
    text = decode_text(name, data)
    rows = list(islice(_iterate_rows(text, suffix), MAX_SCRIPT_LINES + 2))
    check_line_count(name, len(rows))
    filled = [(number, cells) for number, cells in rows if cells is not None]
    broken = tuple(number for number, cells in rows if cells is None)
    table = ScriptTable(name, (), tuple(cells for _, cells in filled), tuple(number for number, _ in filled), broken)
    columns_by_name = recognise_columns(table.rows[0]) if table.rows else {}
    return table.use_header() if columns or columns_by_name else table


def guess_columns(table: ScriptTable) -> dict[str, int]:
    """Return columns by field, guessed by their names, or else with names of speakers before texts, or the first text of each row."""
    if table.header:
        return recognise_columns(table.header)
    if table.rows and all(len(row) == 2 and len(row[0]) <= MAX_NAME_CHARACTERS for row in table.rows):
        return {"speaker": 0, "text": 1}
    return {}


def propose_columns(table: ScriptTable) -> dict[str, int]:
    """Propose the recognised columns, and as the text the column with the most text of the rest."""
    columns = guess_columns(table)
    free_columns = [column for column in range(table.width) if column not in columns.values()]
    if "text" in columns or not free_columns:
        return columns
    return columns | {
        "text": max(free_columns, key=lambda column: sum(len(row[column]) for row in table.rows[:COMPARED_ROWS] if column < len(row)))
    }


def has_certain_columns(table: ScriptTable) -> bool:
    """Return whether the columns are certain, so that the user need not be asked."""
    return "text" in guess_columns(table) or table.width <= 1


def read_table(name: str, suffix: str, data: bytes, columns: Mapping[str, str]) -> ImportedScript:
    """Return the lines of a table; raise InputError if there are none."""
    table = parse_table(name, suffix, data, columns)
    guessed = propose_columns(table) if table.header else guess_columns(table)
    return convert_to_lines(table, resolve_columns(table.header, columns) if columns else guessed)


def _iterate_rows(text: str, suffix: str) -> Iterable[SpreadsheetRow]:
    """Yield the rows. In a .tab no cell is quoted; in a .tsv few are."""
    if suffix == ".tab":
        return _filter_filled_rows(_iterate_unquoted_rows(text))
    rows: Iterable[SpreadsheetRow] = parse_rows(text, "" if suffix == ".csv" else "\t")
    if suffix == ".tsv":
        rows = list(islice(rows, MAX_SCRIPT_LINES + 2))
        rows = _iterate_unquoted_rows(text) if any(cells is None for _, cells in rows) else rows
    return ((number, cells and tuple(map(unescape_formula, cells))) for number, cells in _filter_filled_rows(rows))


def _iterate_unquoted_rows(text: str) -> Iterator[SpreadsheetRow]:
    return ((number, tuple(line.split("\t"))) for number, line in enumerate(text.splitlines(), 1))


def _filter_filled_rows(rows: Iterable[SpreadsheetRow]) -> Iterator[SpreadsheetRow]:
    for number, cells in rows:
        stripped = cells and tuple(cell.strip() for cell in cells[:MAX_TABLE_COLUMNS])
        if stripped is None or any(stripped):
            yield number, stripped
