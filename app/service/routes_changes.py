"""Routes that show presets and the user dictionary, and change them where the user has allowed it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.adapters.user_dictionary import change_dictionary, read_user_entries
from app.compose.text_front_end import forget_readings
from app.core.text.dictionary_entries import USUAL_PRIORITY, DictionaryEntry, EntryKind, make_entry, merge_entries
from app.core.text.dictionary_formats import build_exchange_words, join_compound, parse_dictionary_json
from app.service.http_errors import create_refusal
from app.service.http_service import HttpService, read_query_fields
from app.service.query_presets import QueryPreset, parse_preset
from app.service.request_fields import RequestFields
from app.service.service_job import JobContext

Entries = tuple[DictionaryEntry, ...]
_ENTRY_KINDS: dict[str, EntryKind] = {
    "PROPER_NOUN": "proper_noun", "COMMON_NOUN": "noun", "VERB": "verb", "ADJECTIVE": "adjective", "SUFFIX": "suffix",
}  # fmt: skip


def build_preset_routes(service: HttpService) -> list[Route]:
    """Return the routes for presets."""

    async def list_presets(_request: Request) -> Response:
        return await asyncio.to_thread(lambda: JSONResponse([preset.convert_to_json() for preset in service.presets.list_presets()]))

    def take_preset(change: Callable[[QueryPreset], int]) -> Callable[[Request], Awaitable[Response]]:
        async def change_preset(request: Request) -> Response:
            _require_allowed(service)
            preset = await service.body_reader.read_json(request, parse_preset)
            return JSONResponse(await asyncio.to_thread(change, preset))

        return change_preset

    async def delete_preset(request: Request) -> Response:
        _require_allowed(service)
        fields = read_query_fields(request)
        number = fields.read_integer("id")
        fields.check()
        await asyncio.to_thread(service.presets.delete_preset, number)
        return Response(status_code=204)

    return [
        Route("/presets", list_presets),
        Route("/add_preset", take_preset(lambda preset: service.presets.add_preset(preset)), methods=["POST"]),
        Route("/update_preset", take_preset(lambda preset: service.presets.update_preset(preset)), methods=["POST"]),
        Route("/delete_preset", delete_preset, methods=["POST"]),
    ]


def build_dictionary_routes(service: HttpService) -> list[Route]:
    """Return the routes for the user dictionary, which the window and the command line share."""

    async def list_entries(_request: Request) -> Response:
        return await asyncio.to_thread(lambda: JSONResponse(build_exchange_words(read_user_entries())))

    async def add_entry(request: Request) -> Response:
        _require_allowed(service)
        entry = _read_entry(request)
        await _apply_change(service, lambda words: merge_entries(words, [entry]))
        return JSONResponse(_build_entry_id(entry))

    async def change_entry(request: Request) -> Response:
        _require_allowed(service)
        entry_id = request.path_params["word_uuid"]
        added = [_read_entry(request)] if request.method == "PUT" else []

        def replace_entry(entries: Entries) -> Entries:
            others = [entry for entry in entries if _build_entry_id(entry) != entry_id]
            if len(others) == len(entries):
                raise create_refusal(422, "該当する単語が見つかりません", "There is no such word.")
            return merge_entries(others, added)

        await _apply_change(service, replace_entry)
        return Response(status_code=204)

    async def import_entries(request: Request) -> Response:
        _require_allowed(service)
        fields = read_query_fields(request)
        override = fields.read_flag("override")
        fields.check()
        entries = await service.body_reader.read_json(request, _parse_entries)
        await _apply_change(service, lambda words: merge_entries(words, entries) if override else merge_entries(entries, words))
        return Response(status_code=204)

    return [
        Route("/user_dict", list_entries),
        Route("/user_dict_word", add_entry, methods=["POST"]),
        Route("/user_dict_word/{word_uuid}", change_entry, methods=["PUT", "DELETE"]),
        Route("/import_user_dict", import_entries, methods=["POST"]),
    ]


def _parse_entries(values: Any) -> list[DictionaryEntry]:
    if not isinstance(values, dict):
        raise create_refusal(422, "/user_dict と同じ形式の JSON を送ってください。", "Send the words as JSON, as /user_dict gives them.")
    entries, wrong = parse_dictionary_json(values)
    if wrong:
        raise wrong[0]
    return entries


def _require_allowed(service: HttpService) -> None:
    if not service.access.may_change:
        raise create_refusal(
            403,
            "変更は許可されていません。koebako serve に --allow-changes を付けて起動してください。",
            "Changes are not allowed. Start koebako serve with --allow-changes.",
        )


async def _apply_change(service: HttpService, change: Callable[[Entries], Entries]) -> None:
    """Change the dictionary; later readings use the new entries."""
    await asyncio.to_thread(change_dictionary, change)

    def clear_word_caches(turn: JobContext) -> None:
        style = service.catalogue.first_style
        forget_readings(None if style is None else turn.open_speaker(style.voice).pipeline.caches)

    await service.queue.compute_result(clear_word_caches)


def _read_entry(request: Request) -> DictionaryEntry:
    """Return a word of the query string, whole or in parts as AivisSpeech has it; raise RefusalError or InputError."""
    fields = read_query_fields(request)

    def split_parameter(name: str) -> list[RequestFields]:
        """Return the fields of a parameter that may come several times; an absent one counts as one that is missing."""
        values = request.query_params.getlist(name)
        return [RequestFields({name: value}, ("query",), fields.findings) for value in values] or [fields]

    surfaces = [part.parse_text("surface", max_length=200) for part in split_parameter("surface")]
    readings = [part.parse_text("pronunciation", max_length=400) for part in split_parameter("pronunciation")]
    accents = [part.read_integer("accent_type", low=0) for part in split_parameter("accent_type")]
    kind = fields.read_choice("word_type", tuple(_ENTRY_KINDS), "PROPER_NOUN")
    priority = fields.read_integer("priority", USUAL_PRIORITY, low=0, high=10)
    fields.check()
    return make_entry(*join_compound(surfaces, readings, accents), _ENTRY_KINDS[kind], priority)


def _build_entry_id(entry: DictionaryEntry) -> str:
    return next(iter(build_exchange_words([entry])))
