"""The last step: signs as words, and all punctuation as one of ! ? , . ' -"""

from __future__ import annotations

import re

from app.core.normalise.signs import SPOKEN

_WORDS = str.maketrans(SPOKEN)
_MARKS = str.maketrans(
    dict.fromkeys("。\n", ".")
    | dict.fromkeys("、・·•:;", ",")
    | dict.fromkeys('「」『』()[]{}〈〉《》【】〔〕〖〗〘〙‹›«»"“”„‟', "'")
    | {"—": "-", "〜": "ー"}
    | dict.fromkeys("/\\|^*_~¦", " ")
)
_NAME_LINK = re.compile(r"(?<=[ァ-ヶー])=(?=[ァ-ヶ])")  # ジャン=ジャック
_RANGE = re.compile(
    r"(?<=[\dA-Za-z%°度])\s?〜\s?(?=[\d$¥€£-])"
    r"|(?<=[\dA-Za-z%°一-龠々])〜(?=[\dA-Za-z一-龠々][^〜]*$)"  # a second wave means that both are decoration: 〜春の章〜
)
_ALTERNATIVES = re.compile(r"(?<=[ぁ-んァ-ヶー一-龠々])/(?=[ぁ-んァ-ヶ一-龠])")
_SPACES = re.compile(r" +")
_NEEDLESS_SPACE = re.compile(r"(?<![A-Za-z0-9ァ-ヶー]) | (?![A-Za-z0-9ァ-ヶー])")


def speak_links(text: str) -> str:
    """Text with the wave of a range as から, and without the sign that links the parts of a name."""
    return _NAME_LINK.sub("", _RANGE.sub("から", text))


def to_marks(text: str) -> str:
    """Text with only the marks SBV2 knows; spaces stay where they part words in Latin letters, katakana or digits."""
    text = _ALTERNATIVES.sub(",", text).translate(_WORDS).translate(_MARKS)
    return _NEEDLESS_SPACE.sub("", _SPACES.sub(" ", text))
