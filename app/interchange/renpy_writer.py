"""The script as Ren'Py's say statements, with a character for each name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.interchange.named_lines import NamedLine, is_made_id
from app.interchange.renpy_texts import convert_from_spoken, encode_string

_LABEL = "koebako"
_WRITABLE_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def format_renpy_script(lines: Sequence[NamedLine]) -> str:
    """Return definitions of all characters, and a say statement for each line, with its id where Ren'Py can hold it."""
    names = dict.fromkeys(line.name for line in lines if line.name)
    variables = {name: f"c{number}" for number, name in enumerate(names, 1)}
    definitions = [
        f"define {variable} = Character({encode_string(convert_from_spoken(name, has_variables=False))})\n"
        for name, variable in variables.items()
    ]
    statements = [f"    {_format_say(line, variables)}\n" for line in lines]
    return "".join((*definitions, "\n" if definitions else "", f"label {_LABEL}:\n", *statements, "    return\n"))


def is_renpy_id(line_id: str) -> bool:
    """Return whether a say statement can hold this id; without one, Ren'Py makes its own."""
    return _WRITABLE_ID.fullmatch(line_id) is not None and not is_made_id(line_id)


def _format_say(line: NamedLine, variables: dict[str, str]) -> str:
    parts = (variables.get(line.name, ""), encode_string(convert_from_spoken(line.text)), f"id {line.id}" if is_renpy_id(line.id) else "")
    return " ".join(filter(None, parts))
