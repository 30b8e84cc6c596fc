"""Everything about a sound as JSON, for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from app.export.timeline import SpokenFile, SpokenLine, TimedMora, TimedText

# Of a second: a hundredth of a sample.
_JSON_SECONDS_DIGITS = 7


def format_json(spoken: SpokenFile) -> str:
    """One object; a file of several lines has `lines` as well, each with who speaks it and how; `silent` is only where it is true. The phones tile the sound."""
    first = spoken.lines[0]
    data: dict[str, Any] = {"text": spoken.text, "reading": "\n".join(line.reading for line in spoken.lines)}
    data |= _describe_speaker(first) | {"sampling_rate": spoken.rate, "samples": spoken.samples}
    for name in ("sentences", "phrases"):
        data[name] = _collect_records(spoken, name, "text")
    data["moras"] = [_build_timed_record(mora, "kana") | {"tone": mora.tone} for line in spoken.lines for mora in line.moras]
    data["phones"] = [_build_timed_record(phone, "phone") for phone in spoken.phones]
    data["credit"] = "\n".join(dict.fromkeys(line.credit for line in spoken.lines if not line.is_silent))
    data |= _build_silence_mark(spoken)
    if len(spoken.lines) > 1:
        data["lines"] = [_build_line_record(line) for line in spoken.lines]
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _describe_speaker(line: SpokenLine) -> dict[str, Any]:
    return {"seed": line.seed, "voice": line.voice, "speaker": line.speaker, "style": line.style, "settings": dict(line.settings)}


def _build_line_record(line: SpokenLine) -> dict[str, Any]:
    whole = TimedText(line.text, line.start_s, line.end_s)
    return (
        {"id": line.id}
        | _build_timed_record(whole, "text")
        | {"reading": line.reading}
        | _describe_speaker(line)
        | _build_silence_mark(line)
    )


def _build_silence_mark(spoken: SpokenFile | SpokenLine) -> dict[str, bool]:
    return {"silent": True} if spoken.is_silent else {}


def _collect_records(spoken: SpokenFile, name: str, key: str) -> list[dict[str, Any]]:
    items: Sequence[TimedText] = [item for line in spoken.lines for item in getattr(line, name)]
    return [_build_timed_record(item, key) for item in items]


def _build_timed_record(item: TimedText | TimedMora, key: str) -> dict[str, Any]:
    return {key: item.text, "start_s": round(item.start_s, _JSON_SECONDS_DIGITS), "end_s": round(item.end_s, _JSON_SECONDS_DIGITS)}
