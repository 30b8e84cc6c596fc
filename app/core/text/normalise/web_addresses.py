"""Web and mail addresses, domain and file names: their separators become words."""

from __future__ import annotations

import re

_URL = re.compile(r"(?<![A-Za-z])(https?|ftp)://([A-Za-z0-9._~:/?#@!$&+,;=%-]*[A-Za-z0-9_/=#-])")
_MAIL = re.compile(r"(?<![\w.+-])([A-Za-z0-9._%+-]{1,64})@([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)")
_DOMAIN = re.compile(
    r"(?<![A-Za-z0-9.@-])((?:[A-Za-z0-9-]{1,63}\.){1,5}(?:com|net|org|jp|io|dev|co|tv|me|info|app|ai|js|py|txt|exe|pdf|png|jpg|mp3|mp4|wav|zip|html|css"
    r"|json|md|csv|ts|sh|dll|onnx))(?![A-Za-z0-9])"
)
SPOKEN_DOMAIN_PARTS = {
    "com": "コム", "jp": "ジェイピー", "net": "ネット", "org": "オーグ", "dev": "デブ", "info": "インフォ", "app": "アップ", "md": "エムディー",
    ".": "ドット", "/": "、スラッシュ、", "-": "ハイフン", "_": "アンダーバー", "?": "、クエスチョン、", "=": "イコール", "&": "アンド", "#": "シャープ",
    "%": "パーセント", "+": "プラス", ":": "コロン", "@": "、アットマーク、", "~": "チルダ",
}  # fmt: skip


def speak_addresses(text: str) -> str:
    """Return text with addresses spelled out, their names still in Latin letters."""
    text = _URL.sub(lambda match: f" {match[1]}、{_speak_address(match[2].rstrip('/'))} ", text)
    text = _MAIL.sub(lambda match: f" {_speak_address(match[1])}、アットマーク、{_speak_address(match[2])} ", text)
    return _DOMAIN.sub(lambda match: f" {_speak_address(match[1])} ", text)


def _speak_address(address: str) -> str:
    parts = re.split(r"([^A-Za-z0-9])", address)
    return " ".join(SPOKEN_DOMAIN_PARTS.get(part, part) for part in parts if part)
