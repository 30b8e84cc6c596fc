"""What of a take is not as the line is now, in words."""

from __future__ import annotations

from collections.abc import Callable

from app.core.limits import BOUNDS
from app.core.script import Line
from app.core.takes import Take
from app.language import localized
from app.ui.labels import style_name


def differences(take: Take, line: Line, name_of: Callable[[str], str]) -> tuple[str, ...]:
    """Each with the value that the take has; the seed is left out, for it has a column of its own.

    Args:
        name_of: what people call the voice of an id.
    """
    then, now = take.settings, line.settings
    found: list[str] = []
    if take.text != line.text:
        found.append(localized("テキスト", "text"))
    if take.overrides != line.overrides:
        found.append(localized("読みとアクセント", "reading and accent"))
    if then.voice != now.voice:
        found.append(localized(f"声 {name_of(then.voice)}", f"voice {name_of(then.voice)}"))
    first = localized("（先頭）", "(first)")
    if then.speaker != now.speaker:
        found.append(localized("話者", "speaker") + f" {then.speaker or first}")
    if then.style != now.style:
        found.append(localized("スタイル", "style") + f" {style_name(then.style) or first}")
    found += [f"{BOUNDS[name].label} {value:g}" for name in BOUNDS if (value := getattr(then, name)) != getattr(now, name)]
    if then.pauses != now.pauses:
        found.append(localized("間の長さ", "pauses"))
    if then.assist_text != now.assist_text:
        found.append(localized("アシストテキスト", "assist text"))
    if then.memos != now.memos:
        found.append(localized("メモの扱い", "memos"))
    return tuple(found)
