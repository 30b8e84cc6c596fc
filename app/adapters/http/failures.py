"""What can go wrong between here and a server, as sentences for the user; and whether it is worth another try."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from http.client import HTTPException, IncompleteRead, RemoteDisconnected

from app.adapters.http.address import UnusableAddressError
from app.adapters.http.headers import retry_after_s
from app.errors import DownloadError
from app.language import localized

PASSING_STATUSES = (408, 425, 429, 500, 502, 503, 504)
LOGIN_STATUSES = (401, 403)
PROXY_LOGIN = 407


class PassingError(DownloadError):
    """One that may be gone at the next try.

    Attributes:
        wait_s: how long the server asks to wait; 0 to try again at once, None where it said nothing.
    """

    def __init__(self, message: str, hint: str = "", wait_s: float | None = None) -> None:
        super().__init__(message, hint)
        self.wait_s = wait_s


class DownloadCancelledError(DownloadError):
    """The user wanted to stop; what has arrived is kept for the next time."""

    def __init__(self) -> None:
        super().__init__(localized("ダウンロードを中止しました。", "The download was cancelled."))


def of_status(status: int, headers: Mapping[str, str], host: str) -> DownloadError:
    """What a status that brings no file means."""
    if status in PASSING_STATUSES:
        return PassingError(
            localized(f"{host} が混み合っているか、不調です（{status}）。", f"{host} is busy or out of order ({status})."),
            later_hint(),
            retry_after_s(headers.get("Retry-After")),
        )
    if status in (404, 410):
        return DownloadError(
            localized(f"{host} にそのファイルはありません（{status}）。", f"{host} does not have this file ({status})."),
            localized(
                "アドレスや ID を確かめてください。公開が終わったのかもしれません。", "Check the address or id. It may have been withdrawn."
            ),
        )
    if status in LOGIN_STATUSES:
        return _login_needed(status, host)
    if status == PROXY_LOGIN:
        return proxy_failure()
    return DownloadError(
        localized(f"{host} がファイルを渡しませんでした（{status}）。", f"{host} did not hand over the file ({status})."),
        localized("アドレスを確かめてください。", "Check the address."),
    )


def _login_needed(status: int, host: str) -> DownloadError:
    return DownloadError(
        localized(
            f"{host} のこのファイルは、ログインか利用条件への同意が必要です（{status}）。",
            f"{host} wants a login or an accepted licence for this file ({status}).",
        ),
        localized(
            "ブラウザーでそのページを開いてダウンロードし、できたファイルを追加してください。Hugging Face では HF_TOKEN も使えます。",
            "Download it in a browser and add the file; for Hugging Face a token in HF_TOKEN works too.",
        ),
    )


def of_exception(error: BaseException, host: str) -> DownloadError:
    """What an exception of the HTTP library or of the system means; any other is a fault of ours and raised as it is.

    Args:
        error: raised while asking or reading.
        host: whom we asked, as the user may read it.
    """
    from urllib3 import exceptions as http

    if isinstance(error, DownloadError):
        return error
    if isinstance(error, http.ProxyError | http.ProxySchemeUnknown):
        return proxy_failure()
    if _distrusted(error):
        return _untrusted(host)
    if isinstance(error, http.NameResolutionError):
        return PassingError(
            localized(f"{host} が見つかりません。", f"{host} cannot be found."),
            localized(
                "インターネットにつながっているか、アドレスに誤りがないか確かめてください。",
                "Check the internet connection and the address.",
            ),
        )
    if isinstance(error, http.NewConnectionError):
        return PassingError(localized(f"{host} に接続できません。", f"{host} cannot be reached."), connection_hint())
    if isinstance(error, http.TimeoutError | TimeoutError):
        return no_answer(host)
    if isinstance(error, http.LocationValueError):
        return UnusableAddressError(localized("接続できる形ではありません", "no connection can be made to it"))
    if isinstance(error, ValueError) or _garbled(error):
        return not_understood(host)
    if isinstance(error, http.HTTPError | HTTPException | OSError):
        return broken_off(host)
    raise error


def _garbled(error: BaseException) -> bool:
    """The server does not speak HTTP, or without end; one that hung up is another matter."""
    from urllib3 import exceptions as http

    cause = next((item for item in (error, *error.args) if isinstance(item, HTTPException)), None)
    if isinstance(cause, IncompleteRead | RemoteDisconnected):
        return False
    return cause is not None or isinstance(error, http.DecodeError | http.InvalidHeader)


def _distrusted(error: BaseException | None) -> bool:
    seen = 0
    while error is not None and seen < 10:
        if isinstance(error, ssl.SSLCertVerificationError) or any(isinstance(item, ssl.SSLCertVerificationError) for item in error.args):
            return True
        error, seen = error.__cause__ or error.__context__, seen + 1
    return False


def _untrusted(host: str) -> DownloadError:
    return DownloadError(
        localized(f"{host} の証明書を信頼できません。", f"The certificate of {host} is not trusted."),
        localized(
            "パソコンの日付と時刻を確かめてください。会社や学校の回線では、そこの証明書を OS に登録する必要があります。",
            "Check the date and time of this computer. In a company's network its certificate must be installed in the system.",
        ),
    )


def proxy_failure() -> DownloadError:
    """The proxy could not be used."""
    return DownloadError(
        localized("プロキシを通じて接続できません。", "The proxy could not be used."),
        localized(
            "環境変数 HTTPS_PROXY・HTTP_PROXY・NO_PROXY か、OS のプロキシ設定を確かめてください。",
            "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY, or the system's proxy settings.",
        ),
    )


def broken_off(host: str, wait_s: float | None = None) -> PassingError:
    """The connection ended before the file did."""
    return PassingError(localized(f"{host} との接続が途切れました。", f"The connection to {host} broke off."), connection_hint(), wait_s)


def no_answer(host: str) -> PassingError:
    """The server says nothing."""
    return PassingError(localized(f"{host} から応答がありません。", f"{host} does not answer."), connection_hint())


def too_slow(host: str, limit_s: float) -> DownloadError:
    """The server says something, but does not come to the point."""
    return DownloadError(
        localized(f"{host} の応答が {limit_s:g} 秒たっても終わりません。", f"The answer of {host} was not complete after {limit_s:g} s."),
        localized("しばらくしてからもう一度お試しください。", "Try again later."),
    )


def not_understood(host: str) -> DownloadError:
    """The answer is not what the server should send."""
    return DownloadError(
        localized(f"{host} の応答を理解できません。", f"The answer of {host} is not understood."),
        localized("ブラウザーでファイルをダウンロードして追加してください。", "Download the file in a browser and add it."),
    )


def connection_hint() -> str:
    """What helps when the line is bad."""
    return localized(
        "接続を確かめて、もう一度お試しください。続きから再開します。", "Check the connection and try again; it goes on where it stopped."
    )


def later_hint() -> str:
    """What helps when the server is bad."""
    return localized("しばらくしてからもう一度お試しください。続きから再開します。", "Try again later; it goes on where it stopped.")
