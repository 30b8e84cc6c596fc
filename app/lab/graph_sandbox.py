"""Graphs looked into, and whole parts of the lab run, in children that keep to limits: anybody may have made them. What they say is checked here.

`app.lab.sandbox_tasks` looks into graphs that nobody has proved; `app.cli.commands.lab.lab_sandbox_worker` runs parts.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from app.adapters.sandbox.process_limits import ProcessLimits
from app.adapters.sandbox.sandbox_process import SandboxProcess, SandboxStoppedError
from app.common.files.untrusted_json import require_number
from app.common.processes.terminal import escape_to_one_line
from app.common.progress import Report, ignore_report
from app.install.sandboxed_import import SandboxSubject, UnsafeFileError, compute_limits
from app.lab.lab_subject import LabSubject, create_scratch_folder, dump_subject, ensure_file
from app.lab.report_rows import Row

MAX_SANDBOX_TEXT = 1000  # of names, reasons and errors, which a stranger may have written
MAX_SANDBOX_ITEMS = 2000  # of a list or mapping
MAX_SANDBOX_DEPTH = 4
SandboxRow = dict[str, Any]
UNLIMITED_TIME_S = 30 * 24 * 3600


def run_in_sandbox(task: str, subject: LabSubject, arguments: Sequence[Any], report: Report = ignore_report) -> Iterator[SandboxRow]:
    """Yield what a task of `app.lab.sandbox_tasks` finds in the graphs of a subject, as it comes: plain values of bounded size.

    Raise UnsafeFileError if a graph asks for too much, or makes the child crash; VoiceError if one cannot be read.
    """
    kind = find_subject_kind(subject)
    with create_scratch_folder() as folder:
        graphs = [[form, name, str(ensure_file(graph, folder / f"{form}-{name}.onnx"))] for form, name, graph in subject.iterate_graphs()]
        with SandboxProcess("--lab", task, [graphs, *arguments], compute_limits(kind), folder) as child:
            yield from read_sandbox_rows(child, kind, compute_limits(kind), report)


def read_sandbox_rows(
    child: SandboxProcess, kind: SandboxSubject, limits: ProcessLimits, report: Report = ignore_report
) -> Iterator[SandboxRow]:
    """Read any child's findings as plain values. Raises UnsafeFileError where the child did not end by itself."""
    try:
        yield from (sanitise_value(row) for row in child.iterate_results(report))
    except SandboxStoppedError as exc:
        raise UnsafeFileError(exc.reason, kind, limits) from exc


def find_subject_kind(subject: LabSubject) -> SandboxSubject:
    """Return the kind of a subject: it decides the limits, and its name in errors."""
    if subject.bert is not None or "bert" in subject.source:
        return "bert"
    return "graph" if subject.voice is None and subject.source else "voice"


@contextmanager
def reject_malformed(subject: LabSubject) -> Iterator[None]:
    """Turn malformed answers of the child into an UnsafeFileError: a hostile graph may control the child."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as exc:
        raise UnsafeFileError("crash", find_subject_kind(subject)) from exc


def sanitise_value(value: Any, depth: int = 0) -> Any:
    """Return a value fit for a table: bounded, on one line, not too deep; raise ValueError for a number that is none."""
    if isinstance(value, str):
        value = escape_to_one_line(value)
        return value if len(value) <= MAX_SANDBOX_TEXT else value[: MAX_SANDBOX_TEXT - 1] + "…"
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return value if isinstance(value, int) else require_number(value)
    if depth == MAX_SANDBOX_DEPTH or not isinstance(value, list | dict):
        return None
    if isinstance(value, list):
        return [sanitise_value(item, depth + 1) for item in value[:MAX_SANDBOX_ITEMS]]
    return {str(sanitise_value(name)): sanitise_value(item, depth + 1) for name, item in list(value.items())[:MAX_SANDBOX_ITEMS]}


def run_command_in_sandbox(part: str, subject: LabSubject, options: Mapping[str, Any], report: Report) -> Iterator[Row]:
    """Run a part of the lab in a child from its first look at the files to its last, and yield its findings; raise as it, or UnsafeFileError.

    A voice includes a BERT, so all may take as much memory as that; how long it takes is what the user asked for, and can end.
    """
    kind, limits = find_subject_kind(subject), ProcessLimits(compute_limits("bert").memory_bytes, UNLIMITED_TIME_S)
    with create_scratch_folder() as folder:
        arguments = [part, dump_subject(subject, folder), dict(options)]
        with SandboxProcess("--lab-part", "part", arguments, limits, folder) as child:
            for row in read_sandbox_rows(child, kind, limits, report):
                if not isinstance(row.get("type"), str):
                    raise UnsafeFileError("crash", kind)
                yield row
