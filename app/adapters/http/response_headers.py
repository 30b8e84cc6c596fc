"""Reads the headers of servers, which may hold any letters of any length, into values that do no harm."""

import contextlib
import email.utils
import re
import time
from email.message import Message

from app.common.files.untrusted_json import MAX_NUMBER_DIGITS

# What Python's parsers are given; they take quadratic time, and a header may have megabytes.
MAX_HEADER_CHARS = 4096
MAX_DATE_CHARS = 100
_VALIDATOR_PATTERN = re.compile(r"[\x20-\x7e]{1,512}")


def parse_length(text: str | None) -> int | None:
    """Return a length in bytes, or None. One of too many digits becomes the largest readable number, which no caller accepts."""
    if text is None or not (text.isascii() and text.isdigit()):
        return None
    return int(text) if len(text) <= MAX_NUMBER_DIGITS else 10**MAX_NUMBER_DIGITS - 1


def parse_validator(text: str | None) -> str | None:
    """Return an ETag or a date that can be sent back as it is; None for anything else."""
    return text if text is not None and _VALIDATOR_PATTERN.fullmatch(text) else None


def decode_utf8(text: str) -> str:
    """Return a header as UTF-8: headers are read as Latin-1, but many servers write UTF-8."""
    with contextlib.suppress(UnicodeError):
        return text.encode("latin-1").decode("utf-8")
    return text


def parse_file_name(disposition: str) -> str:
    """Return the name in a Content-Disposition, unchecked; may be empty."""
    message = Message()
    message["Content-Disposition"] = disposition[:MAX_HEADER_CHARS]
    # It may name any codec of Python's.
    with contextlib.suppress(UnicodeError, ValueError, LookupError):
        return decode_utf8(message.get_filename() or "")
    return ""


def parse_retry_after(value: str | None) -> float | None:
    """Return the seconds of a Retry-After header, which is a number or a date; None if it is neither."""
    with contextlib.suppress(TypeError, ValueError, LookupError, OverflowError, OSError):
        text = (value or "")[:MAX_DATE_CHARS].strip()
        return float(text) if text.isdigit() else max(email.utils.parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    return None
