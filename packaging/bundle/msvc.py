"""One set of Microsoft's C++ runtime under its own names for the whole program.

Wheels bring sets of different ages, and the loader takes whichever comes first; ONNX Runtime does not start on old ones.
"""

from pathlib import Path

from bundle.pe import file_version

RUNTIME = ("msvcp140", "vcruntime140", "concrt140", "vccorlib140")

Entry = tuple[str, str, str]


def one_runtime(binaries: list[Entry]) -> list[Entry]:
    """The binaries with only the newest copy of each runtime library, at the root of the folder, where every part of it is found.

    Copies that wheels renamed with a hash (as in `msvcp140-a4c2….dll`) count as libraries of their own: others ask for that name.
    """
    newest: dict[str, Entry] = {}
    others: list[Entry] = []
    for entry in binaries:
        name = entry[0].replace("\\", "/").rsplit("/", 1)[-1].lower()
        if not (name.startswith(RUNTIME) and name.endswith(".dll")):
            others.append(entry)
        elif name not in newest or version(Path(entry[1])) > version(Path(newest[name][1])):
            newest[name] = entry
    return others + [(name, source, kind) for name, (_, source, kind) in sorted(newest.items())]


def version(library: Path) -> tuple[int, ...]:
    """The version of a library as numbers; () where it has none."""
    return tuple(int(part) for part in file_version(library).split(".") if part)
