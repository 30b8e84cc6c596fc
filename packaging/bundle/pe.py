"""What Windows programs and libraries import, export and are: read with pefile."""

from collections.abc import Iterator
from pathlib import Path

import pefile

AMD64 = 0x8664
SUFFIXES = (".exe", ".dll", ".pyd")
IMPORTS, DELAYED = 1, 13


def pe_files(folder: Path) -> Iterator[Path]:
    """Every program and library for 64-bit Windows below the folder, in order."""
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in SUFFIXES and path.is_file() and machine(path) == AMD64:
            yield path


def machine(path: Path) -> int:
    """The processor a file is for, as in its header; 0 for what is not a PE file."""
    try:
        with pefile.PE(str(path), fast_load=True) as file:
            return int(file.FILE_HEADER.Machine)
    except pefile.PEFormatError:
        return 0


def imports_of(path: Path) -> dict[str, set[str]]:
    """Names imported from each library, by the library's name in lower case; imports by number are left out."""
    with pefile.PE(str(path), fast_load=True) as file:
        file.parse_data_directories([IMPORTS, DELAYED])
        found: dict[str, set[str]] = {}
        for table in ("DIRECTORY_ENTRY_IMPORT", "DIRECTORY_ENTRY_DELAY_IMPORT"):
            for entry in getattr(file, table, []):
                names = {item.name.decode() for item in entry.imports if item.name}
                found.setdefault(entry.dll.decode().lower(), set()).update(names)
        return found


def file_version(path: Path) -> str:
    """The version in the file's resource, as in "14.44.35211.0"; "" where there is none."""
    with pefile.PE(str(path), fast_load=True) as file:
        file.parse_data_directories([2])
        for info in getattr(file, "VS_FIXEDFILEINFO", []):
            parts = (info.FileVersionMS >> 16, info.FileVersionMS & 0xFFFF, info.FileVersionLS >> 16, info.FileVersionLS & 0xFFFF)
            return ".".join(str(part) for part in parts)
    return ""
