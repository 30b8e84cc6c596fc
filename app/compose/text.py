"""The text front end."""

from __future__ import annotations

from app.adapters.openjtalk.g2p import OpenJTalkG2P
from app.adapters.openjtalk.words import forget_taught_words
from app.core.renderings import Caches


def open_g2p() -> OpenJTalkG2P:
    """The text front end."""
    return OpenJTalkG2P()


def forget_words(caches: Caches | None) -> None:
    """The user's dictionary has changed: what is read from now on is read with the new one."""
    forget_taught_words()
    if caches is not None:
        caches.phones.clear()
