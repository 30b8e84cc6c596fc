"""Numbers in kanji, as they are said."""

from __future__ import annotations

DIGITS = "零一二三四五六七八九"
_SMALL = ("", "十", "百", "千")
_LARGE = ("", "万", "億", "兆", "京", "垓")


def kanji(number: int) -> str:
    """The number as it is said, in kanji: 1204 → 千二百四."""
    if number == 0:
        return DIGITS[0]
    groups: list[str] = []
    for large in _LARGE:
        number, group = divmod(number, 10_000)
        groups.append(_kanji_below_10000(group, large))
    if number:
        raise ValueError("number beyond 垓")
    return "".join(reversed(groups))


def _kanji_below_10000(group: int, large: str) -> str:
    text = ""
    for place in (3, 2, 1, 0):
        digit = group // 10**place % 10
        if digit:
            silent_one = digit == 1 and place and not (place == 3 and large)  # 千 but 一千万
            text += ("" if silent_one else DIGITS[digit]) + _SMALL[place]
    return text + large if text else ""
