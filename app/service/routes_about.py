"""Routes that say what the service is and who speaks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.language import localized
from app.service.media import Media
from app.service.refused import Refused, refused
from app.service.service import Service, query_of, style_of, unless_gone
from app.service.work import Turn
from app.version import VERSION

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
FRAME_RATE = 44100 / 512
RATE = 44100
MANIFEST = {
    "manifest_version": "0.13.1",
    "name": "Koebako",
    "brand_name": "Koebako",
    "uuid": "c6a2b7f0-5c0e-4d3e-9a67-6c1f7d3a5e10",
    "default_sampling_rate": RATE,
    "frame_rate": FRAME_RATE,
    "supported_vvlib_manifest_version": None,
    "update_infos": [],
    "supported_features": {
        "adjust_mora_pitch": False,
        "adjust_phoneme_length": True,
        "adjust_pause_length": True,
        "adjust_speed_scale": True,
        "adjust_pitch_scale": True,
        "adjust_intonation_scale": True,
        "adjust_volume_scale": True,
        "interrogative_upspeak": True,
        "synthesis_morphing": False,
        "sing": False,
        "manage_library": False,
        "return_resource_url": True,
        "apply_katakana_english": True,
        "streaming_synthesis": True,
    },
}


def about_routes(service: Service) -> list[Route]:
    """Speakers, versions, and whether a voice is ready."""
    media = Media()

    async def speakers(_request: Request) -> Response:
        return JSONResponse([speaker.values() for speaker in service.catalogue.speakers])

    async def speaker_info(request: Request) -> Response:
        fields = query_of(request)
        wanted = fields.text("speaker_uuid", longest=100)
        form = fields.choice("resource_format", ("base64", "url"), "base64")
        fields.check()
        speaker = service.catalogue.speaker(wanted)
        if speaker is None:
            raise refused(404, "該当するキャラクターが見つかりません", "There is no speaker with this UUID.")
        address = _address(request) if form == "url" else None
        return await asyncio.to_thread(lambda: JSONResponse(media.info(speaker, address)))

    async def resource(request: Request) -> Response:
        found = await asyncio.to_thread(media.content, request.path_params["name"])
        if found is None:
            raise refused(404, "見つかりません。", "There is no such resource.")
        return Response(found[0], media_type=found[1])

    async def initialize_speaker(request: Request) -> Response:
        voice = style_of(service, query_of(request)).voice
        await unless_gone(request, service.queue.compute(lambda turn: _load(turn, voice, known=service.is_open(voice))))
        return Response(status_code=204)

    async def is_initialized_speaker(request: Request) -> Response:
        return JSONResponse(service.is_open(style_of(service, query_of(request)).voice))

    async def supported_devices(_request: Request) -> Response:
        known = await asyncio.to_thread(_providers)
        return JSONResponse({"cpu": True, "cuda": "CUDAExecutionProvider" in known, "dml": "DmlExecutionProvider" in known})

    return [
        Route("/speakers", speakers),
        Route("/speaker_info", speaker_info),
        Route("/_resources/{name}", resource),
        Route("/singers", _always([])),
        Route("/version", _always(VERSION)),
        Route("/core_versions", _always([VERSION])),
        Route("/engine_manifest", _manifest),
        Route("/supported_devices", supported_devices),
        Route("/is_initialized_speaker", is_initialized_speaker),
        Route("/initialize_speaker", initialize_speaker, methods=["POST"]),
        Route("/singer_info", _missing(404, "歌声の声はありません。", "There are no voices that sing.")),
        *_unsupported(),
    ]


def _load(turn: Turn, voice: str, *, known: bool) -> None:
    """Opens a voice; a new one speaks once, or the first sentence would wait for what graphs do only then."""
    pipeline = turn.voices.speaker_of(voice).pipeline
    if not known:
        pipeline.warm_up(turn.cancelled)


def _unsupported() -> list[Route]:
    """What VOICEVOX has and no voice of ours can do."""
    sing = _missing(501, "歌声合成には対応していません。", "Singing is not supported.")
    morph = _missing(400, "モーフィングには対応していません。", "Morphing is not supported.")
    songs = ("/sing_frame_audio_query", "/sing_frame_f0", "/sing_frame_volume", "/frame_synthesis")
    return [
        *(Route(path, sing, methods=["POST"]) for path in songs),
        *(Route(path, morph, methods=["POST"]) for path in ("/morphable_targets", "/synthesis_morphing")),
    ]


def _providers() -> list[str]:
    from app.adapters.ort.providers import offered_providers  # ONNX Runtime, which the window's first paint need not wait for

    return offered_providers()


def _always(value: object) -> Handler:
    async def handler(_request: Request) -> Response:
        return JSONResponse(value)

    return handler


def _missing(status: int, ja: str, en: str) -> Handler:
    async def handler(_request: Request) -> Response:
        raise Refused(status, {"detail": localized(ja, en)})

    return handler


async def _manifest(request: Request) -> Response:
    terms = localized(
        "声ごとの利用規約は /speaker_info の policy をご覧ください。", "See policy in /speaker_info for the terms of each voice."
    )
    licence = {"name": "Koebako", "version": VERSION, "license": "MIT", "text": "MIT License"}
    own = {"url": f"{_address(request)}/docs", "icon": Media.picture(), "terms_of_service": terms, "dependency_licenses": [licence]}
    return JSONResponse(MANIFEST | own)


def _address(request: Request) -> str:
    """As the client knows us; its Host was checked."""
    return f"http://{request.headers['host']}"
