"""The description of all routes, for programs as `/openapi.json` and for people as `/docs`, which loads nothing from anywhere."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

from app.common.language import localize
from app.common.version import VERSION
from app.service.openapi_schemas import OPENAPI_SCHEMAS, TEXT, build_list_schema, refer_to_schema


@dataclass(frozen=True, slots=True)
class RouteDescription:
    """A route: `ja` and `en` say what it is for; a parameter with `?` may be left out."""

    method: str
    path: str
    ja: str
    en: str
    parameters: tuple[str, ...] = ()
    body: dict[str, Any] | None = None
    answer: str = "application/json"


_STYLE_PARAMETERS = ("speaker:integer", "core_version?:string")
_UPSPEAK_PARAMETERS = ("speaker:integer", "enable_interrogative_upspeak?:boolean", "core_version?:string")
_QUERY, _PHRASES = refer_to_schema("AudioQuery"), build_list_schema(refer_to_schema("AccentPhrase"))
_WORD_PARAMETERS = ("surface:string", "pronunciation:string", "accent_type:integer", "word_type?:string", "priority?:integer")
_WAV_TYPE = "audio/wav"
DESCRIBED_ROUTES = (
    RouteDescription("post", "/audio_query", "テキストからクエリを作成", "Create a query from text", ("text:string", *_STYLE_PARAMETERS)),
    RouteDescription("post", "/audio_query_from_preset", "プリセットのクエリを作成", "A query with a preset", ("text:string", "preset_id:integer", "core_version?:string")),
    RouteDescription("post", "/accent_phrases", "アクセント句を作成", "Accent phrases of a text", ("text:string", *_STYLE_PARAMETERS, "is_kana?:boolean")),
    RouteDescription("post", "/mora_data", "長さと音高を取得", "Lengths and pitches", _STYLE_PARAMETERS, _PHRASES),
    RouteDescription("post", "/mora_length", "長さを取得", "Lengths", _STYLE_PARAMETERS, _PHRASES),
    RouteDescription("post", "/mora_pitch", "音高を取得", "Pitches", _STYLE_PARAMETERS, _PHRASES),
    RouteDescription("post", "/validate_kana", "AquesTalk 風記法を検査", "Checks a reading in kana", ("text:string",)),
    RouteDescription("post", "/synthesis", "音声を合成", "The sound of a query", _UPSPEAK_PARAMETERS, _QUERY, _WAV_TYPE),
    RouteDescription("post", "/cancellable_synthesis", "音声を合成（切断で中止）", "The same; stops when the client disconnects", _UPSPEAK_PARAMETERS, _QUERY, _WAV_TYPE),
    RouteDescription("post", "/multi_synthesis", "複数の音声を zip で合成", "Several sounds as a zip", _UPSPEAK_PARAMETERS, build_list_schema(_QUERY), "application/zip"),
    RouteDescription("post", "/streaming_synthesis", "生成しながら送信", "Streams the sound as it is made", (*_UPSPEAK_PARAMETERS, "start_offset?:number", "segment_length?:number"), _QUERY, _WAV_TYPE),
    RouteDescription("post", "/connect_waves", "WAV を連結", "Joins WAV files", (), build_list_schema(TEXT), _WAV_TYPE),
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
    RouteDescription("post", "/v1/speak", "Koebako: テキストを読み上げる", "Koebako: speaks a text", (), refer_to_schema("SpeakRequest"), _WAV_TYPE),
    RouteDescription("post", "/v1/timings", "Koebako: 音の時刻", "Koebako: times of the sounds", (), refer_to_schema("SpeakRequest")),
    RouteDescription("post", "/v1/audio/speech", "OpenAI 互換の読み上げ", "Speak a text (OpenAI-compatible)", (), refer_to_schema("SpeechRequest"), "audio/mpeg"),
    RouteDescription("get", "/v1/models", "OpenAI 互換のモデル一覧", "List models (OpenAI-compatible)"),
)  # fmt: skip


def build_openapi() -> dict[str, Any]:
    """OpenAPI 3.1."""
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
    parameters = [_build_parameter(text) for text in route.parameters]
    if "{" in route.path:
        parameters.append({"name": "word_uuid", "in": "path", "required": True, "schema": TEXT})
    binary = route.answer != "application/json"
    content = {route.answer: {"schema": {"type": "string", "format": "binary"} if binary else {}}}
    operation: dict[str, Any] = {
        "summary": localize(route.ja, route.en),
        "parameters": parameters,
        "responses": {"200": {"description": "OK", "content": content}},
    }
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": route.body}}}
    return operation


def _build_parameter(text: str) -> dict[str, Any]:
    name, _, kind = text.partition(":")
    return {"name": name.rstrip("?"), "in": "query", "required": not name.endswith("?"), "schema": {"type": kind}}


def build_docs_page() -> str:
    """All routes as one page."""
    rows = "".join(
        f"<tr><td>{route.method.upper()}</td><td><code>{html.escape(route.path)}</code></td>"
        f"<td>{html.escape(localize(route.ja, route.en))}</td><td>{html.escape(_describe_route(route))}</td></tr>"
        for route in DESCRIBED_ROUTES
    )
    title = localize("Koebako サービス", "Koebako service")
    return (
        f'<!doctype html><meta charset="utf-8"><title>{title}</title><style>{_DOCS_STYLE_SHEET}</style>'
        f"<h1>{title} {VERSION}</h1><p>OpenAPI: <a href='/openapi.json'>/openapi.json</a></p><table>{rows}</table>"
    )


def _describe_route(route: RouteDescription) -> str:
    body = [] if route.body is None else [localize("JSON 本文", "JSON body")]
    return ", ".join([*(text.partition(":")[0] for text in route.parameters), *body])


_DOCS_STYLE_SHEET = (
    "body{font:15px/1.6 sans-serif;max-width:64em;margin:2em auto;padding:0 1em;color:#1d1d22;background:#fff}"
    "table{border-collapse:collapse;width:100%}td{padding:.35em .8em .35em 0;border-bottom:1px solid #ddd;vertical-align:top}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#1b1b1f}td{border-color:#444}a{color:#8ab4f8}}"
)
