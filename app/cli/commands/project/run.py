"""`koebako project`: which action does what."""

from __future__ import annotations

import argparse

from app.cli.commands.project.convert_script import run_convert
from app.cli.commands.project.new_project import run_new
from app.cli.commands.project.project_info import run_info


def run(options: argparse.Namespace) -> int:
    """One action."""
    actions = {"new": run_new, "info": run_info, "convert": run_convert}
    return actions[options.action](options)
