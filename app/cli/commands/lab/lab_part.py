"""A part of `koebako lab`; and which parts there are and what options each takes, for programs such as our own window (`koebako lab parts`)."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from app.common.command_parser import CommandParser
from app.common.language import localize
from app.common.progress import Report
from app.lab.report_rows import Row, make_row

if TYPE_CHECKING:
    # With all that prepares voices, which `--help` does not need.
    from app.lab.lab_subject import LabSubject


class LabPart:
    """A part: its options, and what it finds in a subject.

    Attributes:
        summary: one line of help, in both languages.
        reads_text: it speaks or reads sentences, with a BERT.
        confines_itself: it looks into every graph, also one that nobody has proved, within strict limits of its own.
    """

    summary: ClassVar[tuple[str, str]]
    reads_text: ClassVar[bool] = False
    confines_itself: ClassVar[bool] = False

    def add_options(self, parser: CommandParser) -> None:
        """Add the options that only this part has."""
        raise NotImplementedError

    def check_options(self, options: argparse.Namespace) -> None:
        """Raise an AppError for what can be refused before a voice is prepared for minutes."""

    def find_rows(self, subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
        """Yield the findings as they come."""
        raise NotImplementedError

    def choose_exit_code(self, _rows: Sequence[Row]) -> int:
        """Return the exit code for these findings."""
        return 0


class _OptionRecorder(CommandParser):
    """Notes what is added, in groups too."""

    def __init__(self) -> None:
        self.added: list[argparse.Action] = []
        super().__init__()

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        self.added.append(super().add_argument(*names, **settings))
        return self.added[-1]

    def add_mutually_exclusive_group(self, **_settings: Any) -> Any:
        return self


def list_commands(parts: Mapping[str, LabPart]) -> Iterator[Row]:
    """Yield a row for each part, and at the end the places that `--backend` takes here."""
    for name, part in parts.items():
        options = [_describe_option(action) for action in _collect_options(part)]
        yield make_row("part", part=name, summary=localize(*part.summary), options=options)
    from app.adapters.ort.devices.ort_devices import has_device, list_places  # with ONNX Runtime

    yield make_row("places", places=[place for place in filter(has_device, list_places()) if place != "cpu"] + ["cpu"])


def _collect_options(part: LabPart) -> list[argparse.Action]:
    parser = _OptionRecorder()
    part.add_options(parser)
    return [action for action in parser.added if action.option_strings and action.dest != "help"]


def _describe_option(action: argparse.Action) -> Row:
    many = action.nargs in ("*", "+") or (isinstance(action.nargs, int) and action.nargs > 0)
    kind = "switch" if action.nargs == 0 else "number" if action.type in (int, float) and not many else "text"
    default = " ".join(map(str, action.default)) if isinstance(action.default, list | tuple) else action.default
    return {
        "option": action.option_strings[-1],
        "kind": kind,
        "many": many,
        "choices": [str(item) for item in action.choices] if action.choices is not None and not many else [],
        "default": "" if default is None else default if isinstance(default, bool | int | float) else str(default),
        "metavar": action.metavar if isinstance(action.metavar, str) else "",
        "help": (action.help or "").replace("%%", "%"),
    }
