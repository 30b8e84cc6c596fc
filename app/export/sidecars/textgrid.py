"""Praat's TextGrid, long form: tiers of phones, morae, phrases and sentences, each tiling 0 … xmax."""

from __future__ import annotations

from collections.abc import Sequence

from app.export.spoken import SpokenFile, Timed

_DIGITS = 9  # of a second; below a sample


def textgrid_text(spoken: SpokenFile) -> str | None:
    """None for a voice that reports no times."""
    if not spoken.timed:
        return None
    tiers = {
        "phones": spoken.phones,
        "moras": [mora for line in spoken.lines for mora in line.moras],
        "phrases": [phrase for line in spoken.lines for phrase in line.phrases],
        "sentences": [sentence for line in spoken.lines for sentence in line.sentences],
    }
    head = f'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = {_number(spoken.length_s)}\n'
    head += f"tiers? <exists>\nsize = {len(tiers)}\nitem []:\n"
    parts = [_tier(place, name, items, spoken.length_s) for place, (name, items) in enumerate(tiers.items(), 1)]
    return head + "".join(parts)


def _tier(place: int, name: str, items: Sequence[Timed], length_s: float) -> str:
    tiles = _filled(items, length_s)
    lines = [
        f"    item [{place}]:",
        '        class = "IntervalTier"',
        f'        name = "{name}"',
        "        xmin = 0",
        f"        xmax = {_number(length_s)}",
        f"        intervals: size = {len(tiles)}",
    ]
    for number, tile in enumerate(tiles, 1):
        words = tile.text.replace('"', '""').replace("\n", " ")
        lines += [f"        intervals [{number}]:", f"            xmin = {_number(tile.start_s)}"]
        lines += [f"            xmax = {_number(tile.end_s)}", f'            text = "{words}"']
    return "\n".join(lines) + "\n"


def _filled(items: Sequence[Timed], length_s: float) -> list[Timed]:
    """Without what has no length, and with empty intervals where nothing is said."""
    tiles: list[Timed] = []
    end = 0.0
    for item in items:
        start, item_end = round(max(item.start_s, end), _DIGITS), round(min(item.end_s, length_s), _DIGITS)
        if item_end <= start:
            continue
        if start > end:
            tiles.append(Timed("", end, start))
        tiles.append(Timed(item.text, start, item_end))
        end = item_end
    whole = round(length_s, _DIGITS)
    if end < whole:
        tiles.append(Timed("", end, whole))
    return tiles


def _number(value: float) -> str:
    return f"{round(value, _DIGITS):.{_DIGITS}f}".rstrip("0").rstrip(".") or "0"
