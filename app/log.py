"""The log file: what a user can send when something went wrong."""

from __future__ import annotations

import contextlib
import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from app.paths import data_dir

LARGEST_LOG = 1 << 20


def log_path() -> Path:
    """Where the log is."""
    return data_dir() / "logs" / "koebako.log"


def start_log() -> None:
    """Sends messages of the logger `koebako` to the log file; without a writable folder there is none, and that must not stop anything."""
    logger = logging.getLogger("koebako")
    if logger.handlers:
        return
    logger.setLevel(logging.INFO)
    logger.addHandler(logging.NullHandler())
    with contextlib.suppress(OSError):
        log_path().parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(log_path(), maxBytes=LARGEST_LOG, backupCount=2, encoding="utf-8", delay=True)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        logger.addHandler(handler)
