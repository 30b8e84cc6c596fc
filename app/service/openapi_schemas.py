"""The values of bodies and answers, as JSON Schema."""

from __future__ import annotations

from typing import Any

from app.core.request_limits import BOUNDS
from app.service.voicevox_query import QUERY_PAUSES, QUERY_SCALES

TEXT, _INT, _NUMBER, _BOOL = {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "boolean"}
_MAYBE_NUMBER, _MAYBE_TEXT = {"anyOf": [_NUMBER, {"type": "null"}]}, {"anyOf": [TEXT, {"type": "null"}]}


def refer_to_schema(name: str) -> dict[str, Any]:
    """One of `OPENAPI_SCHEMAS`."""
    return {"$ref": f"#/components/schemas/{name}"}


def build_list_schema(item: dict[str, Any]) -> dict[str, Any]:
    """A list of such values."""
    return {"type": "array", "items": item}


def _build_object_schema(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "object", "properties": required | (optional or {}), "required": list(required)}


_SCALE_SCHEMAS = dict.fromkeys(QUERY_SCALES, _NUMBER)
_PAUSE_SCHEMAS = dict(zip(QUERY_PAUSES, (_MAYBE_NUMBER, _NUMBER), strict=True))
_STYLE_SCHEMA = _build_object_schema({"name": TEXT, "id": _INT}, {"type": TEXT})
OPENAPI_SCHEMAS: dict[str, Any] = {
    "Mora": _build_object_schema(
        {"text": TEXT, "vowel": TEXT, "vowel_length": _NUMBER, "pitch": _NUMBER},
        {"consonant": _MAYBE_TEXT, "consonant_length": _MAYBE_NUMBER},
    ),
    "AccentPhrase": _build_object_schema(
        {"moras": build_list_schema(refer_to_schema("Mora")), "accent": _INT},
        {"pause_mora": {"anyOf": [refer_to_schema("Mora"), {"type": "null"}]}, "is_interrogative": _BOOL},
    ),
    "AudioQuery": _build_object_schema(
        {"accent_phrases": build_list_schema(refer_to_schema("AccentPhrase"))} | _SCALE_SCHEMAS | {"outputSamplingRate": _INT, "outputStereo": _BOOL},
        _PAUSE_SCHEMAS | {"kana": TEXT, "tempoDynamicsScale": _NUMBER, "seed": _INT},
    ),
    "Preset": _build_object_schema({"id": _INT, "name": TEXT, "speaker_uuid": TEXT, "style_id": _INT} | _SCALE_SCHEMAS, _PAUSE_SCHEMAS),
    "Speaker": _build_object_schema(
        {"name": TEXT, "speaker_uuid": TEXT, "styles": build_list_schema(_STYLE_SCHEMA), "version": TEXT}, {"supported_features": {"type": "object"}}
    ),
    "SpeakRequest": _build_object_schema(
        {"text": TEXT},
        {
            "voice": TEXT, "speaker": TEXT, "style": TEXT, "style_id": _INT, "format": TEXT, "rate": _INT, "stereo": _BOOL, "seed": _INT, "assist_text": TEXT,
            "pauses": {"type": "object"},
        } | dict.fromkeys(BOUNDS, _NUMBER),
    ),
    "SpeechRequest": _build_object_schema(
        {"input": TEXT}, {"model": TEXT, "voice": TEXT, "response_format": TEXT, "speed": _NUMBER}
    ),
}  # fmt: skip
