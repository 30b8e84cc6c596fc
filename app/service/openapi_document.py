"""The description of all routes, for programs as `/openapi.json` and for people as `/docs`, which loads nothing from anywhere."""

import html
from dataclasses import dataclass, field
from typing import Any

from app.adapters.sound.sound_formats import HIGHEST_RATE, LOWEST_RATE
from app.common.language import localize
from app.common.version import VERSION
from app.core.delivery import KATAKANA, LATIN_READINGS, Bounds
from app.core.synthesis_types import BOUNDS, PAUSE_BOUNDS, SEED_BOUNDS
from app.service.speak_request import (
    EVENT_STREAM_TYPE,
    LONGEST_NAME,
    MAX_OPENAI_TEXT,
    OPENAI_FORMATS,
    OPENAI_STREAM_FORMATS,
    SPEAK_FORMATS,
    SPEAK_MEDIA_TYPES,
)
from app.service.voicevox_query import MAX_QUERY_TEXT, QUERY_PAUSES, QUERY_SCALES

_JSON_TYPE = "application/json"
TEXT, _INT, _NUMBER, _BOOL = {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "boolean"}
_MAYBE_NUMBER, _MAYBE_TEXT = {"anyOf": [_NUMBER, {"type": "null"}]}, {"anyOf": [TEXT, {"type": "null"}]}


def refer_to_schema(name: str) -> dict[str, Any]:
    """Return a reference to one of `OPENAPI_SCHEMAS`."""
    return {"$ref": f"#/components/schemas/{name}"}


