"""Unpacks the voices of a zip into a folder. The zip comes from a stranger: see `app.voices.untrusted.limits` and `app.voices.untrusted.zip_names`.

Files of one folder stay together, in a numbered folder of their own, which keeps paths short; sounds, pictures and texts are left
where they are. A prepared voice comes whole.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from app.errors import VoiceError
from app.json_text import short_text
from app.language import localized
from app.system_errors import reason_of
from app.voices.containers.foreign import ASIDE, ForeignError
from app.voices.containers.recognition import PICKLE_BYTES, START_BYTES, kind_of_start, pickled_kind
from app.voices.containers.suffixes import VOICE_SUFFIXES
from app.voices.manifest import MANIFEST_NAME
from app.voices.untrusted.budget import Budget
from app.voices.untrusted.damage import incomplete
from app.voices.untrusted.limits import LARGEST_ENTRY_CHARACTERS
from app.voices.untrusted.regular_file import open_regular
from app.voices.untrusted.zip_directory import open_zip
from app.voices.untrusted.zip_names import is_added_by_system, is_plain, leads_outside, name_of, safe_name

ENCRYPTED_FLAG = 1
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others may ask for gigabytes of memory to unpack a kilobyte
KEPT_SUFFIXES = (".json", ".npy")
PIECE_BYTES = 1 << 20
_KOKORO_STYLE = re.compile(r"[a-z]{2}_[a-z0-9]+\.npy")  # a language, a sex and a name
BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, RuntimeError, OSError)


@dataclass(frozen=True, slots=True)
class Unpacked:
    """One file: where it lies now, and its name in the zip."""

    path: Path
    name: str


def unpack(path: Path, folder: Path, budget: Budget) -> list[Unpacked]:
    """The files of a zip that may belong to a voice, in an empty folder.

    Raises:
        VoiceError: it is damaged, encrypted, a bomb, leads outside, or holds something that is no voice (then a ForeignError).
    """
    with open_regular(path) as file, _refusing(path.name), open_zip(file, budget) as archive:
        entries = _entries(archive, path.name)
        _refuse_foreign(archive, entries, path.name)
        return list(_extracted(archive, entries, folder, budget))


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    try:
        yield
    except BROKEN as exc:
        hint = incomplete()
        if isinstance(exc, OSError):
            hint = localized(
                f"ディスクの空き容量を確認してください。（{reason_of(exc)}）", f"Check the free disk space. ({reason_of(exc)})"
            )
        raise VoiceError(localized(f"zip を展開できません: {name}", f"This zip file cannot be unpacked: {name}"), hint) from exc


def _entries(archive: zipfile.ZipFile, name: str) -> dict[str, zipfile.ZipInfo]:
    """Entries by name, each checked; folders and what systems add are left out."""
    entries: dict[str, zipfile.ZipInfo] = {}
    folded: set[str] = set()
    for info in archive.infolist():
        entry = name_of(info)
        if len(entry) > LARGEST_ENTRY_CHARACTERS:
            raise ValueError("a name too long")
        if leads_outside(entry) or not is_plain(info):
            raise VoiceError(
                localized(
                    f"フォルダーの外を指す項目が zip に含まれています: {name}",
                    f"This zip file contains an entry that points outside it: {name}",
                ),
                localized(
                    f"項目: {short_text(entry)[:80]}。信頼できる配布元からダウンロードしてください。",
                    f"Entry: {short_text(entry)[:80]}. Download it from a source you trust.",
                ),
            )
        if entry.endswith("/") or is_added_by_system(entry):
            continue
        _check_packing(info, name)
        if entry.casefold() in folded:
            raise ValueError("a name occurs twice")
        folded.add(entry.casefold())
        entries[entry] = info
    return entries


def _check_packing(info: zipfile.ZipInfo, name: str) -> None:
    if info.flag_bits & ENCRYPTED_FLAG:
        raise VoiceError(
            localized(f"パスワード付きの zip です: {name}", f"This zip file is password-protected: {name}"),
            localized("展開してから、中の声を選んでください。", "Unpack it yourself and choose the voice inside."),
        )
    if info.compress_type not in METHODS:
        raise VoiceError(
            localized(f"対応していない圧縮方式の zip です: {name}", f"This zip file uses an unsupported compression method: {name}"),
            localized("展開してから、中の声を選んでください。", "Unpack it yourself and choose the voice inside."),
        )


def _refuse_foreign(archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], name: str) -> None:
    """PyTorch's files and the voices of VOICEVOX, Irodori-TTS and Kokoro are zips too."""
    if entries and all(_KOKORO_STYLE.fullmatch(entry) for entry in entries):
        raise ForeignError("kokoro", name)
    for entry, info in entries.items():
        base = entry.rpartition("/")[2]
        if base == "data.pkl" and entry.count("/") == 1:
            with archive.open(info) as content:
                raise ForeignError(pickled_kind(content.read(PICKLE_BYTES)), name)
        if entry == "metas.json" and "manifest.json" in entries:
            raise ForeignError("voicevox", name)
        if entry == "engine_manifest.json":
            raise ForeignError("voicevox_plugin", name)
        if entry == MANIFEST_NAME and _is_irovoice(archive, info):
            raise ForeignError("irovoice", name)
        if base.casefold() == "oto.ini":
            raise ForeignError("utau", name)


def _is_irovoice(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bool:
    """Its description has the name of ours."""
    with archive.open(info) as content:
        return b'"irovoice"' in content.read(START_BYTES)


def _extracted(archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], folder: Path, budget: Budget) -> Iterator[Unpacked]:
    prepared = {name.rpartition("/")[0] for name in entries if name.rpartition("/")[2] == MANIFEST_NAME}
    roots: dict[str, Path] = {}
    for name, info in entries.items():
        parent = name.rpartition("/")[0]
        whole = next((root for root in _folders_of(name) if root in prepared), None)
        root = parent if whole is None else whole
        target = roots.setdefault(root, folder / str(len(roots))).joinpath(*map(safe_name, name.removeprefix(root).strip("/").split("/")))
        with archive.open(info) as content:
            start = content.read(START_BYTES)
            if whole is None and kind_of_start(start) in ASIDE and not name.casefold().endswith((*KEPT_SUFFIXES, *VOICE_SUFFIXES)):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            _write(start, content, target, budget)
        yield Unpacked(target, name)


def _folders_of(name: str) -> Iterator[str]:
    """The folders that an entry lies in, from the outermost, which is ""."""
    parts = name.split("/")[:-1]
    return ("/".join(parts[:depth]) for depth in range(len(parts) + 1))


def _write(start: bytes, content: IO[bytes], target: Path, budget: Budget) -> None:
    piece = start
    with target.open("xb") as out:  # two names that are one on this system: the second is refused
        while piece:
            budget.spend(len(piece))
            out.write(piece)
            piece = content.read(PIECE_BYTES)
