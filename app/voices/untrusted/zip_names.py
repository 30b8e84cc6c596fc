"""Names inside a zip: which text their bytes are, and whether they stay inside the folder that the zip is unpacked to."""

from __future__ import annotations

import re
import stat
import zipfile

UTF8_FLAG = 0x800
MAX_SAFE_NAME_LENGTH = 80
# Windows opens devices by these names, with any extension.
RESERVED_NAME_PATTERN = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
SYSTEM_ENTRY_NAMES = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")


def decode_entry_name(info: zipfile.ZipInfo) -> str:
    """Return the name as its author wrote it; Japanese Windows writes Shift_JIS without stating it.

    The name before zipfile's own corrections counts: on Windows they take a second byte of Shift_JIS for a separator.
    """
    name = info.orig_filename
    if not info.flag_bits & UTF8_FLAG:
        raw = name.encode("cp437")
        for encoding in ("utf-8", "cp932"):
            try:
                name = raw.decode(encoding)
                break
            except UnicodeDecodeError:
                continue
    return name.replace("\\", "/")


def is_outside_path(name: str) -> bool:
    """Return whether a name is absolute, has a drive letter or leads upwards."""
    return name.startswith("/") or bool(re.match(r"[A-Za-z]:", name)) or ".." in name.split("/") or "\0" in name


def is_plain_entry(info: zipfile.ZipInfo) -> bool:
    """Return whether the entry is a file or folder; links, pipes and devices, which Unix's zip can store, are not."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    return kind in (0, stat.S_IFREG, stat.S_IFDIR)


def is_system_entry(name: str) -> bool:
    """Return whether macOS or Windows puts an entry of this name into every folder."""
    parts = name.split("/")
    return any(part in SYSTEM_ENTRY_NAMES for part in parts) or parts[-1].startswith("._")


def make_safe_name(name: str) -> str:
    """Return a name for a file on any system, with the same suffix and, if possible, the same stem."""
    cleaned = re.sub(r'[\x00-\x1f\x7f<>:"|?*/\\]', "_", name.encode("utf-8", "replace").decode()).rstrip(". ") or "_"
    if RESERVED_NAME_PATTERN.match(cleaned):
        cleaned = "_" + cleaned
    stem, dot, suffix = cleaned.rpartition(".")
    if not dot or len(suffix) > 20:
        return cleaned[:MAX_SAFE_NAME_LENGTH]
    return f"{stem[:MAX_SAFE_NAME_LENGTH]}.{suffix}"
