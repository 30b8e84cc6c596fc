"""Advice for a file that cannot be read to its end. Most are downloads that broke off."""

from __future__ import annotations

from app.common.language import localize


def describe_incomplete_download() -> str:
    """Return the hint for an incomplete download, in the language of the user."""
    return localize(
        "途中までしかダウンロードされていないか、壊れている可能性があります。もう一度ダウンロードしてください。",
        "It may be damaged, or only part of it was downloaded. Download it again.",
    )