def build_list_schema(item: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a list of such values."""
    return {"type": "array", "items": item}


def _build_object_schema(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "object", "properties": required | (optional or {}), "required": list(required)}


def _list_media_types(formats: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(SPEAK_MEDIA_TYPES[form] for form in formats))


def _build_number_schema(bounds: Bounds) -> dict[str, Any]:
    return {"type": "number", "minimum": bounds.low, "maximum": bounds.high, "default": bounds.default}


def _build_choice_schema(choices: tuple[str, ...], default: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(choices), "default": default}


_SCALE_SCHEMAS = dict.fromkeys(QUERY_SCALES, _NUMBER)
_PAUSE_SCHEMAS = dict(zip(QUERY_PAUSES, (_MAYBE_NUMBER, _NUMBER), strict=True))
_SPOKEN_TEXT, _NAME = {"type": "string", "maxLength": MAX_QUERY_TEXT}, {"type": "string", "maxLength": LONGEST_NAME}
_NAME_OR_NUMBER = {"anyOf": [_NAME, _INT]}
_SPAN_SCHEMAS = {"start_s": _NUMBER, "end_s": _NUMBER}
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
        {"text": _SPOKEN_TEXT},
        {
            "voice": _NAME_OR_NUMBER, "speaker": _NAME_OR_NUMBER, "style": _NAME_OR_NUMBER, "style_id": _INT,
            "format": _build_choice_schema(SPEAK_FORMATS, "wav"), "rate": {"type": "integer", "minimum": LOWEST_RATE, "maximum": HIGHEST_RATE}, "stereo": _BOOL,
            "seed": {"type": "integer", "minimum": 0, "maximum": int(SEED_BOUNDS.high), "default": 0}, "assist_text": _SPOKEN_TEXT,
            "latin": _build_choice_schema(LATIN_READINGS, KATAKANA),
            "pauses": {"type": "object", "additionalProperties": {"type": "number", "minimum": PAUSE_BOUNDS.low, "maximum": PAUSE_BOUNDS.high}},
        } | {name: _build_number_schema(bounds) for name, bounds in BOUNDS.items()},
    ),
    "SpeechRequest": _build_object_schema(
        {"input": {"type": "string", "maxLength": MAX_OPENAI_TEXT}},
        {
            "model": TEXT, "voice": _NAME, "response_format": _build_choice_schema(OPENAI_FORMATS, "mp3"), "speed": _build_number_schema(BOUNDS["speed"]),
            "stream_format": _build_choice_schema(OPENAI_STREAM_FORMATS, "audio"),
        },
    ),
    "Timings": _build_object_schema(
        {
            "text": TEXT, "reading": TEXT, "sampling_rate": _INT, "samples": _INT, "length_s": _NUMBER,
            "sentences": build_list_schema(_build_object_schema({"text": TEXT} | _SPAN_SCHEMAS)),
            "moras": build_list_schema(_build_object_schema({"kana": TEXT, "tone": _INT} | _SPAN_SCHEMAS)),
            "phones": build_list_schema(_build_object_schema({"phone": TEXT} | _SPAN_SCHEMAS)),
        },
    ),
    "Models": _build_object_schema({"object": TEXT, "data": build_list_schema(refer_to_schema("Model"))}),
    "Model": _build_object_schema({"id": TEXT, "object": TEXT, "created": _INT, "owned_by": TEXT}),
    "AudioModels": _build_object_schema({"models": build_list_schema(refer_to_schema("Model"))}),
    "AudioVoices": _build_object_schema({"voices": build_list_schema(_build_object_schema({"id": TEXT, "name": TEXT}))}),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RouteDescription:
    """A route: `ja` and `en` say what it is for; a parameter with `?` may be left out."""

    method: str
    path: str
    ja: str
    en: str
    parameters: tuple[str, ...] = ()
    body: dict[str, Any] | None = None
    answers: tuple[str, ...] = (_JSON_TYPE,)  # media types of what it may answer, the usual one first
    result: dict[str, Any] = field(default_factory=dict)  # schema of an answer that is JSON


_STYLE_PARAMETERS = ("speaker:integer", "core_version?:string")
_UPSPEAK_PARAMETERS = ("speaker:integer", "enable_interrogative_upspeak?:boolean", "core_version?:string")
_QUERY, _PHRASES = refer_to_schema("AudioQuery"), build_list_schema(refer_to_schema("AccentPhrase"))
_WORD_PARAMETERS = ("surface:string", "pronunciation:string", "accent_type:integer", "word_type?:string", "priority?:integer")
_WAV = ("audio/wav",)
DESCRIBED_ROUTES = (
    RouteDescription("post", "/audio_query", "テキストからクエリを作成", "Create a query from text", ("text:string", *_STYLE_PARAMETERS)),
    RouteDescription("post", "/audio_query_from_preset", "プリセットのクエリを作成", "A query with a preset", ("text:string", "preset_id:integer", "core_version?:string")),
    RouteDescription("post", "/accent_phrases", "アクセント句を作成", "Accent phrases of a text", ("text:string", *_STYLE_PARAMETERS, "is_kana?:boolean")),
    RouteDescription("post", "/mora_data", "長さと音高を取得", "Lengths and pitches", _STYLE_PARAMETERS, _PHRASES),
    RouteDescription("post", "/mora_length", "長さを取得", "Lengths", _STYLE_PARAMETERS, _PHRASES),
    RouteDescription("post", "/mora_pitch", "音高を取得", "Pitches", _STYLE_PARAMETERS, _PHRASES),
    RouteDescription("post", "/validate_kana", "AquesTalk 風記法を検査", "Checks a reading in kana", ("text:string",)),
    RouteDescription("post", "/synthesis", "音声を合成", "The sound of a query", _UPSPEAK_PARAMETERS, _QUERY, _WAV),
    RouteDescription("post", "/cancellable_synthesis", "音声を合成（切断で中止）", "The same; stops when the client disconnects", _UPSPEAK_PARAMETERS, _QUERY, _WAV),
    RouteDescription("post", "/multi_synthesis", "複数の音声を zip で合成", "Several sounds as a zip", _UPSPEAK_PARAMETERS, build_list_schema(_QUERY), ("application/zip",)),
    RouteDescription("post", "/streaming_synthesis", "生成しながら送信", "Streams the sound as it is made", (*_UPSPEAK_PARAMETERS, "start_offset?:number", "segment_length?:number"), _QUERY, _WAV),
    RouteDescription("post", "/connect_waves", "WAV を連結", "Joins WAV files", (), build_list_schema(TEXT), _WAV),
    RouteDescription("post", "/initialize_speaker", "声を読み込む", "Loads a voice", (*_STYLE_PARAMETERS, "skip_reinit?:boolean")),
    RouteDescription("get", "/is_initialized_speaker", "声が読み込み済みか", "Whether a voice is loaded", _STYLE_PARAMETERS),
    RouteDescription("get", "/speakers", "話者とスタイルの一覧", "Speakers and styles", ("core_version?:string",)),
    RouteDescription("get", "/speaker_info", "話者の情報", "About a speaker", ("speaker_uuid:string", "resource_format?:string", "core_version?:string")),
    RouteDescription("get", "/singers", "歌声の一覧（空）", "Singers; there are none", ("core_version?:string",)),
    RouteDescription("get", "/version", "バージョン", "The version"),
    RouteDescription("get", "/core_versions", "バージョンの一覧", "Versions"),
    RouteDescription("get", "/engine_manifest", "エンジンの情報", "What this engine can do"),
    RouteDescription("get", "/supported_devices", "使用できるデバイス", "What it can compute on", ("core_version?:string",)),
    RouteDescription("get", "/presets", "プリセットの一覧", "Presets"),
    RouteDescription("post", "/add_preset", "プリセットを追加", "Adds a preset", (), refer_to_schema("Preset")),
    RouteDescription("post", "/update_preset", "プリセットを更新", "Changes a preset", (), refer_to_schema("Preset")),
    RouteDescription("post", "/delete_preset", "プリセットを削除", "Removes a preset", ("id:integer",)),
    RouteDescription("get", "/user_dict", "ユーザー辞書", "The user dictionary"),
    RouteDescription("post", "/user_dict_word", "単語を追加", "Adds a word", _WORD_PARAMETERS),
    RouteDescription("put", "/user_dict_word/{word_uuid}", "単語を変更", "Changes a word", _WORD_PARAMETERS),
    RouteDescription("delete", "/user_dict_word/{word_uuid}", "単語を削除", "Removes a word"),
    RouteDescription("post", "/import_user_dict", "辞書を読み込む", "Imports words", ("override:boolean",), {"type": "object"}),
    RouteDescription("post", "/v1/speak", "Koebako: テキストを読み上げる", "Koebako: speaks a text", (), refer_to_schema("SpeakRequest"), _list_media_types(SPEAK_FORMATS)),
    RouteDescription("post", "/v1/timings", "Koebako: 音の時刻", "Koebako: times of the sounds", (), refer_to_schema("SpeakRequest"), result=refer_to_schema("Timings")),
    RouteDescription("post", "/v1/audio/speech", "OpenAI 互換の読み上げ", "Speak a text (OpenAI-compatible)", (), refer_to_schema("SpeechRequest"), (*_list_media_types(OPENAI_FORMATS), EVENT_STREAM_TYPE)),
    RouteDescription("get", "/v1/models", "OpenAI 互換のモデル一覧", "List models (OpenAI-compatible)", result=refer_to_schema("Models")),
    RouteDescription("get", "/v1/audio/models", "OpenAI 互換の音声モデル一覧", "List speech models", result=refer_to_schema("AudioModels")),
    RouteDescription("get", "/v1/audio/voices", "OpenAI 互換の声の一覧", "List voices", result=refer_to_schema("AudioVoices")),
)  # fmt: skip


def build_openapi() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of all routes."""
    paths: dict[str, dict[str, Any]] = {}
    for route in DESCRIBED_ROUTES:
        paths.setdefault(route.path, {})[route.method] = _build_operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Koebako", "version": VERSION},
        "paths": paths,
        "components": {"schemas": OPENAPI_SCHEMAS},
    }


