"""Shows a licence on the terminal and asks whether it is accepted."""

from __future__ import annotations

import sys

from app.cli.output import answer_to, json_line, note, note_lines
from app.install.licence import Ask, Licence
from app.language import localized

YES = ("y", "yes", "はい")


def licence_prompt(*, accepted: bool, as_json: bool = False) -> Ask:
    """Who asks about licences: nobody when the user has accepted them with an option, a person where there is one.

    Args:
        accepted: by `--accept-licence`.
        as_json: where nobody can be asked, the licence is printed as a JSON line for the program that called us.
    """

    def ask(licence: Licence) -> bool:
        if accepted:
            return True
        if _person_is_there():
            return _asked(licence)
        if as_json:
            json_line({"type": "licence", "id": licence.voice_id, "name": licence.name, "text": licence.text})
        return False

    return ask


def _person_is_there() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def _asked(licence: Licence) -> bool:
    note(localized(f"声「{licence.name}」の利用規約:", f"Licence of the voice “{licence.name}”:"))
    note_lines(f"\n{licence.text.strip()}\n")
    return answer_to(localized("この利用規約に同意しますか？ [y/N] ", "Do you accept this licence? [y/N]")).casefold() in YES
