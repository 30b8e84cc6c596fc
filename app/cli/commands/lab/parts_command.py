"""`koebako lab parts`: which parts there are and what options each takes, for programs such as our own window."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from app.common.command_parser import CommandParser
from app.common.language import localize
from app.lab.report_rows import Row


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


def list_commands(parts: Mapping[str, ModuleType]) -> Iterator[Row]:
    """Yield a row for each part, and at the end the places that `--backend` takes here."""
    for name, part in parts.items():
        yield {
            "type": "part",
            "part": name,
            "summary": localize(*part.describe_command()),
            "options": [_describe_option(action) for action in _collect_options(part)],
        }
    from app.adapters.ort.devices.ort_devices import list_places  # with ONNX Runtime

    yield {"type": "places", "places": [place for place in list_places() if place != "cpu"] + ["cpu"]}


def _collect_options(part: ModuleType) -> list[argparse.Action]:
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
