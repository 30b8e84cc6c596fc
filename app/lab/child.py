"""`--lab`: what opens or runs a graph that a stranger may have made, done in a child that keeps to limits. Its parent is `app.lab.confined`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app.adapters.confined.worker import Channel, serve

Given = Sequence[Any]  # form, name and file of a graph

# A task imports what it needs when it is called: the limits hold then, and libraries are slow to import.


def _inspect(channel: Channel, graphs: Sequence[Given], sizes: Mapping[str, Any]) -> None:
    """Reads every graph, then counts what each does."""
    from app.lab.given import Sizes
    from app.lab.inspect.reading import read_all

    for found in read_all([(form, name, Path(file)) for form, name, file in graphs], Sizes(**sizes), channel.report):
        channel.found(**found)


def _expect(channel: Channel, graphs: Sequence[Given], sizes: Mapping[str, Any], repeats: Mapping[str, Any]) -> None:
    """Measures this machine, then times every graph."""
    from app.lab.expect.timing import time_all
    from app.lab.given import Sizes
    from app.lab.repeats import Repeats

    files = [(form, name, Path(file)) for form, name, file in graphs]
    for found in time_all(files, Sizes(**sizes), Repeats(**repeats), channel.report):
        channel.found(**found)


def _look(channel: Channel, graphs: Sequence[Sequence[str]], places: Sequence[str]) -> None:
    """Which operators every place has kernels for, of graphs given by name and file."""
    from app.lab.place.look import look

    for place in places:
        for name, file in graphs:
            channel.found(**look(Path(file), name, place, opens=place == "cpu").values())  # drivers do not keep to limits


def main() -> int:
    """Does what the parent asks for."""
    return serve({"inspect": _inspect, "expect": _expect, "look": _look})
