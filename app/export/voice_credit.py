"""Builds the credit to name where a sound is published."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from app.voices.prepared_voice import Voice
from app.voices.voice_card_data import read_card

MAX_CREDIT_CHARACTERS = 1_000


def format_credit(voice: Voice) -> str:
    """The voice, who made it, and the first paragraph of its licence."""
    name = voice.manifest.name
    creators = ", ".join(_read_creators(voice.path))
    licence = voice.manifest.licence.strip().split("\n\n")[0].replace("\n", " ")
    shown = licence if len(licence) <= MAX_CREDIT_CHARACTERS else licence[: MAX_CREDIT_CHARACTERS - 1] + "…"
    return " — ".join(part for part in (f"{name} ({creators})" if creators else name, shown) if part)


@lru_cache(maxsize=64)
def _read_creators(folder: Path) -> tuple[str, ...]:
    return read_card(folder).creators
