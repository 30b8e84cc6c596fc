"""Names inside a zip: which text their bytes are, and whether they stay inside the folder that the zip is unpacked to."""

from __future__ import annotations

import re
import stat
import zipfile

UTF8_FLAG = 0x800
LARGEST_NAME_CHARACTERS = 80
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)  # Windows opens devices by these names
ADDED_BY_SYSTEMS = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")


def name_of(info: zipfile.ZipInfo) -> str:
    """The name as its author wrote it; Japanese Windows writes Shift_JIS and does not say so.

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


def leads_outside(name: str) -> bool:
    """True for absolute names, drive letters and ways up."""
    return name.startswith("/") or bool(re.match(r"[A-Za-z]:", name)) or ".." in name.split("/") or "\0" in name


def is_plain(info: zipfile.ZipInfo) -> bool:
    """False for links, pipes and devices, which Unix's zip can store."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    return kind in (0, stat.S_IFREG, stat.S_IFDIR)


def is_added_by_system(name: str) -> bool:
    """True for what macOS and Windows put into every folder."""
    parts = name.split("/")
    return any(part in ADDED_BY_SYSTEMS for part in parts) or parts[-1].startswith("._")


def safe_name(name: str) -> str:
    """A name for a file on any system, with the same suffix and, where possible, the same stem."""
    cleaned = re.sub(r'[\x00-\x1f\x7f<>:"|?*/\\]', "_", name.encode("utf-8", "replace").decode()).rstrip(". ") or "_"
    if RESERVED.match(cleaned):
        cleaned = "_" + cleaned
    stem, dot, suffix = cleaned.rpartition(".")
    if not dot or len(suffix) > 20:
        return cleaned[:LARGEST_NAME_CHARACTERS]
    return f"{stem[:LARGEST_NAME_CHARACTERS]}.{suffix}"
