"""Words as MeCab's and Open JTalk's dictionaries list them.

The columns are spelling, two classes, cost, part of speech, … reading, pronunciation, accent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from app.core.text.dictionary_entries import HIGHEST_PRIORITY, USUAL_PRIORITY

COST_OF_PRIORITY = 2_000
"""Cost that one step of priority stands for. A word of usual priority has cost 0, which wins against most splits of its letters;
dictionaries give their words 3,000 to 9,000."""

_MECAB_PARTS_OF_SPEECH = frozenset((
    "名詞", "動詞", "形容詞", "形容動詞", "副詞", "連体詞", "接続詞", "感動詞", "助詞", "助動詞", "接頭詞", "接頭辞", "接尾辞", "代名詞", "形状詞", "記号",
    "補助記号", "フィラー", "その他",
))  # fmt: skip
# Matches a class or a cost, also an empty one.
_UNSET = re.compile("[*]?|[+-]?[0-9]+")
_KANA_READING = re.compile("[ぁ-ゖァ-ヺー’':・]*[ぁ-ゖァ-ヺ][ぁ-ゖァ-ヺー’':・]*")
_ACCENT_FIELD = re.compile("([0-9]+|[*])/([0-9]+|[*])(:([0-9]+|[*])/([0-9]+|[*]))*")
# Apostrophes mark morae whose vowel is devoiced, middle dots separate words.
_SILENT_MARKS = str.maketrans("", "", "’'・")
# The part of speech is in column 4 (from 0) of a complete row.
_MAX_PART_OF_SPEECH_COLUMN = 5


def parse_mecab_row(cells: Sequence[str]) -> dict[str, Any] | None:
    """Return the word as VOICEVOX would write it; None for a row of another form. Raises ValueError where the row has no reading.

    Columns after the part of speech may be missing: reading and accent are known by what they are.
    """
    column = next((column for column, cell in enumerate(cells[1:_MAX_PART_OF_SPEECH_COLUMN], 1) if cell in _MECAB_PARTS_OF_SPEECH), None)
    if column is None or not all(map(_UNSET.fullmatch, cells[1:column])):
        return None
    features = cells[column:]
    end = next((index for index, cell in enumerate(features) if _ACCENT_FIELD.fullmatch(cell)), len(features))
    # The pronunciation is the last one; the dictionary form and the reading come before it.
    kana = next((cell for cell in (*reversed(features[1:end]), cells[0]) if _KANA_READING.fullmatch(cell)), None)
    if kana is None:
        raise ValueError("no reading")
    # Only negative costs change the priority: a cost below other words' makes a word win more often; high costs are a dictionary's own and would
    # bury a word that the user wants.
    cost = cells[column - 1] if column > 1 else ""
    gain = round(int(cost[:9]) / COST_OF_PRIORITY) if re.fullmatch("-[0-9]+", cost) else 0
    accent = features[end] if end < len(features) else "*/*"
    return {
        "surface": cells[0],
        "pronunciation": kana.translate(_SILENT_MARKS).split(":"),
        "accent_type": [0 if phrase.startswith("*") else int(phrase.partition("/")[0][:9]) for phrase in accent.split(":")],
        "part_of_speech": features[0],
        "part_of_speech_detail_1": features[1] if len(features) > 1 else "*",
        "priority": min(HIGHEST_PRIORITY, USUAL_PRIORITY - gain),
    }
