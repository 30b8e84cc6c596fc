"""The origins of web pages that may use what listens for other programs, as a setting holds them: one text."""

import re

from app.common.language import localize

# As browsers send them: scheme, host and perhaps a port, all in ASCII.
_ORIGIN_PATTERN = re.compile(r"[a-z][a-z0-9+.-]*://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?", re.ASCII)


def parse_origins(text: str) -> frozenset[str]:
    """Return the valid origins of a text, which are separated by spaces or commas."""
    return frozenset(origin for origin in _split_origins(text) if _ORIGIN_PATTERN.fullmatch(origin))


def find_origin_mistake(text: str) -> str:
    """Return a sentence about the first origin that is none, in the language of the user, or an empty text."""
    wrong = next((origin for origin in _split_origins(text) if not _ORIGIN_PATTERN.fullmatch(origin)), "")
    if not wrong:
        return ""
    return localize(
        f"「{wrong}」はオリジンではありません。例: https://example.com、http://localhost:3000",
        f"“{wrong}” is not an origin, such as https://example.com or http://localhost:3000.",
    )


def normalise_origin(origin: str) -> str:
    """Return an origin as origins are compared."""
    return origin.rstrip("/").lower()


def _split_origins(text: str) -> list[str]:
    return [normalise_origin(origin) for origin in re.split(r"[\s,、，]+", text) if origin]
