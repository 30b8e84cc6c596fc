"""The commands of the lab and their options, as `koebako lab parts` reports them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

WINDOW_HANDLED_OPTIONS = ("--csv", "--markdown", "--html", "--plot", "--json", "--progress", "--accept-licence")
COMMAND_LINE_ONLY = ("--keep", "--bert", "--graph", "--install")
# Options for other files serve scripts on the command line; the window offers none for them.
PATH_METAVARS = {"FILE", "FOLDER", "PATH"}
FILE_OPTIONS = {"--trace": ".json", "--junit": ".xml"}
"""The options that name a file written beside the rows, with its suffix; always passed, so that the file can be exported."""


@dataclass(frozen=True, slots=True)
class LabOption:
    """An option of a lab command.

    Attributes:
        option: The option as written on the command line.
        kind: One of "switch", "number" and "text".
        many: Whether it takes several values, separated by spaces.
        choices: The values that it takes; empty where it takes others too.
        default: The default as text; empty where the command decides.
    """

    option: str
    kind: str
    many: bool
    choices: tuple[str, ...]
    default: str
    help: str


@dataclass(frozen=True, slots=True)
class LabCommand:
    """A command of the lab.

    Attributes:
        summary: The command's help in one line.
        options: The options that the user can set.
        files: The options for files that the command can write beside its rows.
    """

    name: str
    summary: str
    options: tuple[LabOption, ...]
    files: tuple[str, ...] = ()


def parse_lab_commands(rows: Iterable[dict[str, Any]]) -> tuple[tuple[LabCommand, ...], tuple[str, ...]]:
    """Return the commands, and the devices that `--backend` takes, from the rows of `koebako lab parts`."""
    parts: list[LabCommand] = []
    places: tuple[str, ...] = ()
    for row in rows:
        if row.get("type") == "part":
            parts.append(_parse_command(row))
        elif row.get("type") == "places":
            places = tuple(map(str, row["places"]))
    return tuple(parts), places


def _parse_command(row: dict[str, Any]) -> LabCommand:
    files = tuple(item["option"] for item in row["options"] if item["option"] in FILE_OPTIONS)
    shown = (item for item in row["options"] if item["option"] not in (*WINDOW_HANDLED_OPTIONS, *FILE_OPTIONS, *COMMAND_LINE_ONLY))
    return LabCommand(
        row["part"],
        row["summary"],
        tuple(_parse_option(item) for item in shown if not PATH_METAVARS & set(item["metavar"].split("|"))),
        files,
    )


def _parse_option(item: dict[str, Any]) -> LabOption:
    default = item["default"]
    return LabOption(
        item["option"], item["kind"], item["many"], tuple(item["choices"]), "" if default is False else str(default), item["help"]
    )
