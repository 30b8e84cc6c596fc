"""Recognises table columns by the names that people, games and other programs give to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.common.errors import InputError
from app.common.language import localize
from app.core.delivery import name_column
from app.core.request_limits import BOUNDS

LINE_FIELDS = ("text", "character", "voice", "speaker", "style", "id")
SETTING_BY_COLUMN = {name_column(name): name for name in BOUNDS}
"""Settings of a line by the names that the command line has for them."""
OTHER_FIELDS = ("assist", "pause", "seed")
COLUMN_FIELDS = (*LINE_FIELDS, *SETTING_BY_COLUMN, *OTHER_FIELDS)
_COLUMN_ALIASES = {
    "text": ("テキスト", "セリフ", "せりふ", "台詞", "言葉", "本文", "文章", "dialogue", "dialog", "line", "message"),
    "voice": ("声", "音声合成モデル", "ボイス"),
    "character": ("役", "役名", "キャラ", "キャラクター", "キャラ名", "登場人物", "名前", "name"),
    "speaker": ("話者",),
    "style": ("スタイル", "感情", "emotion"),
    "id": ("identifier", "識別子", "番号", "lineid", "line_id"),
    "assist": ("assist_text", "アシストテキスト"),
    "pause": ("pauses",),
    "seed": ("シード",),
}


def format_field_name(field: str) -> str:
    """Return the name of a field for people."""
    labels = {
        "text": ("テキスト", "Text"),
        "voice": ("声", "Voice"),
        "character": ("登場人物", "Character"),
        "speaker": ("話者", "Speaker"),
        "style": ("スタイル", "Style"),
        "id": ("ID", "ID"),
        "assist": ("アシストテキスト", "Assist text"),
        "pause": ("記号ごとの間", "Pauses at marks"),
        "seed": ("シード", "Seed"),
    }
    if field in labels:
        return localize(*labels[field])
    bounds = BOUNDS[SETTING_BY_COLUMN[field]]
    return localize(bounds.ja, bounds.en[0].upper() + bounds.en[1:])


def recognise_columns(header: Sequence[str]) -> dict[str, int]:
    """Return columns by field, as far as their names are known: our own names before others, and the first column of a name."""
    names = [name.strip().casefold() for name in header]
    columns = {field: names.index(field) for field in COLUMN_FIELDS if field in names}
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
    field = _FIELD_BY_COLUMN.get(name.strip().casefold())
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
    return fields_by_name


_FIELD_BY_COLUMN = _build_known_columns()
