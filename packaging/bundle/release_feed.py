"""Where a built program asks for newer versions, and what it finds there: resources/release.json and latest.json."""

import json
import os
from pathlib import Path

REPOSITORY = "KOEBAKO_REPOSITORY"  # OWNER/NAME on GitHub, set by the release's workflow
RELEASE = "release.json"
LATEST = "latest.json"


def release_json(folder: Path) -> list[tuple[str, str]]:
    """release.json for PyInstaller's `datas`; nothing where the repository is not known, and such a program asks nobody."""
    address = feed_address()
    if not address:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / RELEASE
    made.write_text(json.dumps({"feed": address}) + "\n", encoding="utf-8")
    return [(str(made), "resources")]


def feed_address() -> str:
    """Where the newest release says which it is; empty where the repository is not known."""
    repository = os.environ.get(REPOSITORY, "")
    return f"https://github.com/{repository}/releases/latest/download/{LATEST}" if repository else ""


def download_address(version: str, file: str) -> str:
    """The address of a file of a release."""
    return f"https://github.com/{os.environ[REPOSITORY]}/releases/download/v{version}/{file}"
