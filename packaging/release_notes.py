#!/usr/bin/env python3
"""Prints the notes of this version's release, in both languages, as the change log has them.

    python3 packaging/release_notes.py                 the notes
    python3 packaging/release_notes.py --files FOLDER  and, where the Windows programs in it are not signed, a sentence that says so
    python3 packaging/release_notes.py --tag           nothing; fails where GITHUB_REF_NAME is not the tag of this version

Standard library only. Fails where the change log has nothing about this version.
"""

import argparse
import os
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "packaging")]

from bundle.signatures import has_signature  # noqa: E402  after the path to it

from app.common.change_log import cut_version  # noqa: E402
from app.common.version import VERSION  # noqa: E402

UNSIGNED = """\
---

The Windows files of this release are **not signed**. Windows shows a warning when the installer is started: choose “More info”, then “Run anyway”,
after comparing the file with `SHA256SUMS`.

この版の Windows 用ファイルには**署名がありません**。インストーラーの起動時に警告が表示されます。`SHA256SUMS` と照合したうえで、「詳細情報」から「実行」を選んでください。"""


def main() -> int:
    """Prints what is asked for; returns 1, and says why, where that cannot be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=Path, metavar="FOLDER")
    parser.add_argument("--tag", action="store_true")
    options = parser.parse_args()
    notes = cut_version((PROJECT / ".github" / "CHANGELOG.md").read_text(encoding="utf-8"), VERSION)
    if not notes:
        print(f".github/CHANGELOG.md has nothing about {VERSION}.", file=sys.stderr)
        return 1
    if options.tag:
        tag = os.environ.get("GITHUB_REF_NAME", "")
        if tag != f"v{VERSION}":
            print(f"The tag is {tag or 'missing'}, and the version is {VERSION}.", file=sys.stderr)
        return int(tag != f"v{VERSION}")
    print(notes)
    if options.files is not None and not all(map(has_signature, options.files.glob("*.exe"))):
        print(f"\n{UNSIGNED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
