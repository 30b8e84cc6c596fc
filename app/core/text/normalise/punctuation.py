"""The last step: signs as words, and all punctuation as one of ! ? , . ' -

An arrow is a pause between words, から between numbers, silent at the ends of a line; only one on its own is named.
"""

from __future__ import annotations

import re

from app.core.text.normalise.characters import BOUNDARY_CHAR, PLACEHOLDER
from app.core.text.normalise.lazy_pattern import LazyPattern
from app.core.text.normalise.spoken_signs import KEPT_CHAR_RANGE, KEPT_SIGN_WORDS, SIGN_WORDS, keep_words

_SPOKEN_SIGN_TABLE = str.maketrans(SIGN_WORDS | {sign: keep_words(words) for sign, words in KEPT_SIGN_WORDS.items()})
_PUNCTUATION_TABLE = str.maketrans(
    dict.fromkeys("。\n", ".")
    | dict.fromkeys("、・·•:;", ",")
    | dict.fromkeys('「」『』()[]{}〈〉《》【】〔〕〖〗〘〙‹›«»"“”„‟', "'")
    | {"—": "-", "〜": "ー"}
    | dict.fromkeys("/\\|^*_~¦", " ")
)
_NAME_LINK = re.compile(r"(?<=[ァ-ヶー])=(?=[ァ-ヶ])")  # ジャン=ジャック
_WAVE_OF_RANGE = LazyPattern(
    "〜",
    r"(?<=[\dA-Za-z%°度])\s?〜\s?(?=[\d$¥€£−-])"
    r"|(?<=[\dA-Za-z%°一-龠々])〜(?=[\dA-Za-z一-龠々][^〜]*$)",  # a second wave means that both are decoration: 〜春の章〜
)
_ALTERNATIVES = LazyPattern("/", r"(?<=[ぁ-んァ-ヶー一-龠々])/(?=[ぁ-んァ-ヶ一-龠])")
_HASHTAG = LazyPattern("#", r"(?<![\w&/])[#](?=[ぁ-んァ-ヶ一-龠A-Za-z_])")
_MENTION = LazyPattern("@", r"(?<![\w.+-])@(?=[A-Za-z_])([A-Za-z0-9_]+)(?![A-Za-z0-9.@-])")
_CROSS_BETWEEN_NAMES = LazyPattern("×", r"(?<=[A-Za-z])\s?×\s?(?=[A-Za-z]{2})|(?<=[ァ-ヶー一-龠])×(?=[ァ-ヶ一-龠]{2})")
_CENSORED_NAME = LazyPattern("○×△□●", r"(?<![○×△□●])([○×△□●])(\1*)(?=さん|くん|君|様|ちゃん|氏|社|会社|店|駅|町|市|県|大学|高校|年|月|日)")
_SHAPE_READINGS = {"○": "マル", "×": "バツ", "△": "サンカク", "□": "シカク", "●": "マル", "◎": "ニジューマル"}
_SHAPE_ALONE = LazyPattern("○×△□◎", r"(?:(?<![\w)])|(?<=[○×△◎マルツク][かとや]))[○×△□◎](?=[がをにはのもとでかや」』]|だ[^ぁ-ん]|[。、]|$)")
_SHAPES_RUN = LazyPattern("○×△□●", r"([○×△□●])\1+(?![0-9])")  # letters that a censor or a form leaves out
_SHAPE_PAIR = re.compile("○×|×○")
_WAVE_OF_SONG = re.compile("(?<![〜~])[〜~]++(?=[♪♫♬])")
_KEY_COMBINATION = LazyPattern(
    "+-",
    r"(?<![A-Za-z])(Ctrl|Control|Shift|Alt|Cmd|Command|Option|Win|Fn|コントロール|オルト|シフト)\s?[+-]\s?(?=[A-ZF]|シフト|コントロール|オルト)",
)
_OPENING_BRACKETS = "「『（([{〈《【〔〖〘‹«“„"
_CRY_AFTER_BRACKET = re.compile(rf"(?<=[{re.escape(_OPENING_BRACKETS)}])[はへ](?:[、,。.…!?〜ー—-]+[はへ])*(?![^\W\d_])")
_KATAKANA_CRY = str.maketrans("はへ", "ハヘ")
_SPACE_RUN = re.compile(r" +")
_BOUNDARY_RUN = re.compile(
    rf"(?<=[\w{KEPT_CHAR_RANGE}{PLACEHOLDER}]) ?{BOUNDARY_CHAR}[{BOUNDARY_CHAR} ]*(?=[\w{KEPT_CHAR_RANGE}{PLACEHOLDER}])"
)
_NEEDLESS_SPACE = re.compile(rf"(?<![A-Za-z0-9ァ-ヶー{KEPT_CHAR_RANGE}]) | (?![A-Za-z0-9ァ-ヶー{KEPT_CHAR_RANGE}])")

