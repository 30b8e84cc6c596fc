"""The last step: signs as words, and all punctuation as one of ! ? , . ' -"""

from __future__ import annotations

import re

from app.core.normalise.arrows import speak_arrows
from app.core.normalise.boundaries import BOUNDARY
from app.core.normalise.characters import PLACEHOLDER
from app.core.normalise.kept_words import KEPT, keep
from app.core.normalise.rare import RarePattern
from app.core.normalise.signs import KEPT as KEPT_SIGNS
from app.core.normalise.signs import SPOKEN

_WORDS = str.maketrans(SPOKEN | {sign: keep(words) for sign, words in KEPT_SIGNS.items()})
_MARKS = str.maketrans(
    dict.fromkeys("。\n", ".")
    | dict.fromkeys("、・·•:;", ",")
    | dict.fromkeys('「」『』()[]{}〈〉《》【】〔〕〖〗〘〙‹›«»"“”„‟', "'")
    | {"—": "-", "〜": "ー"}
    | dict.fromkeys("/\\|^*_~¦", " ")
)
_NAME_LINK = re.compile(r"(?<=[ァ-ヶー])=(?=[ァ-ヶ])")  # ジャン=ジャック
_RANGE = RarePattern(
    "〜",
    r"(?<=[\dA-Za-z%°度])\s?〜\s?(?=[\d$¥€£−-])"
    r"|(?<=[\dA-Za-z%°一-龠々])〜(?=[\dA-Za-z一-龠々][^〜]*$)",  # a second wave means that both are decoration: 〜春の章〜
)
_ALTERNATIVES = RarePattern("/", r"(?<=[ぁ-んァ-ヶー一-龠々])/(?=[ぁ-んァ-ヶ一-龠])")
_TAG = RarePattern("#", r"(?<![\w&/])[#](?=[ぁ-んァ-ヶ一-龠A-Za-z_])")
_MENTION = RarePattern("@", r"(?<![\w.+-])@(?=[A-Za-z_])([A-Za-z0-9_]+)(?![A-Za-z0-9.@-])")
_CROSS = RarePattern("×", r"(?<=[A-Za-z])\s?×\s?(?=[A-Za-z]{2})|(?<=[ァ-ヶー一-龠])×(?=[ァ-ヶ一-龠]{2})")
_HIDDEN = RarePattern("○×△□●", r"(?<![○×△□●])([○×△□●])(\1*)(?=さん|くん|君|様|ちゃん|氏|社|会社|店|駅|町|市|県|大学|高校|年|月|日)")
_SHAPES = {"○": "マル", "×": "バツ", "△": "サンカク", "□": "シカク", "●": "マル", "◎": "ニジューマル"}
_SHAPE_ALONE = RarePattern("○×△□◎", r"(?:(?<![\w)])|(?<=[○×△◎マルツク][かとや]))[○×△□◎](?=[がをにはのもとでかや」』]|だ[^ぁ-ん]|[。、]|$)")
_SHAPES_RUN = RarePattern("○×△□●", r"([○×△□●])\1+(?![0-9])")  # letters that a censor or a form leaves out
_SHAPE_PAIR = re.compile("○×|×○")
_WAVE_OF_SONG = re.compile("[〜~]+(?=[♪♫♬])")
_KEYS = RarePattern(
    "+-",
    r"(?<![A-Za-z])(Ctrl|Control|Shift|Alt|Cmd|Command|Option|Win|Fn|コントロール|オルト|シフト)\s?[+-]\s?(?=[A-ZF]|シフト|コントロール|オルト)",
)
_OPENING = "「『（([{〈《【〔〖〘‹«“„"
_CRY = re.compile(rf"(?<=[{re.escape(_OPENING)}])[はへ](?:[、,。.…!?〜ー—-]+[はへ])*(?![^\W\d_])")
_KATAKANA_CRY = str.maketrans("はへ", "ハヘ")
_SPACES = re.compile(r" +")
_BOUNDARY = re.compile(rf"(?<=[\w{KEPT}{PLACEHOLDER}]) ?{BOUNDARY}[{BOUNDARY} ]*(?=[\w{KEPT}{PLACEHOLDER}])")
_NEEDLESS_SPACE = re.compile(rf"(?<![A-Za-z0-9ァ-ヶー{KEPT}]) | (?![A-Za-z0-9ァ-ヶー{KEPT}])")


def speak_links(text: str) -> str:
    """Text with the wave of a range as から, and without the sign that links the parts of a name."""
    return _NAME_LINK.sub("", _RANGE.sub("から", text))


def speak_tags(text: str) -> str:
    """Text with signs of posts and notes: #tags are said without their sign, _ in @names parts words, an arrow is a pause, ○○さん is まるまるさん."""
    text = _KEYS.sub(r"\1 ", text)
    text = _TAG.sub(" ", _WAVE_OF_SONG.sub("", text))
    text = _MENTION.sub(lambda match: " アット " + " ".join(map(_name, match[1].split("_"))), text)
    text = _HIDDEN.sub(lambda match: "".join(map(_SHAPES.__getitem__, match[0])), text)
    text = _SHAPE_PAIR.sub(lambda match: "".join(map(_SHAPES.__getitem__, match[0])), text)
    text = _SHAPES_RUN.sub(lambda match: _SHAPES[match[1]] * 2, text)
    text = _SHAPE_ALONE.sub(lambda match: _SHAPES[match[0]], text)
    return speak_arrows(_CROSS.sub(" ", text))


def _name(part: str) -> str:
    """A part of a user's name: words, not abbreviations."""
    return part.capitalize() if part.islower() and part.isascii() else part


def to_marks(text: str) -> str:
    """Text with only the marks SBV2 knows; spaces stay where they part words in Latin letters, katakana or digits, or words of the user's."""
    text = _CRY.sub(lambda match: match[0].translate(_KATAKANA_CRY), text)
    text = _ALTERNATIVES.sub(",", text).translate(_WORDS).translate(_MARKS)
    text = _NEEDLESS_SPACE.sub("", _SPACES.sub(" ", text))
    return _BOUNDARY.sub(" ", text).replace(BOUNDARY, "")
