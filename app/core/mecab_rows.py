"""Words as MeCab's and Open JTalk's dictionaries list them: spelling, two classes, cost, part of speech, … reading, pronunciation, accent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from app.core.dictionary import HIGHEST_PRIORITY, USUAL_PRIORITY

COST_OF_PRIORITY = 2_000
"""Of a word of usual priority the cost is 0, with which it wins against most splits of its letters; words of dictionaries cost 3,000 to 9,000."""

_PARTS = frozenset(
    [
        "名詞",
        "動詞",
        "形容詞",
        "形容動詞",
        "副詞",
        "連体詞",
        "接続詞",
        "感動詞",
        "助詞",
        "助動詞",
        "接頭詞",
        "接頭辞",
        "接尾辞",
        "代名詞",
        "形状詞",
        "記号",
        "補助記号",
        "フィラー",
        "その他",
    ]
)
_UNSET = re.compile("[*]?|[+-]?[0-9]+")  # a class or a cost, or none
_KANA = re.compile("[ぁ-ゖァ-ヺー’':・]*[ぁ-ゖァ-ヺ][ぁ-ゖァ-ヺー’':・]*")
_ACCENT = re.compile("([0-9]+|[*])/([0-9]+|[*])(:([0-9]+|[*])/([0-9]+|[*]))*")
_SILENT = str.maketrans("", "", "’'・")  # a mora whose vowel is not heard, and what separates words
_FARTHEST = 5  # column of the part of speech, from 0; 4 where all are there


def word_of_row(cells: Sequence[str]) -> dict[str, Any] | None:
    """What VOICEVOX would say of the word; None for a row of another form. Raises ValueError where the row has no reading.

    Columns after the part of speech may be missing: reading and accent are known by what they are.
    """
    place = next((place for place, cell in enumerate(cells[1:_FARTHEST], 1) if cell in _PARTS), None)
    if place is None or not all(map(_UNSET.fullmatch, cells[1:place])):
        return None
    features = cells[place:]
    end = next((index for index, cell in enumerate(features) if _ACCENT.fullmatch(cell)), len(features))
    # The pronunciation is the last one; before it stand the dictionary form and the reading.
    kana = next((cell for cell in reversed(features[1:end]) if _KANA.fullmatch(cell)), "") or _of_kana(cells[0])
    accent = features[end] if end < len(features) else "*/*"
    return {
        "surface": cells[0],
        "pronunciation": kana.translate(_SILENT).split(":"),
        "accent_type": [0 if part.startswith("*") else int(part.partition("/")[0][:9]) for part in accent.split(":")],
        "part_of_speech": features[0],
        "part_of_speech_detail_1": features[1] if len(features) > 1 else "*",
        "priority": _priority(cells[place - 1] if place > 1 else ""),
    }


def _of_kana(surface: str) -> str:
    if not _KANA.fullmatch(surface):
        raise ValueError("no reading")
    return surface


def _priority(cost: str) -> int:
    """A cost below that of other words makes it win more often; a high one is what dictionaries have, and the user wants the word."""
    given = int(cost[:9]) if re.fullmatch("-[0-9]+", cost) else 0
    return min(HIGHEST_PRIORITY, USUAL_PRIORITY - round(given / COST_OF_PRIORITY))