def _build_operation(route: RouteDescription) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = []
    for name, _, kind in (text.partition(":") for text in route.parameters):
        parameters.append({"name": name.rstrip("?"), "in": "query", "required": not name.endswith("?"), "schema": {"type": kind}})
    if "{" in route.path:
        parameters.append({"name": "word_uuid", "in": "path", "required": True, "schema": TEXT})
    schemas = {_JSON_TYPE: route.result, EVENT_STREAM_TYPE: TEXT}
    content = {kind: {"schema": schemas.get(kind, {"type": "string", "format": "binary"})} for kind in route.answers}
    operation: dict[str, Any] = {
        "summary": localize(route.ja, route.en),
        "parameters": parameters,
        "responses": {"200": {"description": "OK", "content": content}},
    }
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": route.body}}}
    return operation


def build_docs_page() -> str:
    body = [localize("JSON 本文", "JSON body")]

    def describe_route(route: RouteDescription) -> str:
        names = [text.partition(":")[0] for text in route.parameters]
        return ", ".join(names if route.body is None else names + body)

    rows = "".join(
        f"<tr><td>{route.method.upper()}</td><td><code>{html.escape(route.path)}</code></td>"
        f"<td>{html.escape(localize(route.ja, route.en))}</td><td>{html.escape(describe_route(route))}</td></tr>"
        for route in DESCRIBED_ROUTES
    )
    title = localize("Koebako サービス", "Koebako service")
    return (
        f'<!doctype html><meta charset="utf-8"><title>{title}</title><style>{_DOCS_STYLE_SHEET}</style>'
        f"<h1>{title} {VERSION}</h1><p>OpenAPI: <a href='/openapi.json'>/openapi.json</a></p><table>{rows}</table>"
    )


_DOCS_STYLE_SHEET = (
    "body{font:15px/1.6 sans-serif;max-width:64em;margin:2em auto;padding:0 1em;color:#1d1d22;background:#fff}"
    "table{border-collapse:collapse;width:100%}td{padding:.35em .8em .35em 0;border-bottom:1px solid #ddd;vertical-align:top}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#1b1b1f}td{border-color:#444}a{color:#8ab4f8}}"
)
