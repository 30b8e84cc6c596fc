"""Reasons of file errors in the user's language. The system's own texts are English, or follow another locale."""

import errno
import json

from app.common.language import get_language, localize


def describe_reason(error: BaseException) -> str:
    """Return a short reason without a full stop, such as "the disk is full". In English an unknown error keeps its own text."""
    own_text = str(getattr(error, "strerror", None) or error).rstrip(".。")
    if isinstance(error, OSError) and type(error).__module__ == "builtins":
        code = error.errno
        if code is None or (code not in _REASON_BY_ERRNO and not own_text.isascii()):  # one of our messages
            return own_text
        return localize(*_REASON_BY_ERRNO.get(code, (f"システムのエラー {errno.errorcode.get(code, code)}", own_text)))
    content_reason = _describe_content_error(error)
    if content_reason:
        return content_reason
    if own_text.isascii() and get_language() == "ja":
        return "内容が正しくありません" if isinstance(error, ValueError) else type(error).__name__
    return own_text or type(error).__name__


def _describe_content_error(error: BaseException) -> str:
    if isinstance(error, json.JSONDecodeError):
        return localize(f"{error.lineno} 行目が JSON ではありません", f"line {error.lineno} is not JSON")
    if type(error).__module__ == "_csv":
        return localize("表の形式が正しくありません", "it is not a table")
    if isinstance(error, UnicodeEncodeError):
        return localize("使用できない文字が含まれています", "it contains invalid characters")
    if isinstance(error, UnicodeError):
        return localize("文字コードが UTF-8 ではありません", "it is not UTF-8")
    if isinstance(error, RecursionError):
        return localize("入れ子が深すぎます", "it is nested too deeply")
    if type(error).__name__ == "gaierror":
        return localize("アドレスが見つかりません", "there is no such address")
    if type(error).__name__ == "TimeoutExpired":
        return localize("時間内に終わりませんでした", "it did not finish in time")
    if isinstance(error, MemoryError):
        return localize("メモリーが足りません", "not enough memory")
    return ""


_BUSY = ("使用中です", "it is in use")
_PERMISSION_DENIED = ("アクセスが許可されていません", "permission denied")
_FULL = ("ディスクの空き容量がありません", "the disk is full")
_UNREACHABLE = ("接続できません", "cannot connect")
_UNSUPPORTED = ("この場所では対応していません", "it is not supported here")
_REASON_BY_ERRNO_NAME = {
    "ENOENT": ("見つかりません", "it does not exist"),
    "ENOTDIR": ("フォルダーが見つかりません", "its folder does not exist"),
    "EISDIR": ("フォルダーです", "it is a folder"),
    "EEXIST": ("すでにあります", "it already exists"),
    "ENOTEMPTY": ("フォルダーが空ではありません", "the folder is not empty"),
    "EACCES": _PERMISSION_DENIED,
    "EPERM": _PERMISSION_DENIED,
    "EROFS": ("読み取り専用です", "it is read-only"),
    "EBUSY": _BUSY,
    "ETXTBSY": _BUSY,
    "EAGAIN": _BUSY,
    "EDEADLK": _BUSY,
    "ENOLCK": ("ロックできません", "it cannot be locked"),
    "ENOSPC": _FULL,
    "EDQUOT": _FULL,
    "EFBIG": ("大きすぎます", "it is too large"),
    "ENAMETOOLONG": ("名前が長すぎます", "the name is too long"),
    "EINVAL": ("使用できない名前です", "the name is not valid"),
    "EILSEQ": ("使用できない文字が含まれています", "it contains invalid characters"),
    "ELOOP": ("リンクが循環しています", "its links form a loop"),
    "EXDEV": ("別のディスクです", "it is on another disk"),
    "EMFILE": ("開いているファイルが多すぎます", "too many files are open"),
    "ENFILE": ("開いているファイルが多すぎます", "too many files are open"),
    "ENOMEM": ("メモリーが足りません", "not enough memory"),
    "EIO": ("読み書きに失敗しました", "reading or writing failed"),
    "EPIPE": ("受け取り側が閉じました", "the reader closed it"),
    "EINTR": ("中断されました", "it was interrupted"),
    "ENXIO": ("デバイスが見つかりません", "no such device"),
    "ENODEV": ("デバイスが見つかりません", "no such device"),
    "ENOEXEC": ("実行できません", "it cannot be run"),
    "ENOTSUP": _UNSUPPORTED,
    "EOPNOTSUPP": _UNSUPPORTED,
    "ENOSYS": _UNSUPPORTED,
    "ETIMEDOUT": ("時間内に応答がありません", "it did not answer in time"),
    "EADDRINUSE": ("ほかのアプリが使用中です", "another program is using it"),
    "EADDRNOTAVAIL": ("このコンピューターのアドレスではありません", "it is not an address of this computer"),
    "ESTALE": _UNREACHABLE,
    "EHOSTDOWN": _UNREACHABLE,
    "EHOSTUNREACH": _UNREACHABLE,
    "ENETDOWN": _UNREACHABLE,
    "ENETUNREACH": _UNREACHABLE,
    "ECONNREFUSED": _UNREACHABLE,
    "ECONNRESET": _UNREACHABLE,
    "ECONNABORTED": _UNREACHABLE,
}
_REASON_BY_ERRNO = {
    getattr(errno, name): words for name, words in _REASON_BY_ERRNO_NAME.items() if hasattr(errno, name)
}  # not every system has all