_RIGHT_ARROWS = "➡⮕➔➙➛➜➝➞➟➠➤➥➦➧➨➩➪➫➬➭➮➯➱➲➳➵➸➺➻➼➽➾⟶⟹⟾↦⇢⇨⇾🡒🡺"
_DRAWN_ARROW = LazyPattern("<>", r"<?(?:[-—−ー]{1,9}|={1,9})>|<[-—−]{1,9}(?=\s?[ぁ-んァ-ヶ一-龠])")  # ->, =>, <->, <-
_PLAIN_ARROWS = str.maketrans(dict.fromkeys(_RIGHT_ARROWS, "→") | dict.fromkeys("⬅⟵⟸⇐⇦⇠", "←") | dict.fromkeys("⟷⟺⬌", "↔"))

_ARROWS = "→⇒←↔⇔"
_ARROW_BETWEEN_WORDS = LazyPattern(
    _ARROWS,
    rf"(?<=[ぁ-んァ-ヶー一-龠々A-Za-z0-9%)）」』】\]\"'!?…{PLACEHOLDER}{KEPT_CHAR_RANGE}])\s?[{_ARROWS}]+\s?"
    rf"(?=[ぁ-んァ-ヶ一-龠A-Za-z0-9(（「『【\[\"'$¥€£+−\-{PLACEHOLDER}{KEPT_CHAR_RANGE}])",
)
_ARROW_AT_LINE_END = LazyPattern(
    _ARROWS, rf"^[ \u3000]*[{_ARROWS}]+[ \u3000]*(?=[^\s{_ARROWS}↑↓])|(?<=[^\s{_ARROWS}↑↓])\s*[{_ARROWS}]+[ \u3000]*$", re.MULTILINE
)
_NUMBER_BEFORE = re.compile(r"\d[^\d\s]{0,3}$")
_NUMBER_BEHIND = re.compile(r"[-−+$¥€£]?\d")
_PROPOSITIONS = re.compile(r"(?<![A-Za-z])[A-Za-z]\s?[⇒⇔]\s?[A-Za-z](?![A-Za-z])")  # p⇒q


def speak_links(text: str) -> str:
    """Return text with the wave of a range as から, and without the sign that links the parts of a name."""
    return _NAME_LINK.sub("", _WAVE_OF_RANGE.sub("から", text))


def join_arrows(text: str) -> str:
    """Return text with one sign for an arrow, however it is drawn."""
    return _DRAWN_ARROW.sub(_choose_arrow, text.translate(_PLAIN_ARROWS))


def _choose_arrow(match: re.Match[str]) -> str:
    left, right = match[0].startswith("<"), match[0].endswith(">")
    return "↔" if left and right else "→" if right else "←"


def speak_arrows(text: str) -> str:
    """Return text without the arrows that words or lines explain."""
    return _ARROW_AT_LINE_END.sub("", _ARROW_BETWEEN_WORDS.sub(_speak_arrow_between, text))


def _speak_arrow_between(match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    if _PROPOSITIONS.match(text, start - 1):
        return match[0]
    numbers = _NUMBER_BEFORE.search(text[max(0, start - 5) : start]) and _NUMBER_BEHIND.match(text, end)
    return "から" if numbers and "←" not in match[0] else "、"


def speak_tags(text: str) -> str:
    """Return text with the signs of posts and notes resolved: #tags lose their sign, _ in @names parts words, an arrow is a pause, ○○さん is まるまるさん."""
    text = _KEY_COMBINATION.sub(r"\1 ", text)
    text = _HASHTAG.sub(" ", _WAVE_OF_SONG.sub("", text))
    text = _MENTION.sub(lambda match: " アット " + " ".join(map(_speak_user_name, match[1].split("_"))), text)
    text = _CENSORED_NAME.sub(lambda match: "".join(map(_SHAPE_READINGS.__getitem__, match[0])), text)
    text = _SHAPE_PAIR.sub(lambda match: "".join(map(_SHAPE_READINGS.__getitem__, match[0])), text)
    text = _SHAPES_RUN.sub(lambda match: _SHAPE_READINGS[match[1]] * 2, text)
    text = _SHAPE_ALONE.sub(lambda match: _SHAPE_READINGS[match[0]], text)
    return speak_arrows(_CROSS_BETWEEN_NAMES.sub(" ", text))


def _speak_user_name(part: str) -> str:
    return part.capitalize() if part.islower() and part.isascii() else part


def convert_to_marks(text: str) -> str:
    """Return text with only the marks SBV2 knows; spaces stay where they part words in Latin letters, katakana or digits, or words of the user's."""
    text = _CRY_AFTER_BRACKET.sub(lambda match: match[0].translate(_KATAKANA_CRY), text)
    text = _ALTERNATIVES.sub(",", text).translate(_SPOKEN_SIGN_TABLE).translate(_PUNCTUATION_TABLE)
    text = _NEEDLESS_SPACE.sub("", _SPACE_RUN.sub(" ", text))
    return _BOUNDARY_RUN.sub(" ", text).replace(BOUNDARY_CHAR, "")
