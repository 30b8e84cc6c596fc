"""Finds the readings that come from rewriting the text before any analyser saw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.core.text.accent_phrases import Word


def mark_rewritten(words: Sequence[Word], text: str, converted: Mapping[str, str]) -> list[Word]:
    """Return the words, with those marked that the written text does not contain.

    Args:
        text: as it was written, in plain characters.
        converted: katakana that the English converter made, and the word it made it of.
    """
    found, place = [], 0
    for word in words:
        at = text.find(word.surface, place)
        english = next((written for kana, written in converted.items() if word.surface in kana), None)
        if at >= 0:
            place = at + len(word.surface)
        elif word.is_mark:
            pass
        elif english is not None:
            word = replace(word, read_by="english", name=english)
        elif word.read_by == "analyser":
            word = replace(word, read_by="normalisation")
        found.append(word)
    return found
