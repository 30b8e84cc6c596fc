"""Everything about a sound as JSON, for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from app.export.spoken import SpokenFile, SpokenLine, Timed, TimedMora

_DIGITS = 7  # of a second: a hundredth of a sample


def json_text(spoken: SpokenFile) -> str:
    """One object; a file of several lines has `lines` as well, each with who speaks it and how; `silent` is only where it is true. The phones tile the sound."""
    first = spoken.lines[0]
    data: dict[str, Any] = {"text": spoken.text, "reading": "\n".join(line.reading for line in spoken.lines)}
    data |= _who(first) | {"sampling_rate": spoken.rate, "samples": spoken.samples}
    for name in ("sentences", "phrases"):
        data[name] = _all(spoken, name, "text")
    data["moras"] = [_timed(mora, "kana") | {"tone": mora.tone} for line in spoken.lines for mora in line.moras]
    data["phones"] = [_timed(phone, "phone") for phone in spoken.phones]
    data["credit"] = "\n".join(dict.fromkeys(line.credit for line in spoken.lines if not line.silent))
    data |= _silent(spoken)
    if len(spoken.lines) > 1:
        data["lines"] = [_line(line) for line in spoken.lines]
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _who(line: SpokenLine) -> dict[str, Any]:
    return {"seed": line.seed, "voice": line.voice, "speaker": line.speaker, "style": line.style, "settings": dict(line.settings)}


def _line(line: SpokenLine) -> dict[str, Any]:
    whole = Timed(line.text, line.start_s, line.end_s)
    return {"id": line.id} | _timed(whole, "text") | {"reading": line.reading} | _who(line) | _silent(line)


def _silent(spoken: SpokenFile | SpokenLine) -> dict[str, bool]:
    return {"silent": True} if spoken.silent else {}


def _all(spoken: SpokenFile, name: str, key: str) -> list[dict[str, Any]]:
    items: Sequence[Timed] = [item for line in spoken.lines for item in getattr(line, name)]
    return [_timed(item, key) for item in items]


def _timed(item: Timed | TimedMora, key: str) -> dict[str, Any]:
    return {key: item.text, "start_s": round(item.start_s, _DIGITS), "end_s": round(item.end_s, _DIGITS)}
