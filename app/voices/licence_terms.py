"""The terms of a voice as they are shown: in Japanese with a summary before them, where the voice ships with one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from app.common.files.paths import find_resources_dir
from app.common.language import get_language

SUMMARY_NAME = "LICENCE.ja.txt"


def format_licence_terms(folder: Path, licence: str) -> str:
    """Return the licence unchanged, below a summary for voices of the program only, so that nobody else can put words before a licence."""
    if get_language() != "ja" or not licence.strip() or not folder.is_relative_to(find_resources_dir()):
        return licence
    summary = _read_summary(folder)
    return f"{summary}\n\n――― 原文 ―――\n\n{licence}" if summary else licence


@cache
def _read_summary(folder: Path) -> str:
    try:
        return (folder / SUMMARY_NAME).read_text(encoding="utf-8").strip()
    except OSError:
        return ""
