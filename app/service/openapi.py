"""The description of all routes, for programs as `/openapi.json` and for people as `/docs`, which loads nothing from anywhere."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

from app.language import localized
from app.service.openapi_schemas import SCHEMAS, TEXT, listed, ref
from app.version import VERSION


@dataclass(frozen=True, slots=True)
class Described:
    """A route: `ja` and `en` say what it is for; a parameter with `?` may be left out."""

    method: str
    path: str
    ja: str
    en: str
    parameters: tuple[str, ...] = ()
    body: dict[str, Any] | None = None
    answer: str = "application/json"


_STYLED = ("speaker:integer", "core_version?:string")
_UPSPEAK = ("speaker:integer", "enable_interrogative_upspeak?:boolean", "core_version?:string")
_QUERY, _PHRASES = ref("AudioQuery"), listed(ref("AccentPhrase"))
_WORD = ("surface:string", "pronunciation:string", "accent_type:integer", "word_type?:string", "priority?:integer")
_WAV = "audio/wav"
ROUTES = (
    Described("post", "/audio_query", "テキストからクエリを作成", "Create a query from text", ("text:string", *_STYLED)),
    Described("post", "/audio_query_from_preset", "プリセットのクエリを作成", "A query with a preset", ("text:string", "preset_id:integer", "core_version?:string")),
    Described("post", "/accent_phrases", "アクセント句を作成", "Accent phrases of a text", ("text:string", *_STYLED, "is_kana?:boolean")),
    Described("post", "/mora_data", "長さと音高を取得", "Lengths and pitches", _STYLED, _PHRASES),
    Described("post", "/mora_length", "長さを取得", "Lengths", _STYLED, _PHRASES),
    Described("post", "/mora_pitch", "音高を取得", "Pitches", _STYLED, _PHRASES),
    Described("post", "/validate_kana", "AquesTalk 風記法を検査", "Checks a reading in kana", ("text:string",)),
    Described("post", "/synthesis", "音声を合成", "The sound of a query", _UPSPEAK, _QUERY, _WAV),
    Described("post", "/cancellable_synthesis", "音声を合成（切断で中止）", "The same; stops when the client disconnects", _UPSPEAK, _QUERY, _WAV),
    Described("post", "/multi_synthesis", "複数の音声を zip で合成", "Several sounds as a zip", _UPSPEAK, listed(_QUERY), "application/zip"),
    Described("post", "/streaming_synthesis", "生成しながら送信", "Streams the sound as it is made", (*_UPSPEAK, "start_offset?:number", "segment_length?:number"), _QUERY, _WAV),
    Described("post", "/connect_waves", "WAV を連結", "Joins WAV files", (), listed(TEXT), _WAV),
    Described("post", "/initialize_speaker", "声を読み込む", "Loads a voice", (*_STYLED, "skip_reinit?:boolean")),
    Described("get", "/is_initialized_speaker", "声が読み込み済みか", "Whether a voice is loaded", _STYLED),
    Described("get", "/speakers", "話者とスタイルの一覧", "Speakers and styles", ("core_version?:string",)),
    Described("get", "/speaker_info", "話者の情報", "About a speaker", ("speaker_uuid:string", "resource_format?:string", "core_version?:string")),
    Described("get", "/singers", "歌声の一覧（空）", "Singers; there are none", ("core_version?:string",)),
    Described("get", "/version", "バージョン", "The version"),
    Described("get", "/core_versions", "バージョンの一覧", "Versions"),
    Described("get", "/engine_manifest", "エンジンの情報", "What this engine can do"),
    Described("get", "/supported_devices", "使用できるデバイス", "What it can compute on", ("core_version?:string",)),
    Described("get", "/presets", "プリセットの一覧", "Presets"),
    Described("post", "/add_preset", "プリセットを追加", "Adds a preset", (), ref("Preset")),
    Described("post", "/update_preset", "プリセットを更新", "Changes a preset", (), ref("Preset")),
    Described("post", "/delete_preset", "プリセットを削除", "Removes a preset", ("id:integer",)),
    Described("get", "/user_dict", "ユーザー辞書", "The user dictionary"),
    Described("post", "/user_dict_word", "単語を追加", "Adds a word", _WORD),
    Described("put", "/user_dict_word/{word_uuid}", "単語を変更", "Changes a word", _WORD),
    Described("delete", "/user_dict_word/{word_uuid}", "単語を削除", "Removes a word"),
    Described("post", "/import_user_dict", "辞書を読み込む", "Imports words", ("override:boolean",), {"type": "object"}),
    Described("post", "/v1/speak", "Koebako: テキストを読み上げる", "Koebako: speaks a text", (), ref("SpeakRequest"), _WAV),
    Described("post", "/v1/timings", "Koebako: 音の時刻", "Koebako: times of the sounds", (), ref("SpeakRequest")),
    Described("post", "/v1/audio/speech", "OpenAI 互換の読み上げ", "Speak a text (OpenAI-compatible)", (), ref("SpeechRequest"), "audio/mpeg"),
    Described("get", "/v1/models", "OpenAI 互換のモデル一覧", "List models (OpenAI-compatible)"),
)  # fmt: skip


def description() -> dict[str, Any]:
    """OpenAPI 3.1."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Koebako", "version": VERSION},
        "paths": paths,
        "components": {"schemas": SCHEMAS},
    }


def _operation(route: Described) -> dict[str, Any]:
    parameters = [_parameter(text) for text in route.parameters]
    if "{" in route.path:
        parameters.append({"name": "word_uuid", "in": "path", "required": True, "schema": TEXT})
    binary = route.answer != "application/json"
    content = {route.answer: {"schema": {"type": "string", "format": "binary"} if binary else {}}}
    operation: dict[str, Any] = {
        "summary": localized(route.ja, route.en),
        "parameters": parameters,
        "responses": {"200": {"description": "OK", "content": content}},
    }
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": route.body}}}
    return operation


def _parameter(text: str) -> dict[str, Any]:
    name, _, kind = text.partition(":")
    return {"name": name.rstrip("?"), "in": "query", "required": not name.endswith("?"), "schema": {"type": kind}}


def page() -> str:
    """All routes as one page."""
    rows = "".join(
        f"<tr><td>{route.method.upper()}</td><td><code>{html.escape(route.path)}</code></td>"
        f"<td>{html.escape(localized(route.ja, route.en))}</td><td>{html.escape(_told(route))}</td></tr>"
        for route in ROUTES
    )
    title = localized("Koebako サービス", "Koebako service")
    return (
        f'<!doctype html><meta charset="utf-8"><title>{title}</title><style>{_STYLE_SHEET}</style>'
        f"<h1>{title} {VERSION}</h1><p>OpenAPI: <a href='/openapi.json'>/openapi.json</a></p><table>{rows}</table>"
    )


def _told(route: Described) -> str:
    body = [] if route.body is None else [localized("JSON 本文", "JSON body")]
    return ", ".join([*(text.partition(":")[0] for text in route.parameters), *body])


_STYLE_SHEET = (
    "body{font:15px/1.6 sans-serif;max-width:64em;margin:2em auto;padding:0 1em;color:#1d1d22;background:#fff}"
    "table{border-collapse:collapse;width:100%}td{padding:.35em .8em .35em 0;border-bottom:1px solid #ddd;vertical-align:top}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#1b1b1f}td{border-color:#444}a{color:#8ab4f8}}"
)
