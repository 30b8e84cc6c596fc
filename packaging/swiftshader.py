#!/usr/bin/env python3
"""Brings SwiftShader, which computes on the processor what WebGPU asks of a graphics device: for tests, never bundled.

    python3 packaging/swiftshader.py            fetches it, once, and prints the environment in which programs find it

It is part of Debian's Chromium. Two packages are downloaded and unpacked into the cache, without being installed and without root.
Standard library only.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGES = ("chromium-common", "libvulkan1")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "koebako-tests" / "swiftshader"
DRIVER = "usr/lib/chromium/libvk_swiftshader.so"
LOADER = "libvulkan.so.1"
ICD = "icd.json"
LIMIT_S = 300


def main() -> int:
    """Fetches what is missing and prints the variables; 1 where it cannot be had."""
    if (found := find() or fetch()) is None:
        print("SwiftShader cannot be had here: it needs apt-get and dpkg-deb of Debian 12 or newer, and its packages.", file=sys.stderr)
        return 1
    print("\n".join(f"{name}={value}" for name, value in found.items()))
    return 0


def find() -> dict[str, str] | None:
    """The variables that a program needs to compute on it; None where it was not fetched."""
    loaders = sorted(CACHE.glob(f"usr/lib/*/{LOADER}"))
    if not loaders or not (CACHE / ICD).is_file():
        return None
    return {
        "VK_ICD_FILENAMES": str(CACHE / ICD),
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, (str(loaders[0].parent), os.environ.get("LD_LIBRARY_PATH")))),
        # Else the plug-in takes graphics devices only.
        "ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER": "1",
    }


def fetch() -> dict[str, str] | None:
    """Downloads and unpacks the packages; returns what `find` then does."""
    if sys.platform != "linux" or not all(map(shutil.which, ("apt-get", "dpkg-deb"))):
        return None
    CACHE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE.parent) as name:
        folder = Path(name)
        if not (download(folder) or (update() and download(folder))):
            return None
        whole = folder / "whole"
        for package in folder.glob("*.deb"):
            if not run(folder, "dpkg-deb", "-x", str(package), str(folder / "unpacked")):
                return None
        for file in (folder / "unpacked").rglob("*"):
            part = file.relative_to(folder / "unpacked")
            if str(part) == DRIVER or (file.name.startswith(LOADER) and "chromium" not in part.parts):
                (whole / part).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, whole / part)
        if not (whole / DRIVER).is_file():
            return None
        described = {"file_format_version": "1.0.0", "ICD": {"library_path": str(CACHE / DRIVER), "api_version": "1.0.5"}}
        (whole / ICD).write_text(json.dumps(described), encoding="utf-8")
        shutil.rmtree(CACHE, ignore_errors=True)
        with contextlib.suppress(OSError):  # another process was sooner
            whole.rename(CACHE)
    return find()


def download(folder: Path) -> bool:
    """Whether both packages could be downloaded."""
    return run(folder, "apt-get", "download", *PACKAGES)


def update() -> bool:
    """Whether the lists of packages could be renewed, which needs root."""
    return run(Path.cwd(), "apt-get", "update", "-qq")


def run(folder: Path, *command: str) -> bool:
    """Whether a program ended well."""
    try:
        return not subprocess.run(command, cwd=folder, capture_output=True, timeout=LIMIT_S, check=False).returncode
    except (OSError, subprocess.TimeoutExpired):
        return False


if __name__ == "__main__":
    sys.exit(main())
