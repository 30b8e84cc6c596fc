"""Routes that show presets and the user dictionary, and change them where the user has allowed it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.adapters.user_dictionary import change_dictionary, known_words
from app.compose.text import forget_words
from app.core.dictionary import USUAL_PRIORITY, Entry, Kind, make_entry, put
from app.core.dictionary_data import compound_of, exchange_words, from_json
from app.service.fields import Fields
from app.service.presets import read_preset
from app.service.refused import refused
from app.service.service import Service, query_of
from app.service.work import Turn

_KINDS: dict[str, Kind] = {
    "PROPER_NOUN": "proper_noun",
    "COMMON_NOUN": "noun",
    "VERB": "verb",
    "ADJECTIVE": "adjective",
    "SUFFIX": "suffix",
}


def preset_routes(service: Service) -> list[Route]:
    """Presets."""

    async def presets(_request: Request) -> Response:
        return await asyncio.to_thread(lambda: JSONResponse([preset.values() for preset in service.presets.all()]))

    async def add_preset(request: Request) -> Response:
        _allowed(service)
        preset = await service.bodies.read(request, read_preset)
        return JSONResponse(await asyncio.to_thread(service.presets.add, preset))

    async def update_preset(request: Request) -> Response:
        _allowed(service)
        preset = await service.bodies.read(request, read_preset)
        return JSONResponse(await asyncio.to_thread(service.presets.update, preset))

    async def delete_preset(request: Request) -> Response:
        _allowed(service)
        fields = query_of(request)
        number = fields.integer("id")
        fields.check()
        await asyncio.to_thread(service.presets.delete, number)
        return Response(status_code=204)

    changes = (add_preset, update_preset, delete_preset)
    return [Route("/presets", presets), *(Route(f"/{change.__name__}", change, methods=["POST"]) for change in changes)]


def dictionary_routes(service: Service) -> list[Route]:
    """The user dictionary, which the window and the command line share."""

    async def user_dict(_request: Request) -> Response:
        return await asyncio.to_thread(lambda: JSONResponse(exchange_words(known_words())))

    async def user_dict_word(request: Request) -> Response:
        _allowed(service)
        entry = _entry(request)
        await _change(service, lambda words: put(words, [entry]))
        return JSONResponse(_id(entry))

    async def change_word(request: Request) -> Response:
        _allowed(service)
        wanted = request.path_params["word_uuid"]
        added = [_entry(request)] if request.method == "PUT" else []

        def changed(words: tuple[Entry, ...]) -> tuple[Entry, ...]:
            kept = [entry for entry in words if _id(entry) != wanted]
            if len(kept) == len(words):
                raise refused(422, "該当する単語が見つかりません", "There is no such word.")
            return put(kept, added)

        await _change(service, changed)
        return Response(status_code=204)

    async def import_user_dict(request: Request) -> Response:
        _allowed(service)
        fields = query_of(request)
        override = fields.flag("override")
        fields.check()
        entries = await service.bodies.read(request, _words)
        await _change(service, lambda words: put(words, entries) if override else put(entries, words))
        return Response(status_code=204)

    return [
        Route("/user_dict", user_dict),
        Route("/user_dict_word", user_dict_word, methods=["POST"]),
        Route("/user_dict_word/{word_uuid}", change_word, methods=["PUT", "DELETE"]),
        Route("/import_user_dict", import_user_dict, methods=["POST"]),
    ]


def _words(values: Any) -> list[Entry]:
    """Those of a body. Raises Refused, InputError."""
    if not isinstance(values, dict):
        raise refused(422, "/user_dict と同じ形式の JSON を送ってください。", "Send the words as JSON, as /user_dict gives them.")
    entries, wrong = from_json(values)
    if wrong:
        raise wrong[0]
    return entries


def _allowed(service: Service) -> None:
    """Raises Refused where the user has not allowed changes."""
    if not service.access.changes:
        raise refused(
            403,
            "変更は許可されていません。koebako serve に --allow-changes を付けて起動してください。",
            "Changes are not allowed. Start koebako serve with --allow-changes.",
        )


async def _change(service: Service, change: Callable[[tuple[Entry, ...]], tuple[Entry, ...]]) -> None:
    """Changes the dictionary; what is read from now on is read with it."""
    await asyncio.to_thread(change_dictionary, change)

    def forget(turn: Turn) -> None:
        style = service.catalogue.first
        forget_words(None if style is None else turn.voices.speaker_of(style.voice).pipeline.caches)

    await service.queue.compute(forget)


def _entry(request: Request) -> Entry:
    """A word of the query string, whole or in parts as AivisSpeech has it. Raises Refused, InputError."""
    fields = query_of(request)
    surfaces = [one.text("surface", longest=200) for one in _each(request, "surface", fields)]
    readings = [one.text("pronunciation", longest=400) for one in _each(request, "pronunciation", fields)]
    accents = [one.integer("accent_type", low=0) for one in _each(request, "accent_type", fields)]
    kind = fields.choice("word_type", tuple(_KINDS), "PROPER_NOUN")
    priority = fields.integer("priority", USUAL_PRIORITY, low=0, high=10)
    fields.check()
    return make_entry(*compound_of(surfaces, readings, accents), _KINDS[kind], priority)


def _each(request: Request, name: str, fields: Fields) -> list[Fields]:
    """A parameter that may come several times; not there, it counts as one that is missing."""
    given = request.query_params.getlist(name)
    return [Fields({name: value}, ("query",), fields.findings) for value in given] or [fields]


def _id(entry: Entry) -> str:
    """The word's id in the exchange format."""
    return next(iter(exchange_words([entry])))
