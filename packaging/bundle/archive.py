"""What a release consists of: archives, the list of parts, checksums."""

import hashlib
import json
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import zstandard
from bundle.command import PROJECT

# The earliest date a zip can hold: entries carry no date of the build, so that equal folders give equal archives.
ZIP_DATE = (1980, 1, 1, 0, 0, 0)
LINUX_FILES = ("koebako.desktop", "koebako.png", "koebako-voice.xml", "README.txt")
SUMS = "SHA256SUMS"


def pack(dist: Path) -> None:
    """Packs every program folder below `dist`, then writes the checksums of all that is to be given away."""
    for name in ("windows", "windows-wine", "linux"):
        folder = dist / name / "Koebako"
        if not folder.is_dir():
            continue
        parts = folder / "sbom.cdx.json"
        stem = f"Koebako-{json.loads(parts.read_text(encoding='utf-8'))['metadata']['component']['version']}-{name}-x64"
        shutil.copyfile(parts, dist / f"{stem}.cdx.json")
        made = _tar(folder, dist / f"{stem}.tar.zst") if name == "linux" else _zip(folder, dist / f"{stem}.zip")
        print(f"  {made.name}: {made.stat().st_size / 1e6:.0f} MB", flush=True)
    write_sums(dist)


def write_sums(dist: Path) -> Path:
    """SHA256SUMS of the files in the folder, in the form `sha256sum --check` reads."""
    files = sorted(path for path in dist.iterdir() if path.is_file() and path.name != SUMS)
    lines = []
    for path in files:
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    (dist / SUMS).write_text("".join(lines), encoding="utf-8")
    return dist / SUMS


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())


def _zip(folder: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in _files(folder):
            entry = zipfile.ZipInfo(f"Koebako/{path.relative_to(folder).as_posix()}", ZIP_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return target


def _tar(folder: Path, target: Path) -> Path:
    def neutral(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = "root"
        return entry

    extras = [PROJECT / "packaging" / "linux" / name for name in LINUX_FILES]
    compressor: Any = zstandard.ZstdCompressor(level=15, threads=-1)
    with target.open("wb") as file, compressor.stream_writer(file) as stream, tarfile.open(fileobj=stream, mode="w|") as archive:
        for path in [*_files(folder), *extras]:
            inside = path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name
            archive.add(path, f"Koebako/{inside}", recursive=False, filter=neutral)
    return target
