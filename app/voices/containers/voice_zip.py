"""Unpacks the voices of a zip into a folder. The zip comes from a stranger: see `app.voices.untrusted.voice_limits`.

Files of one folder stay together, in a numbered folder of their own, which keeps paths short; sounds, pictures and texts are left where they are. A prepared voice comes
whole. A zip can state the position and the length of its directory in several places, and a check that reads them in another order than zipfile checks another directory. So
nothing is measured beforehand: zipfile reads through a file that counts what it hands out.
"""

import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from app.common.errors import VoiceError
from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.voices.containers.container_recognition import PICKLE_SEARCH_BYTES, RECOGNITION_BYTES, guess_pickle_kind, recognise_foreign_start
from app.voices.containers.unsupported_formats import NON_MODEL_KINDS, VOICE_SUFFIXES, UnsupportedFormatError
from app.voices.prepared_voice import MANIFEST_NAME
from app.voices.untrusted.regular_file import describe_incomplete_download, open_regular_file
from app.voices.untrusted.voice_limits import MAX_ENTRY_NAME_LENGTH, UnpackBudget

ENCRYPTED_FLAG = 1
ALLOWED_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods may ask for gigabytes of memory to unpack a kilobyte
KEPT_SUFFIXES = (".json", ".npy")
UNPACK_CHUNK_BYTES = 1 << 20
_KOKORO_STYLE_PATTERN = re.compile(r"[a-z]{2}_[a-z0-9]+\.npy")  # a language, a sex and a name
DAMAGED_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, RuntimeError, OSError)

UTF8_FLAG = 0x800
MAX_SAFE_NAME_LENGTH = 80
# Windows opens devices by these names, with any extension.
RESERVED_NAME_PATTERN = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
SYSTEM_ENTRY_NAMES = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")

ZIP_ENTRY_MAGIC = b"PK\1\2"


@dataclass(frozen=True, slots=True)
class UnpackedFile:
    """One file: where it is now, and its name in the zip."""

    path: Path
    name: str


@contextmanager
def open_bounded_zip(file: BinaryIO, budget: UnpackBudget) -> Iterator[zipfile.ZipFile]:
    """Open a zip; raise VoiceError if its directory has more bytes or entries than the budget has left, and what zipfile raises where it is damaged."""
    counted = _CountedFile(file, budget)
    with zipfile.ZipFile(cast(IO[bytes], counted)) as archive:
        counted.directory_is_read = True
        yield archive


class _CountedFile:
    """As much of a file as zipfile needs. Until the directory is read, every byte handed out counts as one of the directory.

    That is a little more than its length: the end of the file is searched for the record that says where the directory is.
    """

    def __init__(self, file: BinaryIO, budget: UnpackBudget) -> None:
        self._file = file
        self._budget = budget
        self.directory_is_read = False
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if self.directory_is_read:
            return self._file.read(size)
        most = self._budget.directory_bytes_left + 1
        content = self._file.read(min(size, most) if size >= 0 else most)
        self._budget.consume_directory(len(content), content.count(ZIP_ENTRY_MAGIC))
        return content


def unpack_voice_files(path: Path, folder: Path, budget: UnpackBudget) -> list[UnpackedFile]:
    """Unpack the files of a zip that may belong to a voice into an empty folder.

    Raises:
        VoiceError: it is damaged, encrypted, a bomb, leads outside, or holds something that is no voice (then a UnsupportedFormatError).
    """
    with open_regular_file(path) as file, _raise_damaged_zip_errors(path.name), open_bounded_zip(file, budget) as archive:
        entries = _collect_entries(archive, path.name)
        _refuse_foreign(archive, entries, path.name)
        return list(_extract_entries(archive, entries, folder, budget))


@contextmanager
def _raise_damaged_zip_errors(name: str) -> Iterator[None]:
    try:
        yield
    except DAMAGED_ZIP_ERRORS as exc:
        hint = describe_incomplete_download()
        if isinstance(exc, OSError):
            hint = localize(
                f"ディスクの空き容量を確認してください。（{describe_reason(exc)}）", f"Check the free disk space. ({describe_reason(exc)})"
            )
        raise VoiceError(localize(f"zip を展開できません: {name}", f"This zip file cannot be unpacked: {name}"), hint) from exc


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


