"""Backends that a part of the lab is asked for, with commas between them."""

from __future__ import annotations

from collections.abc import Sequence

from app.adapters.ort.backends import BACKENDS, backend_of
from app.errors import BackendError
from app.language import localized


def places_of(text: str, others: Sequence[str] = ()) -> list[str]:
    """Each place once, in lower case; BackendError for one that nobody knows.

    Args:
        others: further words that may stand there.
    """
    places = list(dict.fromkeys(item.strip().lower() for item in text.split(",")))
    for place in places:
        if place not in others and backend_of(place) not in BACKENDS:
            raise BackendError(
                localized(f"バックエンド「{place}」はありません。", f"Unknown backend “{place}”."),
                localized("指定できるもの: ", "Choose from: ") + ", ".join([*others, *BACKENDS]),
            )
    return places
