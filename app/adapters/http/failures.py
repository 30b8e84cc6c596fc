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
        super().__init__(localized("ダウンロードを中止しました。", "The download was stopped."))


def of_status(status: int, headers: Mapping[str, str], host: str) -> DownloadError:
    """What a status that brings no file means."""
    if status in PASSING_STATUSES:
        return PassingError(
            localized(f"{host} が混み合っているか、一時的に利用できません（{status}）。", f"{host} is busy or unavailable ({status})."),
            later_hint(),
            retry_after_s(headers.get("Retry-After")),
        )
    if status in (404, 410):
        return DownloadError(
            localized(f"{host} にこのファイルはありません（{status}）。", f"{host} has no such file ({status})."),
            localized(
                "アドレスまたは ID を確認してください。公開が終了した可能性もあります。",
                "Check the address or ID. The file may no longer be available.",
            ),
        )
    if status in LOGIN_STATUSES:
        return _login_needed(status, host)
    if status == PROXY_LOGIN:
        return proxy_failure()
    return DownloadError(
        localized(f"{host} からファイルを取得できません（{status}）。", f"{host} refused the download ({status})."),
        localized("アドレスを確認してください。", "Check the address."),
    )


def _login_needed(status: int, host: str) -> DownloadError:
    return DownloadError(
        localized(
            f"{host} のこのファイルをダウンロードするには、ログインまたは利用条件への同意が必要です（{status}）。",
            f"{host} requires a login or an accepted licence for this file ({status}).",
        ),
        localized(
            "ブラウザーでダウンロードし、そのファイルを追加してください。Hugging Face ではトークン（HF_TOKEN）も使えます。",
            "Download it in a browser and add the file. For Hugging Face, you can also set a token in HF_TOKEN.",
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
                "インターネットに接続されているか、アドレスが正しいか確認してください。",
                "Check the internet connection and the address.",
            ),
        )
    if isinstance(error, http.NewConnectionError):
        return PassingError(localized(f"{host} に接続できません。", f"{host} cannot be reached."), connection_hint())
    if isinstance(error, http.TimeoutError | TimeoutError):
        return no_answer(host)
    if isinstance(error, http.LocationValueError):
        return UnusableAddressError(localized("このアドレスには接続できません", "it cannot be connected to"))
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
        localized(f"{host} の証明書を確認できません。", f"The certificate of {host} is not trusted."),
        localized(
            "コンピューターの日付と時刻を確認してください。会社や学校のネットワークでは、その証明書を OS に登録する必要がある場合があります。",
            "Check this computer's date and time. On a company or school network, its certificate may have to be installed in the system.",
        ),
    )


def proxy_failure() -> DownloadError:
    """The proxy could not be used."""
    return DownloadError(
        localized("プロキシ経由で接続できません。", "Cannot connect through the proxy."),
        localized(
            "環境変数 HTTPS_PROXY、HTTP_PROXY、NO_PROXY、または OS のプロキシ設定を確認してください。",
            "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY, or the system proxy settings.",
        ),
    )


def broken_off(host: str, wait_s: float | None = None) -> PassingError:
    """The connection ended before the file did."""
    return PassingError(localized(f"{host} との接続が切れました。", f"The connection to {host} was lost."), connection_hint(), wait_s)


def no_answer(host: str) -> PassingError:
    """The server says nothing."""
    return PassingError(localized(f"{host} から応答がありません。", f"{host} does not answer."), connection_hint())


def too_slow(host: str, limit_s: float) -> DownloadError:
    """The server says something, but does not come to the point."""
    return DownloadError(
        localized(
            f"{host} の応答が {limit_s:g} 秒以内に完了しませんでした。", f"The response from {host} did not finish within {limit_s:g} s."
        ),
        localized("しばらくしてからもう一度お試しください。", "Try again later."),
    )


def not_understood(host: str) -> DownloadError:
    """The answer is not what the server should send."""
    return DownloadError(
        localized(f"{host} から予期しない応答がありました。", f"{host} sent an unexpected response."),
        localized("ブラウザーでファイルをダウンロードして追加してください。", "Download the file in a browser, then add it."),
    )


def connection_hint() -> str:
    """What helps when the line is bad."""
    return localized(
        "接続を確認して、もう一度お試しください。続きから再開します。",
        "Check the connection and try again; the download resumes where it stopped.",
    )


def later_hint() -> str:
    """What helps when the server is bad."""
    return localized(
        "しばらくしてからもう一度お試しください。続きから再開します。", "Try again later; the download resumes where it stopped."
    )
