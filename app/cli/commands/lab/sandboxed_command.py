"""Parts of the lab in a child that keeps to limits (`app.cli.commands.lab.lab_sandbox_worker`), for what is not installed: anybody may have made it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.adapters.sandbox.process_limits import ProcessLimits
from app.adapters.sandbox.sandbox_process import SandboxProcess
from app.common.progress import Report
from app.install.sandbox_limits import UnsafeFileError, compute_limits
from app.lab.graph_sandbox import find_subject_kind, read_sandbox_rows
from app.lab.lab_subject import LabSubject
from app.lab.report_rows import Row
from app.lab.scratch_folder import create_scratch_folder
from app.lab.subject_codec import dump_subject

UNLIMITED_TIME_S = 30 * 24 * 3600


def run_command_in_sandbox(part: str, subject: LabSubject, options: Mapping[str, Any], report: Report) -> Iterator[Row]:
    """Run a part of the lab in a child from its first look at the files to its last, and yield its findings.

    A voice includes a BERT, so all may take as much memory as that; how long it takes is what the user asked for, and can end.

    Args:
        part: one of the command line's; `options` are its own.

    Raises:
        UnsafeFileError: a graph asks for too much memory, or makes the child crash.
        AppError: as the part itself.
    """
    kind, limits = find_subject_kind(subject), ProcessLimits(compute_limits("bert").memory_bytes, UNLIMITED_TIME_S)
    with create_scratch_folder() as folder:
        given = [part, dump_subject(subject, folder), dict(options)]
        with SandboxProcess("--lab-part", "part", given, limits, folder) as child:
            for row in read_sandbox_rows(child, kind, limits, report):
                if not isinstance(row.get("type"), str):
                    raise UnsafeFileError("crash", kind)
                yield row
