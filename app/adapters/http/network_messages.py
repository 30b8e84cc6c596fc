"""Failures between this machine and a server, as sentences for the user, and whether another try is worthwhile."""

import ssl
from collections.abc import Mapping
from http.client import HTTPException, IncompleteRead, RemoteDisconnected

from app.adapters.http.http_address import UnusableAddressError
from app.adapters.http.response_headers import parse_retry_after
from app.common.errors import DownloadError
from app.common.language import localize

TRANSIENT_STATUSES = (408, 425, 429, 500, 502, 503, 504)
LOGIN_STATUSES = (401, 403)
PROXY_LOGIN_STATUS = 407


class TransientDownloadError(DownloadError):
    """One that may be gone at the next try."""

    def __init__(self, message: str, hint: str = "", wait_s: float | None = None) -> None:
        super().__init__(message, hint)
        self.wait_s = wait_s  # how long the server asks to wait; 0 to try again at once, None where it said nothing


class DownloadCancelledError(DownloadError):
    """The user wanted to stop; what has arrived is kept for the next time."""

    def __init__(self) -> None:
        super().__init__(localize("ダウンロードを中止しました。", "The download was stopped."))


def build_status_error(status: int, headers: Mapping[str, str], host: str) -> DownloadError:
    """Return what a status that brings no file means."""
    if status in TRANSIENT_STATUSES:
        return TransientDownloadError(
            localize(f"{host} が混み合っているか、一時的に利用できません（{status}）。", f"{host} is busy or unavailable ({status})."),
            localize(
                "しばらくしてからもう一度お試しください。続きから再開します。", "Try again later; the download resumes where it stopped."
            ),
            parse_retry_after(headers.get("Retry-After")),
        )
    if status in (404, 410):
        return DownloadError(
            localize(f"{host} にこのファイルはありません（{status}）。", f"{host} has no such file ({status})."),
            localize(
                "アドレスまたは ID を確認してください。公開が終了した可能性もあります。",
                "Check the address or ID. The file may no longer be available.",
            ),
        )
    if status in LOGIN_STATUSES:
        return DownloadError(
            localize(
                f"{host} のこのファイルをダウンロードするには、ログインまたは利用条件への同意が必要です（{status}）。",
                f"{host} requires a login or an accepted licence for this file ({status}).",
            ),
            localize(
                "ブラウザーでダウンロードし、そのファイルを追加してください。Hugging Face ではトークン（HF_TOKEN）も使えます。",
                "Download it in a browser and add the file. For Hugging Face, you can also set a token in HF_TOKEN.",
            ),
        )
    if status == PROXY_LOGIN_STATUS:
        return build_proxy_error()
    return DownloadError(
        localize(f"{host} からファイルを取得できません（{status}）。", f"{host} refused the download ({status})."),
        localize("アドレスを確認してください。", "Check the address."),
    )


def build_network_error(error: BaseException, host: str) -> DownloadError:
    """Return what an exception of the HTTP library or of the system means; any other is our own fault and raised as it is."""
    from urllib3 import exceptions as http

    if isinstance(error, DownloadError):
        return error
    if isinstance(error, http.ProxyError | http.ProxySchemeUnknown):
        return build_proxy_error()
    if _is_certificate_error(error):
        return DownloadError(
            localize(f"{host} の証明書を確認できません。", f"The certificate of {host} is not trusted."),
            localize(
                "コンピューターの日付と時刻を確認してください。会社や学校のネットワークでは、その証明書を OS に登録する必要がある場合があります。",
                "Check this computer's date and time. On a company or school network, its certificate may have to be installed in the system.",
            ),
        )
    if isinstance(error, http.NameResolutionError):
        return TransientDownloadError(
            localize(f"{host} が見つかりません。", f"{host} cannot be found."),
            localize(
                "インターネットに接続されているか、アドレスが正しいか確認してください。", "Check the internet connection and the address."
            ),
        )
    if isinstance(error, http.NewConnectionError):
        return TransientDownloadError(localize(f"{host} に接続できません。", f"{host} cannot be reached."), describe_connection_remedy())
    if isinstance(error, http.TimeoutError | TimeoutError):
        return build_no_response_error(host)
    if isinstance(error, http.LocationValueError):
        return UnusableAddressError(localize("このアドレスには接続できません", "it cannot be connected to"))
    if isinstance(error, ValueError) or _is_invalid_http(error):
        return build_bad_response_error(host)
    if isinstance(error, http.HTTPError | HTTPException | OSError):
        return build_disconnected_error(host)
    raise error


def _is_invalid_http(error: BaseException) -> bool:
    """Return whether the server does not speak HTTP, or without end; a server that hung up is another matter."""
    from urllib3 import exceptions as http

    cause = next((item for item in (error, *error.args) if isinstance(item, HTTPException)), None)
    if isinstance(cause, IncompleteRead | RemoteDisconnected):
        return False
    return cause is not None or isinstance(error, http.DecodeError | http.InvalidHeader)


def _is_certificate_error(error: BaseException | None) -> bool:
    for _ in range(10):
        if error is None:
            return False
        if any(isinstance(item, ssl.SSLCertVerificationError) for item in (error, *error.args)):
            return True
        error = error.__cause__ or error.__context__
    return False


def build_proxy_error() -> DownloadError:
    """Return the error for a proxy that could not be used."""
    return DownloadError(
        localize("プロキシ経由で接続できません。", "Cannot connect through the proxy."),
        localize(
            "環境変数 HTTPS_PROXY、HTTP_PROXY、NO_PROXY、または OS のプロキシ設定を確認してください。",
            "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY, or the system proxy settings.",
        ),
    )


def build_disconnected_error(host: str, wait_s: float | None = None) -> TransientDownloadError:
    """Return the error for a connection that ended before the file did."""
    return TransientDownloadError(
        localize(f"{host} との接続が切れました。", f"The connection to {host} was lost."), describe_connection_remedy(), wait_s
    )


def build_no_response_error(host: str) -> TransientDownloadError:
    """Return the error for a server that sends nothing."""
    return TransientDownloadError(localize(f"{host} から応答がありません。", f"{host} does not answer."), describe_connection_remedy())


def build_too_slow_error(host: str, limit_s: float) -> DownloadError:
    """Return the error for a server that sends too slowly."""
    english = f"The response from {host} did not finish within {limit_s:g} s."
    return DownloadError(
        localize(f"{host} の応答が {limit_s:g} 秒以内に完了しませんでした。", english),
        localize("しばらくしてからもう一度お試しください。", "Try again later."),
    )


def build_bad_response_error(host: str) -> DownloadError:
    """Return the error for a response that such a server should not send."""
    return DownloadError(
        localize(f"{host} から予期しない応答がありました。", f"{host} sent an unexpected response."),
        localize("ブラウザーでファイルをダウンロードして追加してください。", "Download the file in a browser, then add it."),
    )


def describe_connection_remedy() -> str:
    """Return what helps when the line is bad."""
    return localize(
        "接続を確認して、もう一度お試しください。続きから再開します。",
        "Check the connection and try again; the download resumes where it stopped.",
    )
