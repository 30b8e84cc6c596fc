"""Routes that say what the service is and who speaks, and those that show presets and the user dictionary, and change them where that is allowed."""

import asyncio
import base64
import hashlib
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.adapters.user_dictionary import change_dictionary, read_user_entries
from app.common.errors import VoiceError
from app.common.files.whole_files import read_bounded
from app.common.language import localize
from app.common.version import VERSION
from app.compose.text_front_end import forget_readings
from app.core.text.dictionary_entries import USUAL_PRIORITY, DictionaryEntry, EntryKind, make_entry, merge_entries
from app.core.text.dictionary_formats import build_exchange_words, join_compound, parse_dictionary_json
from app.service.http_service import HttpService, cancel_on_disconnect, read_query_fields, read_style
from app.service.query_presets import QueryPreset, parse_preset
from app.service.request_fields import RefusalError, RequestFields, create_refusal
from app.service.service_job import JobContext
from app.service.style_catalogue import ServedSpeaker, ServedStyle

MAX_MEDIA_BYTES = 16 << 20
_PICTURE_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
_MEDIA_TYPES = _PICTURE_TYPES | {".wav": "audio/wav", ".m4a": "audio/mp4"}
_EMPTY_PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")

Entries = tuple[DictionaryEntry, ...]
_ENTRY_KINDS: dict[str, EntryKind] = {
    "PROPER_NOUN": "proper_noun", "COMMON_NOUN": "noun", "VERB": "verb", "ADJECTIVE": "adjective", "SUFFIX": "suffix",
}  # fmt: skip


class SpeakerMedia:
    """The media that `/speaker_info` returns; those returned as an address can be fetched there."""

    def __init__(self) -> None:
        self._published_files: dict[str, tuple[Path, str]] = {}

    def build_speaker_info(self, speaker: ServedSpeaker, address: str | None) -> dict[str, object]:
        """Return the answer of `/speaker_info`, with base64, or addresses below that of the service."""
        icon = self._publish_file(speaker, speaker.card.icon if speaker.card else "", address)
        styles = [self._build_style_info(speaker, style, icon, address) for style in speaker.styles]
        return {"policy": speaker.terms, "portrait": icon, "style_infos": styles}

    def find_content(self, name: str) -> tuple[bytes, str] | None:
        """Return the bytes and type of a file that was published under an address, or None."""
        if name == "none":
            return _EMPTY_PNG, "image/png"
        try:
            path, kind = self._published_files[name]
            return read_bounded(path, MAX_MEDIA_BYTES), kind
        except (KeyError, OSError):
            return None

    @staticmethod
    def encode_empty_picture() -> str:
        """Return an empty picture in base64, for answers that must have one."""
        return base64.b64encode(_EMPTY_PNG).decode()

    def _build_style_info(self, speaker: ServedSpeaker, style: ServedStyle, icon: str, address: str | None) -> dict[str, object]:
        style_card = next((item for item in speaker.card.styles if item.id == style.style), None) if speaker.card else None
        samples = [self._publish_file(speaker, sample.file, address) for sample in style_card.samples] if style_card else []
        icon = self._publish_file(speaker, style_card.icon, address) if style_card and style_card.icon else icon
        return {"id": style.id, "icon": icon, "portrait": None, "voice_samples": samples}

    def _publish_file(self, speaker: ServedSpeaker, file: str, address: str | None) -> str:
        """Publish a file of the card, whose names were checked when the card was read, and return its address or its base64."""
        path = speaker.media / file
        kind = _MEDIA_TYPES.get(path.suffix.lower())
        if not file or kind is None:
            return self.encode_empty_picture() if address is None else f"{address}/_resources/none"
        if address is not None:
            name = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()
            self._published_files[name] = path, kind
            return f"{address}/_resources/{name}"
        try:
            return base64.b64encode(read_bounded(path, MAX_MEDIA_BYTES)).decode()
        except (OSError, VoiceError):
            return self.encode_empty_picture()


Handler = Callable[[Request], Coroutine[Any, Any, Response]]
VOICEVOX_FRAME_RATE = 44100 / 512
VOICEVOX_RATE = 44100
ENGINE_MANIFEST = {
    "manifest_version": "0.13.1",
    "name": "Koebako",
    "brand_name": "Koebako",
    "uuid": "c6a2b7f0-5c0e-4d3e-9a67-6c1f7d3a5e10",
    "default_sampling_rate": VOICEVOX_RATE,
    "frame_rate": VOICEVOX_FRAME_RATE,
    "supported_vvlib_manifest_version": None,
    "update_infos": [],
    "supported_features": {
        **dict.fromkeys((f"adjust_{what}" for what in ("mora_pitch", "phoneme_length", "pause_length")), True),
        **dict.fromkeys((f"adjust_{what}_scale" for what in ("speed", "pitch", "intonation", "volume")), True),
        **{"interrogative_upspeak": True, "synthesis_morphing": False, "sing": False, "manage_library": False},
        **dict.fromkeys(("return_resource_url", "apply_katakana_english", "streaming_synthesis"), True),
    },
}


