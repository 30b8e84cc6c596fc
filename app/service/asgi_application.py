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

from app.common.errors import AppError, OutputFileError
from app.common.language import localize
from app.core.stage_clock import RequestStopped
from app.service.access_middleware import AccessMiddleware
from app.service.http_errors import RefusalError, convert_to_refusal
from app.service.http_exchange import RequestBodyError
from app.service.http_service import ClientGoneError, HttpService
from app.service.openapi_document import build_docs_page, build_openapi
from app.service.request_log import RequestLogMiddleware
from app.service.routes_about import build_about_routes
from app.service.routes_changes import build_dictionary_routes, build_preset_routes
from app.service.routes_own import build_own_routes
from app.service.routes_query import build_query_routes
from app.service.routes_sound import build_sound_routes


def build_application(service: HttpService) -> ASGIApp:
    """All routes of a service."""
    routes = [
        Route("/", _serve_home),
        Route("/docs", _serve_docs),
        Route("/openapi.json", _serve_openapi),
        *build_query_routes(service),
        *build_sound_routes(service),
        *build_about_routes(service),
        *build_preset_routes(service),
        *build_dictionary_routes(service),
        *build_own_routes(service),
    ]
    handlers: dict[Any, Any] = {
        RefusalError: _report_refusal,
        AppError: _report_app_error,
        HTTPException: _report_http_error,
        Exception: _report_unexpected,
    }
    handlers |= dict.fromkeys((ClientGoneError, ClientDisconnect, RequestStopped), _report_gone_client)
    inner = Starlette(routes=routes, exception_handlers=handlers)
    inner.router.redirect_slashes = False
    return RequestLogMiddleware(AccessMiddleware(inner, service.access), service.request_log)


async def _serve_home(_request: Request) -> Response:
    return RedirectResponse("/docs")


async def _serve_docs(_request: Request) -> Response:
    return HTMLResponse(build_docs_page())


async def _serve_openapi(_request: Request) -> Response:
    return JSONResponse(build_openapi())


async def _report_refusal(_request: Request, error: RefusalError) -> Response:
    headers = {"retry-after": "1"} if error.status == 503 else None
    return JSONResponse(error.body, error.status, headers)


async def _report_app_error(request: Request, error: AppError) -> Response:
    refusal = convert_to_refusal(error)
    if refusal.status == 500:
        logging.getLogger("koebako").warning("the service could not answer: %s %s", error.message, error.hint)
    return await _report_refusal(request, refusal)


async def _report_http_error(_request: Request, error: HTTPException) -> Response:
    return JSONResponse({"detail": error.detail}, error.status_code, error.headers)


async def _report_gone_client(_request: Request, _error: Exception) -> Response:
    return Response(status_code=499)  # nobody reads it


async def _report_unexpected(_request: Request, error: Exception) -> Response:
    if isinstance(error, RequestBodyError):
        raise error
    cause = error.__cause__
    # In the middle of an answer, which can only break off.
    if isinstance(cause, AppError | RefusalError | RequestStopped):
        reason = cause.message if isinstance(cause, OutputFileError) else type(cause).__name__
        logging.getLogger("koebako").warning("the service broke an answer off: %s", reason)
    else:
        logging.getLogger("koebako").error("unexpected error in the service", exc_info=error)
    return JSONResponse({"detail": localize("予期しないエラーが発生しました。", "An unexpected error occurred.")}, 500)
