"""`koebako g2p`: readings and phones of each line on stdin, one JSON object a line, in order."""

from __future__ import annotations

import argparse
from typing import Any

from app.cli.output import json_line, read_stdin
from app.compose import open_g2p
from app.core.ports import G2P
from app.errors import AppError
from app.language import say

UNREADABLE: dict[str, Any] = {"normalized": "", "reading": "", "phones": ["_", "_"], "tones": [0, 0], "word2ph": [1, 1]}


def run(_options: argparse.Namespace) -> int:
    """Converts every line; a line that cannot be read is reported in its own object and does not end the run."""
    g2p = open_g2p()
    for line in read_stdin():
        json_line(convert_line(g2p, line.rstrip("\r\n")))
    return 0


def convert_line(g2p: G2P, text: str) -> dict[str, Any]:
    """The output for one line."""
    try:
        phones = g2p.convert(text)
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
        result["error"] = say("読み上げられる文字がありません。", "There is nothing here that can be read aloud.")
    return result
