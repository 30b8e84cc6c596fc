"""argparse says in English what is wrong with a command; these are its sentences in Japanese."""

from __future__ import annotations

import re

_SENTENCES = tuple(
    (re.compile(english, re.DOTALL), japanese)
    for english, japanese in (
        (r"the following arguments are required: (.+)", r"\1 が必要です"),
        (r"one of the arguments (.+) is required", r"\1 のどれかが必要です"),
        (r"unrecognized arguments: (.+)", r"知らない引数です: \1"),
        (r"not allowed with argument (.+)", r"\1 と一緒には使えません"),
        (r"expected one argument", r"値を一つ指定してください"),
        (r"expected at least one argument", r"値を一つ以上指定してください"),
        (r"ignored explicit argument (.+)", r"値は付けられません: \1"),
        (r"invalid int value: (.+)", r"整数ではありません: \1"),
        (r"invalid float value: (.+)", r"数ではありません: \1"),
        (r"invalid choice: (.+?)(?:, maybe you meant .+)? \(choose from (.+)\)", r"\1 は選べません（選べるのは \2）"),
        (r"ambiguous option: (.+) could match (.+)", r"\1 は \2 のどれか決められません"),
    )
)


def in_japanese(message: str) -> str:
    """A message of argparse; one that is not known stays as it is."""
    argument = re.fullmatch(r"argument (.+?): (.+)", message, re.DOTALL)
    if argument:
        return f"{argument[1]}: {in_japanese(argument[2])}"
    for english, japanese in _SENTENCES:
        match = english.fullmatch(message)
        if match:
            return match.expand(japanese)
    return message
