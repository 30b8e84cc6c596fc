"""`--lab-part`: one part of the lab on what a stranger may have made, in a child that keeps to limits. Its parent is `app.lab.graph_sandbox`."""

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from app.adapters.sandbox.sandbox_child import SandboxChannel, serve_task


def _run_command(channel: SandboxChannel, part: str, subject: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Send all rows as they come. Other output of a part, such as a trace, is written by the part itself."""
    from app.cli.commands.lab.lab_parts import LAB_PARTS  # once the limits hold
    from app.cli.console_output import replace_non_finite
    from app.lab.lab_subject import load_subject

    for row in LAB_PARTS[part].find_rows(load_subject(subject), Namespace(**options), channel.report_progress):
        channel.send_result(**replace_non_finite(row))


def main() -> int:
    """Run the task that the parent requests."""
    return serve_task({"part": _run_command})
