"""The parts of the lab and their options, as `koebako lab parts` reports them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

FORMATS = ("--csv", "--markdown", "--html", "--plot", "--json", "--progress", "--accept-licence")
COMMAND_LINE_ONLY = ("--keep", "--bert", "--graph", "--install")
PATHS = {"FILE", "FOLDER", "PATH"}  # other files are for those who write commands
FILES = {"--trace": ".json", "--junit": ".xml"}
"""Options that name a file which is written beside the rows → how it ends; we always ask for it, so that it can be exported."""


@dataclass(frozen=True, slots=True)
class PartOption:
    """One option.

    Attributes:
        option: as it is written on the command line.
        kind: "switch", "number", "text".
        many: several values, with spaces between them.
        choices: the values that it takes; empty where it takes others too.
        default: as words; empty where the part decides.
    """

    option: str
    kind: str
    many: bool
    choices: tuple[str, ...]
    default: str
    help: str


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the lab.

    Attributes:
        summary: one line.
        options: those that the user can set.
        files: options for files that it can write beside its rows.
    """

    name: str
    summary: str
    options: tuple[PartOption, ...]
    files: tuple[str, ...] = ()


def read_parts(rows: Iterable[dict[str, Any]]) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """The parts and the places that `--backend` takes, of the rows of our command line."""
    parts: list[Part] = []
    places: tuple[str, ...] = ()
    for row in rows:
        if row.get("type") == "part":
            parts.append(_part(row))
        elif row.get("type") == "places":
            places = tuple(map(str, row["places"]))
    return tuple(parts), places


def _part(row: dict[str, Any]) -> Part:
    files = tuple(item["option"] for item in row["options"] if item["option"] in FILES)
    shown = (item for item in row["options"] if item["option"] not in (*FORMATS, *FILES, *COMMAND_LINE_ONLY))
    return Part(row["part"], row["summary"], tuple(_option(item) for item in shown if not PATHS & set(item["metavar"].split("|"))), files)


def _option(item: dict[str, Any]) -> PartOption:
    default = item["default"]
    return PartOption(
        item["option"], item["kind"], item["many"], tuple(item["choices"]), "" if default is False else str(default), item["help"]
    )
