"""Shows a licence on the terminal and asks whether it is accepted."""

import sys

from app.cli.console_output import ask_question, print_json, print_note, print_note_lines
from app.common.language import localize
from app.install.voice_licence import AskLicence, VoiceLicence

YES_ANSWERS = ("y", "yes", "はい")


def create_licence_prompt(*, is_accepted: bool, as_json: bool = False) -> AskLicence:
    """Return a function that accepts licences by the option, else asks a person at the terminal, else refuses, and prints them for a program if `as_json`."""

    def ask_licence(licence: VoiceLicence) -> bool:
        if is_accepted:
            return True
        if all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
            return _ask_user(licence)
        if as_json:
            print_json({"type": "licence", "id": licence.voice_id, "name": licence.name, "text": licence.text})
        return False

    return ask_licence


def _ask_user(licence: VoiceLicence) -> bool:
    print_note(localize(f"声「{licence.name}」の利用規約:", f"Licence of the voice “{licence.name}”:"))
    print_note_lines(f"\n{licence.text.strip()}\n")
    return ask_question(localize("この利用規約に同意しますか？ [y/N] ", "Do you accept this licence? [y/N]")).casefold() in YES_ANSWERS
