"""The file of `koebako speak --melody`: by how many semitones the pitch of each mora is moved.

It is JSON: a list of numbers, one a mora in order, or a list of objects such as `{"mora": 3, "semitones": 2}`, counted from 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.cli.bounded_input import read_named_input
from app.common.errors import InputError
from app.common.files.untrusted_json import parse_json, require_int, require_number
from app.common.language import localize
from app.core.accent_edits import set_mora_pitches
from app.core.line_reading import read_line
from app.core.pipeline import Pipeline
from app.core.request_limits import INDEX_BOUNDS, MORA_PITCH_BOUNDS, check_value
from app.core.synthesis_types import Overrides, SynthesisRequest


def read_melody(path: Path) -> Overrides:
    """Return the edits that a file describes; raise InputError if it cannot be read, is none, or moves a pitch too far."""
    try:
        values = parse_json(read_named_input(path))
        if not isinstance(values, list):
            raise ValueError("no list")
        pitches = _parse_objects(values) if any(isinstance(item, dict) for item in values) else _parse_numbers(values)
    except (ValueError, KeyError) as exc:
        raise InputError(
            localize(f"「{path}」はイントネーションのファイルとして読み込めません。", f"“{path}” is no melody."),
            localize(
                "モーラごとの半音を順に並べた JSON にしてください。例: [0, 2, -1.5]",
                "Write JSON: semitones for each mora in order, as in [0, 2, -1.5].",
            ),
        ) from exc
    for semitones in pitches.values():
        check_value(MORA_PITCH_BOUNDS, semitones)
    return set_mora_pitches(Overrides(), pitches)


def check_melody(request: SynthesisRequest, pipeline: Pipeline) -> None:
    """Raise InputError if the melody of a request has more morae than its text."""
    edits = request.overrides.moras
    if not edits:
        return
    memos = request.memos or pipeline.g2p.should_skip_memos
    reading = read_line(request.text, (), pipeline.g2p, pipeline.caches.phones, emoji=pipeline.voice.emoji, memos=memos)
    last, count = edits[-1].mora, len(reading.moras)
    if last >= count:
        raise InputError(
            localize(
                f"イントネーションに番号 {last} のモーラがありますが、テキストのモーラは {count} 個です。",
                f"The melody has a mora number {last}, but the text has {count} morae.",
            ),
            localize(
                "モーラは 0 から数えます。読みは koebako g2p で確認できます。", "Morae are counted from 0; koebako g2p shows the reading."
            ),
        )


def _parse_numbers(values: list[Any]) -> dict[int, float]:
    return {mora: require_number(value) for mora, value in enumerate(values) if value is not None}


def _parse_objects(values: list[Any]) -> dict[int, float]:
    """Return semitones by mora; raise ValueError for a mora that is named twice, and for fields that nobody reads."""
    found: dict[int, float] = {}
    for item in values:
        if not isinstance(item, dict) or item.keys() != {"mora", "semitones"}:
            raise ValueError("no mora")
        mora = require_int(item["mora"], int(INDEX_BOUNDS.low), int(INDEX_BOUNDS.high))
        if mora in found:
            raise ValueError("a mora twice")
        found[mora] = require_number(item["semitones"])
    return found
