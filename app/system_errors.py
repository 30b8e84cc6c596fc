"""Reasons of file errors in the user's language. The system's own texts are English, or follow another locale."""

from __future__ import annotations

import errno
import json

from app.language import language, localized


def reason_of(error: BaseException) -> str:
    """A short reason without a full stop, such as "the disk is full". In English an unknown error keeps its own text."""
    own = str(getattr(error, "strerror", None) or error).rstrip(".。")
    if isinstance(error, OSError) and type(error).__module__ == "builtins":
        return _of_the_system(error.errno, own)
    known = _of_content(error)
    if known:
        return known
    if own.isascii() and language() == "ja":
        return "内容が正しくありません" if isinstance(error, ValueError) else type(error).__name__
    return own or type(error).__name__


def _of_the_system(code: int | None, own: str) -> str:
    if code is None or (code not in _REASONS and not own.isascii()):  # a message of ours
        return own
    ja, en = _REASONS.get(code, (f"システムのエラー {errno.errorcode.get(code, code)}", own))
    return localized(ja, en)


def _of_content(error: BaseException) -> str:
    """What is wrong with a file's content, by the type of the exception; empty if unknown."""
    if isinstance(error, json.JSONDecodeError):
        return localized(f"{error.lineno} 行目が JSON ではありません", f"line {error.lineno} is not JSON")
    if type(error).__module__ == "_csv":
        return localized("表の形式が正しくありません", "it is not a table")
    if isinstance(error, UnicodeEncodeError):
        return localized("使用できない文字が含まれています", "it contains invalid characters")
    if isinstance(error, UnicodeError):
        return localized("文字コードが UTF-8 ではありません", "it is not UTF-8")
    if isinstance(error, RecursionError):
        return localized("入れ子が深すぎます", "it is nested too deeply")
    if type(error).__name__ == "gaierror":
        return localized("アドレスが見つかりません", "there is no such address")
    if type(error).__name__ == "TimeoutExpired":
        return localized("時間内に終わりませんでした", "it did not finish in time")
    if isinstance(error, MemoryError):
        return localized("メモリーが足りません", "not enough memory")
    return ""


_BUSY = ("使用中です", "it is in use")
_FORBIDDEN = ("アクセスが許可されていません", "permission denied")
_FULL = ("ディスクの空き容量がありません", "the disk is full")
_UNREACHABLE = ("接続できません", "cannot connect")
_UNSUPPORTED = ("この場所では対応していません", "it is not supported here")
_NAMED = {
    "ENOENT": ("見つかりません", "it does not exist"),
    "ENOTDIR": ("フォルダーが見つかりません", "its folder does not exist"),
    "EISDIR": ("フォルダーです", "it is a folder"),
    "EEXIST": ("すでにあります", "it already exists"),
    "ENOTEMPTY": ("フォルダーが空ではありません", "the folder is not empty"),
    "EACCES": _FORBIDDEN,
    "EPERM": _FORBIDDEN,
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
_REASONS = {getattr(errno, name): words for name, words in _NAMED.items() if hasattr(errno, name)}  # not every system has all
