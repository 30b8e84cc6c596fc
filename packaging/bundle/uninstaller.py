"""Run by the installer's script for the uninstaller that makensis has made: takes it out to be signed, or puts the signed one in its place.

python uninstaller.py take|put FILE UNINSTALLER
"""

import shutil
import sys


def main() -> int:
    """Copies in the direction that is asked for."""
    what, kept, made = sys.argv[1:]
    source, target = (made, kept) if what == "take" else (kept, made)
    shutil.copyfile(source, target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