def _collect_entries(archive: zipfile.ZipFile, name: str) -> dict[str, zipfile.ZipInfo]:
    """Return the entries by name, each checked; folders and entries that systems add are left out."""
    entries: dict[str, zipfile.ZipInfo] = {}
    folded: set[str] = set()
    for info in archive.infolist():
        entry = decode_entry_name(info)
        if len(entry) > MAX_ENTRY_NAME_LENGTH:
            raise ValueError("a name too long")
        if is_outside_path(entry) or not is_plain_entry(info):
            shown = sanitise_short_text(entry)[:80]
            raise VoiceError(
                localize(
                    f"フォルダーの外を指す項目が zip に含まれています: {name}",
                    f"This zip file contains an entry that points outside it: {name}",
                ),
                localize(
                    f"項目: {shown}。信頼できる配布元からダウンロードしてください。",
                    f"Entry: {shown}. Download it from a source you trust.",
                ),
            )
        if entry.endswith("/") or is_system_entry(entry):
            continue
        _check_packing(info, name)
        if entry.casefold() in folded:
            raise ValueError("a name occurs twice")
        folded.add(entry.casefold())
        entries[entry] = info
    return entries


def _check_packing(info: zipfile.ZipInfo, name: str) -> None:
    hint = localize("展開してから、中の声を選んでください。", "Unpack it yourself and choose the voice inside.")
    if info.flag_bits & ENCRYPTED_FLAG:
        raise VoiceError(localize(f"パスワード付きの zip です: {name}", f"This zip file is password-protected: {name}"), hint)
    if info.compress_type not in ALLOWED_METHODS:
        method = f"対応していない圧縮方式の zip です: {name}", f"This zip file uses an unsupported compression method: {name}"
        raise VoiceError(localize(*method), hint)


def _refuse_foreign(archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], name: str) -> None:
    """Refuse PyTorch's files and the voices of VOICEVOX, Irodori-TTS and Kokoro, which are zips too."""
    if entries and all(_KOKORO_STYLE_PATTERN.fullmatch(entry) for entry in entries):
        raise UnsupportedFormatError("kokoro", name)
    for entry, info in entries.items():
        base = entry.rpartition("/")[2]
        if base == "data.pkl" and entry.count("/") == 1:
            with archive.open(info) as content:
                raise UnsupportedFormatError(guess_pickle_kind(content.read(PICKLE_SEARCH_BYTES)), name)
        if entry == "metas.json" and "manifest.json" in entries:
            raise UnsupportedFormatError("voicevox", name)
        if entry == "engine_manifest.json":
            raise UnsupportedFormatError("voicevox_plugin", name)
        if entry == MANIFEST_NAME:
            with archive.open(info) as content:
                if b'"irovoice"' in content.read(RECOGNITION_BYTES):
                    raise UnsupportedFormatError("irovoice", name)
        if base.casefold() == "oto.ini":
            raise UnsupportedFormatError("utau", name)


def _extract_entries(
    archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], folder: Path, budget: UnpackBudget
) -> Iterator[UnpackedFile]:
    prepared = {name.rpartition("/")[0] for name in entries if name.rpartition("/")[2] == MANIFEST_NAME}
    roots: dict[str, Path] = {}
    for name, info in entries.items():
        folders = name.split("/")[:-1]
        parents = ("/".join(folders[:depth]) for depth in range(len(folders) + 1))
        whole = next((root for root in parents if root in prepared), None)
        root = "/".join(folders) if whole is None else whole
        target = roots.setdefault(root, folder / str(len(roots))).joinpath(
            *map(make_safe_name, name.removeprefix(root).strip("/").split("/"))
        )
        with archive.open(info) as content:
            start = content.read(RECOGNITION_BYTES)
            is_beside = recognise_foreign_start(start) in NON_MODEL_KINDS and not name.casefold().endswith(
                (*KEPT_SUFFIXES, *VOICE_SUFFIXES)
            )
            if whole is None and is_beside:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            _write_entry(start, content, target, budget)
        yield UnpackedFile(target, name)


def _write_entry(start: bytes, content: IO[bytes], target: Path, budget: UnpackBudget) -> None:
    piece = start
    # Two names may be one on this file system: mode "x" refuses the second.
    with target.open("xb") as out:
        while piece:
            budget.consume_bytes(len(piece))
            out.write(piece)
            piece = content.read(UNPACK_CHUNK_BYTES)
