"""Describes each file as plain data, for the rows of `koebako export --json` and for messages between processes."""

from __future__ import annotations

from typing import Any

from app.export.export_renderer import WrittenFile


def build_file_row(result: WrittenFile) -> dict[str, Any]:
    """A row of the command-line contract; a file of several lines also says which."""
    spoken = result.spoken
    first = spoken.lines[0]
    row: dict[str, Any] = {
        "type": "file",
        "id": first.id,
        "file": str(result.file),
        "text": spoken.text,
        "voice": first.voice,
        "speaker": first.speaker,
        "style": first.style,
        "seed": first.seed,
        "audio_s": spoken.length_s,
        "samples": spoken.samples,
        "rate": spoken.rate,
        "sidecars": [str(path) for path in result.sidecars],
    }
    if spoken.is_silent:
        row["silent"] = True
    if len(spoken.lines) > 1:
        row["lines"] = [
            {"id": line.id, "text": line.text, "voice": line.voice, "speaker": line.speaker, "style": line.style, "seed": line.seed}
            | {"start_s": line.start_s, "end_s": line.end_s}
            | ({"silent": True} if line.is_silent else {})
            for line in spoken.lines
        ]
    return row
