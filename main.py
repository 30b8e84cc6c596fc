"""Starts Koebako from a checkout, and as the built program; see `app.start`."""

import sys

from app.start import main

if __name__ == "__main__":
    sys.exit(main())
