"""The routes behind their guard: an ASGI application."""

import hmac
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.common.errors import AppError, OutputFileError
from app.common.language import localize
from app.core.sound.stage_clock import RequestStopped
from app.service.access import AccessRules
from app.service.http_exchange import BodyQuota, GuardedSend, RequestBody, RequestBodyError, RequestHeaders
from app.service.http_service import ClientGoneError, HttpService
from app.service.openapi_document import build_docs_page, build_openapi
from app.service.request_fields import RefusalError, convert_to_refusal
from app.service.request_log import RequestLogMiddleware
from app.service.routes_about import build_about_routes, build_dictionary_routes, build_preset_routes
from app.service.routes_own import build_own_routes
from app.service.routes_query import build_query_routes, build_sound_routes

# A page in a browser is a stranger, whatever name it resolved for us.

BODY_BYTES, LONG_BODY_BYTES = 4 << 20, 64 << 20
LONG_BODY_PATHS = ("/multi_synthesis", "/connect_waves", "/import_user_dict")
Headers = tuple[tuple[bytes, bytes], ...]
_CLOSE, _LATER = ((b"connection", b"close"),), ((b"retry-after", b"1"),)
# In addition to the origin itself.
_CORS_HEADERS: Headers = (
    (b"vary", b"Origin"),
    (b"access-control-expose-headers", b"Content-Disposition"),
    (b"cross-origin-resource-policy", b"cross-origin"),
)
_PREFLIGHT_HEADERS: Headers = (
    (b"access-control-allow-methods", b"GET, POST, PUT, DELETE"),
    (b"access-control-allow-headers", b"Authorization, Content-Type"),
    (b"access-control-allow-private-network", b"true"),
    (b"access-control-max-age", b"600"),
)


class AccessMiddleware:
    """Middleware around the whole application: nothing is parsed, looked up or computed for a request that it refuses."""

    def __init__(self, app: ASGIApp, access: AccessRules) -> None:
        self._app, self._access, self._room = app, access, BodyQuota()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if len(scope["path"]) > 1 and scope["path"].endswith("/"):  # as clients put addresses together
            scope = {**scope, "path": scope["path"][:-1]}
        headers = RequestHeaders(scope["headers"])
        origin = headers.find_single(b"origin") or ""
        is_shared = origin and self._is_origin_allowed(headers)
        send = GuardedSend(send, ((b"access-control-allow-origin", origin.encode("latin-1")), *_CORS_HEADERS) if is_shared else ())
        if (refusal := self._find_refusal(scope, headers)) is not None:
            status, sentence = refusal
            # Where its end is in doubt, nothing may follow.
            await _send_refusal(send, status, sentence, _CLOSE if status == 400 else ())
        elif scope["method"] == "OPTIONS":
            await _send_answer(send, 204, _PREFLIGHT_HEADERS)
        elif self._access.token and not self._has_token(headers):
            await _send_refusal(send, 401, localize("トークンが必要です。", "A token is required."), ((b"www-authenticate", b"Bearer"),))
        else:
            limit = LONG_BODY_BYTES if scope["path"] in LONG_BODY_PATHS else BODY_BYTES
            body = RequestBody(receive, limit, int(headers.find_single(b"content-length") or 0), self._room)
            # What it was read for is made by then.
            send.on_begin = body.release
            try:
                await self._app(scope, body, send)
            except RequestBodyError as error:
                if not send.begun:
                    await _send_refusal(send, error.status, str(error), _CLOSE + (_LATER if error.status == 503 else ()))
            finally:
                body.release()

    def _find_refusal(self, scope: Scope, headers: RequestHeaders) -> tuple[int, str] | None:
        """Return status and sentence for a request that is refused whatever it requests."""
        host = headers.find_single(b"host")
        if host is None or not self._access.is_host_allowed(host):
            return 403, localize("このホスト名では応答しません。", "The service does not answer to this Host.")
        if not self._is_origin_allowed(headers):
            return 403, localize("このページからは使えません。", "Pages of this origin may not use the service.")
        length = headers.list_values(b"content-length")
        if len(length) > 1 or (length and headers.list_values(b"transfer-encoding")):
            return 400, localize("リクエストの長さが二通りに示されています。", "The request states its length twice.")
        if length and not (length[0].isascii() and length[0].isdigit() and len(length[0]) < 16):
            return 400, localize("リクエストの長さが正しくありません。", "The length of the request is not valid.")
        if not scope["raw_path"].startswith(b"/"):
            return 400, localize("リクエストの形式が正しくありません。", "The request is malformed.")
        return None

    def _is_origin_allowed(self, headers: RequestHeaders) -> bool:
        origins, sites = headers.list_values(b"origin"), headers.list_values(b"sec-fetch-site")
        if len(origins) > 1 or len(sites) > 1:
            return False
        return self._access.is_origin_allowed("".join(origins), "".join(sites).lower())

    def _has_token(self, headers: RequestHeaders) -> bool:
        scheme, _, token = (headers.find_single(b"authorization") or "").partition(" ")
        is_same = hmac.compare_digest(token.strip().encode("latin-1", "replace"), self._access.token.encode())
        return is_same and scheme.lower() == "bearer"


async def _send_answer(send: Send, status: int, headers: Headers, body: bytes = b"") -> None:
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    await send({"type": "http.response.body", "body": body})


async def _send_refusal(send: Send, status: int, sentence: str, headers: Headers = ()) -> None:
    body = json.dumps({"detail": sentence}, ensure_ascii=False).encode()
    content = (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())
    await _send_answer(send, status, (*content, *headers), body)


def build_application(service: HttpService) -> ASGIApp:
    routes = [
        Route("/", _create_handler(lambda: RedirectResponse("/docs"))),
        Route("/docs", _create_handler(lambda: HTMLResponse(build_docs_page()))),
        Route("/openapi.json", _create_handler(lambda: JSONResponse(build_openapi()))),
        *build_query_routes(service),
        *build_sound_routes(service),
        *build_about_routes(service),
        *build_preset_routes(service),
        *build_dictionary_routes(service),
        *build_own_routes(service),
    ]
    handlers: dict[Any, Any] = {RefusalError: _report_refusal, AppError: _report_app_error, HTTPException: _report_http_error}
    handlers |= {Exception: _report_unexpected} | dict.fromkeys((ClientGoneError, ClientDisconnect, RequestStopped), _report_gone_client)
    inner = Starlette(routes=routes, exception_handlers=handlers)
    inner.router.redirect_slashes = False
    return RequestLogMiddleware(AccessMiddleware(inner, service.access), service.request_log)


def _create_handler(build_response: Callable[[], Response]) -> Callable[[Request], Awaitable[Response]]:
    async def send_response(_request: Request) -> Response:
        return build_response()

    return send_response


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
