"""Graphs looked into and run in children that keep to limits: anybody may have made them. What they say is checked here.

`app.lab.child` looks into graphs that nobody has proved. Whole parts of the lab: `app.cli.commands.lab.confined`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from app.adapters.confined.child import ConfinedChild, StoppedError
from app.adapters.confined.limits import Limits
from app.install.proof_limits import Subject as Kind
from app.install.proof_limits import UnsafeError, limits_for
from app.json_text import finite
from app.lab.handed_over import file_of
from app.lab.scratch import scratch_folder
from app.lab.subject import Subject
from app.progress import Report, unreported
from app.terminal import one_line

LONGEST_TEXT = 1000  # of names, reasons and errors, which a stranger may have written
MOST_ITEMS = 2000  # of a list or mapping
DEEPEST = 4
Found = dict[str, Any]


def found_by(task: str, subject: Subject, arguments: Sequence[Any], report: Report = unreported) -> Iterator[Found]:
    """What the child finds in the graphs of a subject, as it comes: plain values of bounded size.

    Args:
        task: one of `app.lab.child`, given the graphs first.

    Raises:
        UnsafeError: a graph asks for too much, or makes the child crash.
        VoiceError: a graph cannot be read.
    """
    kind = kind_of(subject)
    with scratch_folder() as folder:
        graphs = [[form, name, str(file_of(graph, folder / f"{form}-{name}.onnx"))] for form, name, graph in subject.forms()]
        with ConfinedChild("--lab", task, [graphs, *arguments], limits_for(kind), folder) as child:
            yield from said_by(child, kind, limits_for(kind), report)


def said_by(child: ConfinedChild, kind: Kind, limits: Limits, report: Report = unreported) -> Iterator[Found]:
    """What any child finds, made plain; raises UnsafeError where it did not end by itself."""
    try:
        yield from (plain(found) for found in child.found(report))
    except StoppedError as exc:
        raise UnsafeError(exc.reason, kind, limits) from exc


def kind_of(subject: Subject) -> Kind:
    """Whose limits hold, and what errors call it."""
    if subject.bert is not None or "bert" in subject.source:
        return "bert"
    return "graph" if subject.voice is None and subject.source else "voice"


@contextmanager
def believing(subject: Subject) -> Iterator[None]:
    """Makes what a child said, and what makes no sense, an UnsafeError: it was led astray."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as exc:
        raise UnsafeError("crash", kind_of(subject)) from exc


def plain(value: Any, depth: int = 0) -> Any:
    """A value without what is not for a table: texts are on one line and cut, numbers finite, lists and mappings bounded.

    What is too deep is gone. Raises ValueError for a number that is none.
    """
    if isinstance(value, str):
        value = one_line(value)
        return value if len(value) <= LONGEST_TEXT else value[: LONGEST_TEXT - 1] + "…"
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return value if isinstance(value, int) else finite(value)
    if depth == DEEPEST or not isinstance(value, list | dict):
        return None
    if isinstance(value, list):
        return [plain(item, depth + 1) for item in value[:MOST_ITEMS]]
    return {str(plain(name)): plain(item, depth + 1) for name, item in list(value.items())[:MOST_ITEMS]}
