"""The file of `koebako speak --melody`: by how many semitones the pitch of each mora is moved.

It is JSON, `{"moras": [{"index": 3, "semitones": 2}]}`, counted from 0, or a list of numbers, one a mora in order. A project may be named
instead, whose line with the spoken text then gives its melody and all other edits of its morae.
"""

from pathlib import Path
from typing import Any

from app.cli.command_files import read_named_input
from app.common.errors import InputError
from app.common.files.untrusted_json import parse_json, require_int, require_number
from app.common.language import localize
from app.core.script.project import PROJECT_SUFFIX
from app.core.sound.line_edits import set_mora_pitches
from app.core.sound.line_reading import read_line
from app.core.sound.pipeline import Pipeline
from app.core.synthesis_types import INDEX_BOUNDS, MORA_PITCH_BOUNDS, Overrides, SynthesisRequest, check_value
from app.interchange.koebako_files import read_project


def read_melody(path: Path, text: str) -> Overrides:
    """Return a file's edits, of a project those of the line with this text; raise InputError if it cannot be read, is none, or moves a pitch too far."""
    if path.suffix.lower() == PROJECT_SUFFIX:
        line = next((line for line in read_project(path).script.lines if line.text.strip() == text.strip()), None)
        if line is None:
            raise InputError(
                localize(f"「{path.name}」に、このテキストの行がありません。", f"No line of “{path.name}” has this text."),
                localize("プロジェクトの行と同じテキストを指定してください。", "Speak the text of one of its lines."),
            )
        return line.overrides
    try:
        values = parse_json(read_named_input(path))
        if isinstance(values, list):
            pitches = {mora: require_number(value) for mora, value in enumerate(values) if value is not None}
        else:
            pitches = _parse_moras(values)
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
    how = {"emoji": pipeline.voice.emoji, "memos": memos, "english": pipeline.voice.architecture.should_read_english(request)}
    reading = read_line(request.text, (), pipeline.g2p, pipeline.caches.phones, **how)
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


def _parse_moras(data: Any) -> dict[int, float]:
    """Return semitones by mora; raise ValueError or KeyError for a mora that is named twice, and for fields that nobody reads."""
    found: dict[int, float] = {}
    if not isinstance(data, dict) or data.keys() != {"moras"} or not isinstance(data["moras"], list):
        raise ValueError("no morae")
    for item in data["moras"]:
        if not isinstance(item, dict) or item.keys() != {"index", "semitones"}:
            raise ValueError("no mora")
        index = require_int(item["index"], int(INDEX_BOUNDS.low), int(INDEX_BOUNDS.high))
        if index in found:
            raise ValueError("a mora twice")
        found[index] = require_number(item["semitones"])
    return found