def build_about_routes(service: HttpService) -> list[Route]:
    """Return the routes for speakers, versions, and whether a voice is ready."""
    media = SpeakerMedia()

    async def list_speakers(_request: Request) -> Response:
        return JSONResponse([speaker.convert_to_json() for speaker in service.catalogue.speakers])

    async def describe_speaker(request: Request) -> Response:
        fields = read_query_fields(request)
        speaker_uuid = fields.parse_text("speaker_uuid", max_length=100)
        form = fields.read_choice("resource_format", ("base64", "url"), "base64")
        fields.check()
        speaker = service.catalogue.find_speaker(speaker_uuid)
        if speaker is None:
            raise create_refusal(404, "該当する話者が見つかりません", "There is no speaker with this UUID.")
        address = _build_address(request) if form == "url" else None
        return await asyncio.to_thread(lambda: JSONResponse(media.build_speaker_info(speaker, address)))

    async def send_resource(request: Request) -> Response:
        content = await asyncio.to_thread(media.find_content, request.path_params["name"])
        if content is None:
            raise create_refusal(404, "見つかりません。", "There is no such resource.")
        return Response(content[0], media_type=content[1])

    async def initialize_speaker(request: Request) -> Response:
        voice = read_style(service, read_query_fields(request)).voice

        def load_voice(turn: JobContext) -> None:
            is_open, pipeline = service.is_open(voice), turn.open_speaker(voice).pipeline
            # A new one speaks once, or the first sentence would wait for the graphs' first run.
            if not is_open:
                pipeline.warm_up(turn.is_cancelled)

        await cancel_on_disconnect(request, service.queue.compute_result(load_voice))
        return Response(status_code=204)

    async def is_initialized_speaker(request: Request) -> Response:
        return JSONResponse(service.is_open(read_style(service, read_query_fields(request)).voice))

    return [
        Route("/speakers", list_speakers),
        Route("/speaker_info", describe_speaker),
        Route("/_resources/{name}", send_resource),
        Route("/singers", _create_constant_handler([])),
        Route("/version", _create_constant_handler(VERSION)),
        Route("/core_versions", _create_constant_handler([VERSION])),
        Route("/engine_manifest", _send_manifest),
        Route("/supported_devices", _list_supported_devices),
        Route("/is_initialized_speaker", is_initialized_speaker),
        Route("/initialize_speaker", initialize_speaker, methods=["POST"]),
        Route("/singer_info", _create_refusing_handler(404, "歌声の声はありません。", "There are no voices that sing.")),
        *_build_unsupported_routes(),
    ]


def _build_unsupported_routes() -> list[Route]:
    sing = _create_refusing_handler(501, "歌声合成には対応していません。", "Singing is not supported.")
    morph = _create_refusing_handler(400, "モーフィングには対応していません。", "Morphing is not supported.")
    songs = ("/sing_frame_audio_query", "/sing_frame_f0", "/sing_frame_volume", "/frame_synthesis")
    return [
        *(Route(path, sing, methods=["POST"]) for path in songs),
        *(Route(path, morph, methods=["POST"]) for path in ("/morphable_targets", "/synthesis_morphing")),
    ]


async def _list_supported_devices(_request: Request) -> Response:
    # ONNX Runtime, which the window's first paint need not wait for.
    from app.adapters.ort.devices.ort_devices import list_providers

    providers = await asyncio.to_thread(list_providers)
    return JSONResponse({"cpu": True, "cuda": "CUDAExecutionProvider" in providers, "dml": "DmlExecutionProvider" in providers})


def _create_constant_handler(value: object) -> Handler:
    async def send_value(_request: Request) -> Response:
        return JSONResponse(value)

    return send_value


def _create_refusing_handler(status: int, ja: str, en: str) -> Handler:
    async def refuse_request(_request: Request) -> Response:
        raise RefusalError(status, {"detail": localize(ja, en)})

    return refuse_request


async def _send_manifest(request: Request) -> Response:
    terms = "声ごとの利用規約は /speaker_info の policy をご覧ください。", "See policy in /speaker_info for the terms of each voice."
    licence = {"name": "Koebako", "version": VERSION, "license": "MIT", "text": "MIT License"}
    address_facts = {"url": f"{_build_address(request)}/docs", "icon": SpeakerMedia.encode_empty_picture()}
    return JSONResponse(ENGINE_MANIFEST | address_facts | {"terms_of_service": localize(*terms), "dependency_licenses": [licence]})


def _build_address(request: Request) -> str:
    """Return our address as the client knows it; its Host was checked."""
    return f"http://{request.headers['host']}"


def build_preset_routes(service: HttpService) -> list[Route]:
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
