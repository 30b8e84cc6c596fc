"""What is compared in a blind test, as its names and rows: the same ways to speak, in one or several lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from app.core.takes import Take
from app.language import localized
from app.ui.labels import style_name
from app.voices.voice_words import voice_name

Rows = list[list[str]]


def compared_rows(takes: Sequence[Take], name_of: Callable[[str], str | None]) -> tuple[list[str], Rows]:
    """Names of the columns, and for each line the sound of each. Lines that lack one of the ways are left out; the first line with most counts."""
    lines: dict[str, list[Take]] = {}
    for take in takes:
        lines.setdefault(take.line, []).append(take)
    if not lines:
        return [], []
    named = {line: _named(group, name_of) for line, group in lines.items()}
    counts = [len(found) for found in named.values()]
    names = list(list(named.values())[counts.index(max(counts))])
    return names, [[found[name].sound for name in names] for found in named.values() if set(names) <= set(found)]


def _named(takes: Sequence[Take], name_of: Callable[[str], str | None]) -> dict[str, Take]:
    plain = [_name(take, name_of) for take in takes]
    counts, seen = Counter(plain), Counter[str]()
    named: dict[str, Take] = {}
    for take, name in zip(takes, plain, strict=True):
        seen[name] += 1
        number = f" {localized('テイク', 'take')} {seen[name]}" if counts[name] > 1 else ""
        named[name + number] = take
    return named


def _name(take: Take, name_of: Callable[[str], str | None]) -> str:
    settings = take.settings
    voice = voice_name(name_of(settings.voice) or settings.voice)
    parts = [part for part in (voice, settings.speaker, style_name(settings.style) if settings.style else "") if part]
    weight = f" ×{settings.style_weight:g}" if settings.style_weight != 1 else ""
    return "・".join(dict.fromkeys(parts)) + weight
