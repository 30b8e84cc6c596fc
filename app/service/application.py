"""The routes behind their guard: an ASGI application."""

from __future__ import annotations

import logging
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from app.core.timing import Stopped
from app.errors import AppError, OutputFileError
from app.language import localized
from app.service.exchange import BodyError
from app.service.guard import Guard
from app.service.openapi import description, page
from app.service.recent import Watched
from app.service.refused import Refused, refusal_of
from app.service.routes_about import about_routes
from app.service.routes_changes import dictionary_routes, preset_routes
from app.service.routes_own import own_routes
from app.service.routes_query import query_routes
from app.service.routes_sound import sound_routes
from app.service.service import GoneError, Service


def application(service: Service) -> ASGIApp:
    """All routes of a service."""
    routes = [
        Route("/", _home),
        Route("/docs", _docs),
        Route("/openapi.json", _openapi),
        *query_routes(service),
        *sound_routes(service),
        *about_routes(service),
        *preset_routes(service),
        *dictionary_routes(service),
        *own_routes(service),
    ]
    handlers: dict[Any, Any] = {Refused: _refused, AppError: _failed, HTTPException: _unknown, Exception: _unexpected}
    handlers |= dict.fromkeys((GoneError, ClientDisconnect, Stopped), _gone)
    inner = Starlette(routes=routes, exception_handlers=handlers)
    inner.router.redirect_slashes = False
    return Watched(Guard(inner, service.access), service.recent)


async def _home(_request: Request) -> Response:
    return RedirectResponse("/docs")


async def _docs(_request: Request) -> Response:
    return HTMLResponse(page())


async def _openapi(_request: Request) -> Response:
    return JSONResponse(description())


async def _refused(_request: Request, error: Refused) -> Response:
    headers = {"retry-after": "1"} if error.status == 503 else None
    return JSONResponse(error.body, error.status, headers)


async def _failed(request: Request, error: AppError) -> Response:
    refusal = refusal_of(error)
    if refusal.status == 500:
        logging.getLogger("koebako").warning("the service could not answer: %s %s", error.message, error.hint)
    return await _refused(request, refusal)


async def _unknown(_request: Request, error: HTTPException) -> Response:
    return JSONResponse({"detail": error.detail}, error.status_code, error.headers)


async def _gone(_request: Request, _error: Exception) -> Response:
    return Response(status_code=499)  # nobody reads it


async def _unexpected(_request: Request, error: Exception) -> Response:
    if isinstance(error, BodyError):
        raise error
    cause = error.__cause__
    if isinstance(cause, AppError | Refused | Stopped):  # in the middle of an answer, which can only break off
        reason = cause.message if isinstance(cause, OutputFileError) else type(cause).__name__
        logging.getLogger("koebako").warning("the service broke an answer off: %s", reason)
    else:
        logging.getLogger("koebako").error("unexpected error in the service", exc_info=error)
    return JSONResponse({"detail": localized("予期しないエラーが発生しました。", "An unexpected error occurred.")}, 500)
