"""Backends that a part of the lab is asked for, with commas between them."""

from __future__ import annotations

from collections.abc import Sequence

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.common.errors import BackendError
from app.common.language import localize


def parse_devices(text: str, other_names: Sequence[str] = ()) -> list[str]:
    """Return each place once, in lower case; raise BackendError for an unknown one.

    Args:
        other_names: further words that may stand there.
    """
    places = list(dict.fromkeys(item.strip().lower() for item in text.split(",")))
    for place in places:
        if place not in other_names and parse_backend(place) not in BACKENDS:
            raise BackendError(
                localize(f"バックエンド「{place}」はありません。", f"Unknown backend “{place}”."),
                localize("指定できるもの: ", "Choose from: ") + ", ".join([*other_names, *BACKENDS]),
            )
    return places
