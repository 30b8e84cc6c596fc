"""The validator of a partial download: the facts needed to request the rest of the same file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.adapters.http.response_headers import parse_validator
from app.common.files.bounded_read import read_bounded
from app.common.files.untrusted_json import parse_object, require_int

MAX_SIDECAR_BYTES = 64 << 10
MAX_STATED_BYTES = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class ResumeValidator:
    """The server's own facts about the file of which this is a part.

    Attributes:
        validator: its ETag, or else Last-Modified, if it may be used to ask for the rest of the same file (RFC 9110, 13.1.5: no weak ones).
        total: bytes in all, None if not said.
        encoded: the body was compressed on the way, so that positions in it are not positions in the file.
    """

    validator: str | None
    total: int | None
    encoded: bool

    @classmethod
    def from_headers(cls, headers: Mapping[str, str], total: int | None) -> ResumeValidator:
        """Create a validator from the headers of a whole response (200)."""
        tag = parse_validator(headers.get("ETag"))
        strong = tag if tag and not tag.startswith("W/") else None
        encoded = headers.get("Content-Encoding", "identity").lower() not in ("", "identity")
        return cls(strong or parse_validator(headers.get("Last-Modified")), None if encoded else total, encoded)

    @classmethod
    def read_sidecar(cls, path: Path) -> ResumeValidator:
        """Read the validator of an earlier download; raise ValueError or OSError if there is none."""
        data = parse_object(read_bounded(path, MAX_SIDECAR_BYTES))
        validator, total, encoded = (data.get(name) for name in ("validator", "total", "encoded"))
        if not isinstance(encoded, bool) or (validator is not None and not (isinstance(validator, str) and parse_validator(validator))):
            raise ValueError("no origin")
        return cls(validator, None if total is None else require_int(total, 0, MAX_STATED_BYTES), encoded)
