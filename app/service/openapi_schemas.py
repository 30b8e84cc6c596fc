"""The values of bodies and answers, as JSON Schema."""

from __future__ import annotations

from typing import Any

from app.core.limits import BOUNDS
from app.service.query import PAUSES, SCALES

TEXT, _INT, _NUMBER, _BOOL = {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "boolean"}
_MAYBE_NUMBER, _MAYBE_TEXT = {"anyOf": [_NUMBER, {"type": "null"}]}, {"anyOf": [TEXT, {"type": "null"}]}


def ref(name: str) -> dict[str, Any]:
    """One of `SCHEMAS`."""
    return {"$ref": f"#/components/schemas/{name}"}


def listed(item: dict[str, Any]) -> dict[str, Any]:
    """A list of such values."""
    return {"type": "array", "items": item}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "object", "properties": required | (optional or {}), "required": list(required)}


_SCALES = dict.fromkeys(SCALES, _NUMBER)
_PAUSES = dict(zip(PAUSES, (_MAYBE_NUMBER, _NUMBER), strict=True))
_STYLE = _object({"name": TEXT, "id": _INT}, {"type": TEXT})
SCHEMAS: dict[str, Any] = {
    "Mora": _object(
        {"text": TEXT, "vowel": TEXT, "vowel_length": _NUMBER, "pitch": _NUMBER},
        {"consonant": _MAYBE_TEXT, "consonant_length": _MAYBE_NUMBER},
    ),
    "AccentPhrase": _object(
        {"moras": listed(ref("Mora")), "accent": _INT},
        {"pause_mora": {"anyOf": [ref("Mora"), {"type": "null"}]}, "is_interrogative": _BOOL},
    ),
    "AudioQuery": _object(
        {"accent_phrases": listed(ref("AccentPhrase"))} | _SCALES | {"outputSamplingRate": _INT, "outputStereo": _BOOL},
        _PAUSES | {"kana": TEXT, "tempoDynamicsScale": _NUMBER, "seed": _INT},
    ),
    "Preset": _object({"id": _INT, "name": TEXT, "speaker_uuid": TEXT, "style_id": _INT} | _SCALES, _PAUSES),
    "Speaker": _object(
        {"name": TEXT, "speaker_uuid": TEXT, "styles": listed(_STYLE), "version": TEXT}, {"supported_features": {"type": "object"}}
    ),
    "SpeakRequest": _object(
        {"text": TEXT},
        {
            "voice": TEXT, "speaker": TEXT, "style": TEXT, "style_id": _INT, "format": TEXT, "rate": _INT, "stereo": _BOOL, "seed": _INT, "assist_text": TEXT,
            "pauses": {"type": "object"},
        } | dict.fromkeys(BOUNDS, _NUMBER),
    ),
    "SpeechRequest": _object(
        {"input": TEXT}, {"model": TEXT, "voice": TEXT, "response_format": TEXT, "speed": _NUMBER}
    ),
}  # fmt: skip
