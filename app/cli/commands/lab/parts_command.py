"""`koebako lab parts`: which parts there are and what options each takes, for programs such as our own window."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from app.common.command_parser import CommandParser
from app.common.language import localize
from app.lab.report_rows import ReportRow


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionDescription:
    """An option of a part.

    Attributes:
        kind: `switch`, `number` or `text`.
        many: whether it takes several values.
        metavar: what stands for the value in the help, where that is not its own name.
    """

    option: str
    kind: str
    many: bool
    choices: Sequence[str]
    default: bool | float | str
    metavar: str
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabPartRow(ReportRow):
    """One part of the lab."""

    kind = "part"
    part: str
    summary: str
    options: Sequence[OptionDescription]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceListRow(ReportRow):
    """The devices that `--backend` takes here."""

    kind = "places"
    places: Sequence[str]


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


def describe_command() -> tuple[str, str]:
    """Return one line of help, in both languages."""
    return "機能とオプションを一覧表示する", "list the parts and their options"


def list_commands(parts: Mapping[str, ModuleType]) -> Iterator[ReportRow]:
    """Yield a row for each part, and at the end the places that `--backend` takes here."""
    for name, part in parts.items():
        options = [_describe_option(action) for action in _collect_options(part)]
        yield LabPartRow(part=name, summary=localize(*part.describe_command()), options=options)
    from app.adapters.ort.devices.ort_devices import has_device, list_places  # with ONNX Runtime

    yield DeviceListRow(places=[place for place in filter(has_device, list_places()) if place != "cpu"] + ["cpu"])


def _collect_options(part: ModuleType) -> list[argparse.Action]:
    parser = _OptionRecorder()
    part.add_options(parser)
    return [action for action in parser.added if action.option_strings and action.dest != "help"]


def _describe_option(action: argparse.Action) -> OptionDescription:
    many = action.nargs in ("*", "+") or (isinstance(action.nargs, int) and action.nargs > 0)
    kind = "switch" if action.nargs == 0 else "number" if action.type in (int, float) and not many else "text"
    default = " ".join(map(str, action.default)) if isinstance(action.default, list | tuple) else action.default
    return OptionDescription(
        option=action.option_strings[-1],
        kind=kind,
        many=many,
        choices=[str(item) for item in action.choices] if action.choices is not None and not many else [],
        default="" if default is None else default if isinstance(default, bool | int | float) else str(default),
        metavar=action.metavar if isinstance(action.metavar, str) else "",
        help=(action.help or "").replace("%%", "%"),
    )
