"""Praat's TextGrid, long form: tiers of phones, morae, phrases and sentences, each tiling 0 … xmax."""

from __future__ import annotations

from collections.abc import Sequence

from app.export.timeline import SpokenFile, TimedText

# Of a second; below a sample.
_TEXTGRID_DIGITS = 9


def format_textgrid(spoken: SpokenFile) -> str | None:
    """None for a voice that reports no times."""
    if not spoken.has_phone_times:
        return None
    tiers = {
        "phones": spoken.phones,
        "moras": [mora for line in spoken.lines for mora in line.moras],
        "phrases": [phrase for line in spoken.lines for phrase in line.phrases],
        "sentences": [sentence for line in spoken.lines for sentence in line.sentences],
    }
    head = f'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = {_format_number(spoken.length_s)}\n'
    head += f"tiers? <exists>\nsize = {len(tiers)}\nitem []:\n"
    parts = [_format_tier(place, name, items, spoken.length_s) for place, (name, items) in enumerate(tiers.items(), 1)]
    return head + "".join(parts)


def _format_tier(tier_number: int, name: str, items: Sequence[TimedText], length_s: float) -> str:
    tiles = _fill_gaps(items, length_s)
    lines = [
        f"    item [{tier_number}]:",
        '        class = "IntervalTier"',
        f'        name = "{name}"',
        "        xmin = 0",
        f"        xmax = {_format_number(length_s)}",
        f"        intervals: size = {len(tiles)}",
    ]
    for number, tile in enumerate(tiles, 1):
        words = tile.text.replace('"', '""').replace("\n", " ")
        lines += [f"        intervals [{number}]:", f"            xmin = {_format_number(tile.start_s)}"]
        lines += [f"            xmax = {_format_number(tile.end_s)}", f'            text = "{words}"']
    return "\n".join(lines) + "\n"


def _fill_gaps(items: Sequence[TimedText], length_s: float) -> list[TimedText]:
    """Without what has no length, and with empty intervals where nothing is said."""
    tiles: list[TimedText] = []
    end = 0.0
    for item in items:
        start, item_end = round(max(item.start_s, end), _TEXTGRID_DIGITS), round(min(item.end_s, length_s), _TEXTGRID_DIGITS)
        if item_end <= start:
            continue
        if start > end:
            tiles.append(TimedText("", end, start))
        tiles.append(TimedText(item.text, start, item_end))
        end = item_end
    whole = round(length_s, _TEXTGRID_DIGITS)
    if end < whole:
        tiles.append(TimedText("", end, whole))
    return tiles


def _format_number(value: float) -> str:
    return f"{round(value, _TEXTGRID_DIGITS):.{_TEXTGRID_DIGITS}f}".rstrip("0").rstrip(".") or "0"
