"""The terms of a voice as they are shown: in Japanese with a summary before them, where the voice ships with one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from app.language import language
from app.paths import resources_dir

SUMMARY = "LICENCE.ja.txt"


def shown_terms(folder: Path, licence: str) -> str:
    """The licence itself, never changed; only voices of the program have a summary, so that nobody else can put words before a licence."""
    if language() != "ja" or not licence.strip() or not folder.is_relative_to(resources_dir()):
        return licence
    summary = _summary(folder)
    return f"{summary}\n\n――― 原文 ―――\n\n{licence}" if summary else licence


@cache
def _summary(folder: Path) -> str:
    try:
        return (folder / SUMMARY).read_text(encoding="utf-8").strip()
    except OSError:
        return ""
