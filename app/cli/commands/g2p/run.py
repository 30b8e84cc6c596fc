"""`koebako g2p`: readings and phones of each line on stdin, one JSON object a line, in order."""

from __future__ import annotations

import argparse
from typing import Any

from app.adapters.openjtalk.choices import CHOICES, forget_choices
from app.cli.named_input import LONGEST_LINE, piped_lines
from app.cli.output import json_line
from app.cli.waiting import slow_notice
from app.compose.text import open_g2p
from app.core.ports import G2P
from app.errors import AppError
from app.language import localized

UNREADABLE: dict[str, Any] = {"normalized": "", "reading": "", "phones": ["_", "_"], "tones": [0, 0], "word2ph": [1, 1]}
SHOWN_CHARACTERS = 1000  # of a line that is too long


def run(options: argparse.Namespace) -> int:
    """Converts every line; a line that cannot be read is reported in its own object and does not end the run."""
    CHOICES.built_in_words = False if options.no_built_in_words else None
    CHOICES.links = options.links
    CHOICES.memos_everywhere = True if options.memos else None
    forget_choices()
    g2p = open_g2p()
    for number, (line, is_whole) in enumerate(piped_lines(), start=1):
        with slow_notice(_still_reading(number, len(line))):
            found = convert_line(g2p, line, emoji=options.emoji) if is_whole else too_long(line)
            if options.explain:
                found["words"] = [] if "error" in found else explain_line(g2p, line)
        json_line(found)
    return 0


def too_long(start: str) -> dict[str, Any]:
    """The output for a line that is not read to its end."""
    error = localized(f"行が長すぎます（最大 {LONGEST_LINE:,} 文字）。", f"This line is too long (up to {LONGEST_LINE:,} characters).")
    return {"text": start[:SHOWN_CHARACTERS], **UNREADABLE, "error": error}


def _still_reading(number: int, characters: int) -> str:
    return localized(
        f"{number} 行目（{characters:,} 文字）を処理しています",
        f"Processing line {number} ({characters:,} characters)",
    )


def convert_line(g2p: G2P, text: str, *, emoji: bool = False) -> dict[str, Any]:
    """The output for one line."""
    try:
        phones = g2p.convert(text, emoji=emoji)
    except AppError as error:
        return {"text": text, **UNREADABLE, "error": error.message}
    result: dict[str, Any] = {
        "text": text,
        "normalized": phones.text,
        "reading": phones.reading,
        "phones": list(phones.phones),
        "tones": list(phones.tones),
        "word2ph": list(phones.word2ph),
    }
    if len(phones.phones) <= 2:
        result["error"] = localized("読み上げられる文字がありません。", "There is nothing here to read aloud.")
    return result


def explain_line(g2p: G2P, text: str) -> list[dict[str, Any]]:
    """Each word of a line: its reading, what gave it (`by`, and the rule, entry or English word as `name`), and what a second analyser says."""
    return [
        {
            "surface": word.surface,
            "reading": word.pronunciation,
            "accent": word.accent,
            "joined": word.joined,
            "by": word.read_by,
            "name": word.name,
            "other": word.other,
        }
        for word in g2p.explain(text)
        if word.pronunciation
    ]
