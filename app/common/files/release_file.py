"""Reads the file in which a build notes where newer versions are announced; a checkout has none, and a store's build announces none."""

from app.common.files.paths import find_resources_dir
from app.common.files.untrusted_json import parse_object

RELEASE_FILE_NAME = "release.json"


def read_feed_address() -> str:
    """Return where the newest release says which it is; empty for a program that asks nobody."""
    try:
        feed = parse_object((find_resources_dir() / RELEASE_FILE_NAME).read_bytes()).get("feed")
    except (OSError, ValueError):
        return ""
    return feed if isinstance(feed, str) else ""


def has_update_notices() -> bool:
    """Return whether this program can ask for newer versions at all."""
    return bool(read_feed_address())
