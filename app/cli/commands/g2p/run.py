"""`koebako g2p`: readings and phones of each line of a text or on stdin, one JSON object a line, in order."""

import argparse
from typing import Any

from app.adapters.openjtalk.reading_choices import READING_CHOICES, clear_reading_choices
from app.cli.command_files import MAX_INPUT_LINE_CHARS, iterate_piped_lines, truncate_line
from app.cli.console_output import print_json
from app.cli.progress_display import show_slow_notice
from app.common.errors import AppError
from app.common.language import localize
from app.compose.text_front_end import open_g2p
from app.core.delivery import ENGLISH
from app.core.sound.ports import G2P

UNREADABLE_LINE: dict[str, Any] = {"normalized": "", "reading": "", "phones": ["_", "_"], "tones": [0, 0], "word2ph": [1, 1]}
MAX_SHOWN_LINE_CHARS = 1000  # of a line that is too long


def run(options: argparse.Namespace) -> int:
    """Convert every line; a line that cannot be read is reported in its own object and does not end the run."""
    READING_CHOICES.built_in_words = False if options.no_built_in_words else None
    READING_CHOICES.links = options.links
    READING_CHOICES.memos_everywhere = True if options.memos else None
    clear_reading_choices()
    g2p = open_g2p()
    lines = iterate_piped_lines() if options.text is None else map(truncate_line, options.text.splitlines() or [""])
    for number, (line, is_whole) in enumerate(lines, start=1):
        notice = localize(f"{number} 行目（{len(line):,} 文字）を処理しています", f"Processing line {number} ({len(line):,} characters)")
        with show_slow_notice(notice):
            row = convert_line(g2p, line, emoji=options.emoji, english=options.latin == ENGLISH) if is_whole else build_too_long_row(line)
            if options.explain:
                row["words"] = [] if "error" in row else explain_line(g2p, line)
        print_json(row)
    return 0


def build_too_long_row(start: str) -> dict[str, Any]:
    """Return the output for a line that is not read to its end."""
    error = localize(
        f"行が長すぎます（最大 {MAX_INPUT_LINE_CHARS:,} 文字）。", f"This line is too long (up to {MAX_INPUT_LINE_CHARS:,} characters)."
    )
    return {"text": start[:MAX_SHOWN_LINE_CHARS], **UNREADABLE_LINE, "error": error}


def convert_line(g2p: G2P, text: str, *, emoji: bool = False, english: bool = False) -> dict[str, Any]:
    try:
        phones = g2p.convert_sentence(text, emoji=emoji, english=english)
    except AppError as error:
        return {"text": text, **UNREADABLE_LINE, "error": error.message}
    result: dict[str, Any] = {
        "text": text,
        "normalized": phones.text,
        "reading": phones.reading,
        "phones": list(phones.phones),
        "tones": list(phones.tones),
        "word2ph": list(phones.word2ph),
    }
    if len(phones.phones) <= 2:
        result["error"] = localize("読み上げられる文字がありません。", "There is nothing here to read aloud.")
    return result


def explain_line(g2p: G2P, text: str) -> list[dict[str, Any]]:
    """Return each word of a line with its reading, the origin of that (`by`, and the rule, entry or English word as `name`), and the second analyser's reading."""
    return [
        {
            "surface": word.surface,
            "reading": word.pronunciation,
            "accent": word.accent,
            "joined": word.is_joined,
            "by": word.read_by,
            "name": word.name,
            "other": word.other_reading,
        }
        for word in g2p.explain_readings(text)
        if word.pronunciation
    ]
