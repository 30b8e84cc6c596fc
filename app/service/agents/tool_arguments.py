"""The tools as agents see them: names, descriptions and the schemas of their arguments, and the check of what comes."""

from __future__ import annotations

from typing import Any

from app.common.errors import InputError
from app.common.language import localize
from app.core.request_limits import BOUNDS
from app.service.voicevox_query import MAX_QUERY_TEXT

MAX_CALL_CHARS = 10_000
MAX_EXPORTED_LINES = 200
FILE_FORMATS = ("wav", "flac", "ogg", "opus", "mp3")
_MAX_NAME_CHARS = 200
_Schema = dict[str, Any]
_VOICE: dict[str, _Schema] = {
    "voice": {"type": "string", "maxLength": _MAX_NAME_CHARS, "description": "Name of a speaker, as `voices` lists them"},
    "style": {"type": "string", "maxLength": _MAX_NAME_CHARS, "description": "Name of one of the speaker's styles"},
    "speed": {"type": "number", "minimum": BOUNDS["speed"].low, "maximum": BOUNDS["speed"].high, "description": "1 is the usual speed"},
}
_FORMAT: _Schema = {"type": "string", "enum": list(FILE_FORMATS), "description": "Format of the file; wav by default"}
_LINE: _Schema = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1, "maxLength": MAX_CALL_CHARS}, **_VOICE},
    "required": ["text"],
    "additionalProperties": False,
}


def _describe_tool(name: str, title: str, description: str, properties: dict[str, _Schema], *required: str, reads: bool) -> _Schema:
    return {
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False},
        "annotations": {"readOnlyHint": reads, "destructiveHint": False, "openWorldHint": False},
    }


TOOLS: tuple[_Schema, ...] = (
    _describe_tool(
        "speak",
        "Speak",
        "Speaks Japanese text: plays it on this computer, or with `file` writes it to a sound file in the user's folder.",
        {
            "text": {"type": "string", "minLength": 1, "maxLength": MAX_CALL_CHARS},
            **_VOICE,
            "file": {"type": "string", "minLength": 1, "maxLength": _MAX_NAME_CHARS, "description": "Name of the file, without a path"},
            "format": _FORMAT,
        },
        "text",
        reads=False,
    ),
    _describe_tool("voices", "Voices", "Lists the speakers and their styles.", {}, reads=True),
    _describe_tool(
        "read_timings",
        "Read timings",
        "Returns when each sentence, mora and phone of a text sounds, in seconds, and how the text is read.",
        {"text": {"type": "string", "minLength": 1, "maxLength": MAX_QUERY_TEXT}, **_VOICE},
        "text",
        reads=True,
    ),
    _describe_tool(
        "export",
        "Export",
        "Writes one sound file for each line into the user's folder, numbered in order.",
        {
            "name": {"type": "string", "minLength": 1, "maxLength": _MAX_NAME_CHARS, "description": "Begin of the names, without a path"},
            "lines": {"type": "array", "minItems": 1, "maxItems": MAX_EXPORTED_LINES, "items": _LINE},
            "format": _FORMAT,
        },
        "name",
        "lines",
        reads=False,
    ),
)


def check_arguments(schema: _Schema, values: Any, where: str = "arguments") -> None:
    """Raise InputError for a value that a schema of ours does not allow."""
    match schema["type"]:
        case "object":
            _check_object(schema, values, where)
        case "array":
            if not isinstance(values, list) or not schema["minItems"] <= len(values) <= schema["maxItems"]:
                raise _create_refusal(where)
            for index, item in enumerate(values):
                check_arguments(schema["items"], item, f"{where}[{index}]")
        case "string":
            longest, shortest = schema.get("maxLength", _MAX_NAME_CHARS), schema.get("minLength", 0)
            if not isinstance(values, str) or not shortest <= len(values) <= longest or values not in schema.get("enum", (values,)):
                raise _create_refusal(where)
        case _:
            if isinstance(values, bool) or not isinstance(values, int | float) or not schema["minimum"] <= values <= schema["maximum"]:
                raise _create_refusal(where)


def _check_object(schema: _Schema, values: Any, where: str) -> None:
    if not isinstance(values, dict):
        raise _create_refusal(where)
    known = schema["properties"]
    for name in (*schema["required"], *values):
        if name not in known or name not in values:
            raise _create_refusal(f"{where}.{name[:_MAX_NAME_CHARS]}")
        check_arguments(known[name], values[name], f"{where}.{name}")


def _create_refusal(where: str) -> InputError:
    return InputError(localize(f"引数「{where}」を使用できません。", f"The argument “{where}” is missing, unknown or out of bounds."))
