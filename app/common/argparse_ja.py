"""argparse says in English what is wrong with a command; these are its sentences in Japanese."""

from __future__ import annotations

import re

_TRANSLATIONS = (
    (r"the following arguments are required: (.+)", r"\1 が必要です"),
    (r"one of the arguments (.+) is required", r"\1 のいずれかが必要です"),
    (r"unrecognized arguments: (.+)", r"不明な引数です: \1"),
    (r"not allowed with argument (.+)", r"\1 と一緒には使えません"),
    (r"expected one argument", r"値を一つ指定してください"),
    (r"expected at least one argument", r"値を一つ以上指定してください"),
    (r"ignored explicit argument (.+)", r"値は指定できません: \1"),
    (r"invalid int value: (.+)", r"整数を指定してください: \1"),
    (r"invalid float value: (.+)", r"数値を指定してください: \1"),
    (r"invalid choice: (.+?)(?:, maybe you meant .+)? \(choose from (.+)\)", r"\1 は使用できません（使用できるもの: \2）"),
    (r"ambiguous option: (.+) could match (.+)", r"\1 では \2 のどれか判断できません"),
)


def translate_to_japanese(message: str) -> str:
    """A message of argparse; one that is not known stays as it is."""
    argument = re.fullmatch(r"argument (.+?): (.+)", message, re.DOTALL)
    if argument:
        return f"{argument[1]}: {translate_to_japanese(argument[2])}"
    for english, japanese in _TRANSLATIONS:
        match = re.fullmatch(english, message, re.DOTALL)
        if match:
            return match.expand(japanese)
    return message
