"""`koebako project`: which action does what."""

from __future__ import annotations

import argparse

from app.cli.commands.project.convert import convert
from app.cli.commands.project.info import info
from app.cli.commands.project.new import new


def run(options: argparse.Namespace) -> int:
    """One action."""
    actions = {"new": new, "info": info, "convert": convert}
    return actions[options.action](options)
