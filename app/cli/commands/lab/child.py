"""`--lab-part`: one part of the lab on what a stranger may have made, in a child that keeps to limits. Its parent is `app.cli.commands.lab.confined`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from app.adapters.confined.worker import Channel, serve


def _part(channel: Channel, part: str, subject: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """All rows as they come. What a part writes beside them, such as a trace, it writes itself."""
    from app.cli.commands.lab.options import PARTS  # once the limits hold
    from app.cli.output import finite_values
    from app.lab.handed_over import subject_from

    for row in PARTS[part].rows(subject_from(subject), Namespace(**options), channel.report):
        channel.found(**finite_values(row))


def main() -> int:
    """Does what the parent asks for."""
    return serve({"part": _part})
