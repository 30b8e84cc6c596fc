"""Parts of the lab in a child that keeps to limits (`app.cli.commands.lab.child`), for what is not installed: anybody may have made it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.adapters.confined.child import ConfinedChild
from app.adapters.confined.limits import Limits
from app.install.proof_limits import UnsafeError, limits_for
from app.lab.confined import kind_of, said_by
from app.lab.handed_over import values_of
from app.lab.rows import Row
from app.lab.scratch import scratch_folder
from app.lab.subject import Subject
from app.progress import Report

ANY_TIME_S = 30 * 24 * 3600


def rows_by(part: str, subject: Subject, options: Mapping[str, Any], report: Report) -> Iterator[Row]:
    """What a part of the lab finds, in a child from its first look at the files to its last.

    A voice includes a BERT, so all may take as much memory as that; how long it takes is what the user asked for, and can end.

    Args:
        part: one of the command line's; `options` are its own.

    Raises:
        UnsafeError: a graph asks for too much memory, or makes the child crash.
        AppError: as the part itself.
    """
    kind, limits = kind_of(subject), Limits(limits_for("bert").memory_bytes, ANY_TIME_S)
    with scratch_folder() as folder:
        given = [part, values_of(subject, folder), dict(options)]
        with ConfinedChild("--lab-part", "part", given, limits, folder) as child:
            for row in said_by(child, kind, limits, report):
                if not isinstance(row.get("type"), str):
                    raise UnsafeError("crash", kind)
                yield row
