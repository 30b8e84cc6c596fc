"""Numbers in kanji, as they are said."""

from __future__ import annotations

KANJI_DIGITS = "零一二三四五六七八九"
_SMALL_KANJI_UNITS = ("", "十", "百", "千")
_LARGE_KANJI_UNITS = ("", "万", "億", "兆", "京", "垓")


def convert_to_kanji(number: int) -> str:
    """Return the number in kanji, as it is spoken: 1204 → 千二百四."""
    if number == 0:
        return KANJI_DIGITS[0]
    groups: list[str] = []
    for large in _LARGE_KANJI_UNITS:
        number, group = divmod(number, 10_000)
        groups.append(_convert_group(group, large))
    if number:
        raise ValueError("number beyond 垓")
    return "".join(reversed(groups))


def _convert_group(group: int, large: str) -> str:
    text = ""
    for place in (3, 2, 1, 0):
        digit = group // 10**place % 10
        if digit:
            silent_one = digit == 1 and place and not (place == 3 and large)  # 千 but 一千万
            text += ("" if silent_one else KANJI_DIGITS[digit]) + _SMALL_KANJI_UNITS[place]
    return text + large if text else ""
