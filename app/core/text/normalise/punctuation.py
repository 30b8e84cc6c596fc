"""Signs that are no words: first without decoration (bullets, ruled lines, laughter, faces drawn with signs), last as words or one of ! ? , . ' -

An arrow is a pause between words, から between numbers, silent at the ends of a line; only one on its own is named.
"""

import re

from app.core.text.normalise.characters import (
    BOUNDARY_CHAR,
    KEPT_CHAR_RANGE,
    KEPT_SIGN_WORDS,
    PLACEHOLDER,
    SIGN_WORDS,
    LazyPattern,
    keep_words,
)

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

_ONLY_FACE_CHARS = frozenset("´｀`ﾟ゜˘д▽╹﹏‿◡ᴥㅂㅅ益皿￣¯＾•◕◉ಠ⌒╥ᴗ")  # eyes and mouths
_FACE_CHARS = _ONLY_FACE_CHARS | frozenset("ωД∀∇Θ≧≦")  # those of formulas as well
# Letters and kana that are cheeks, tears and hands.
_LIMBS = frozenset("っつッノﾉヽヾゝゞーヘへ一人口ロﾛワﾜヮェｪェシｼoOｏＯcCｃvVｖuUTＴxXqQpbdmnzAD03３εзΦ")
_TEXT_CHAR = "[A-Za-zＡ-Ｚａ-ｚ0-9０-９ぁ-ゖァ-ヺｦ-ﾝ一-龠Α-ωА-я]"
_MOUTH = "[_＿ω∀▽△ДдO○□Θ﹏]"
_SPARKLES = r"[ﾟ゜+＋*＊☆★✧:：･｡.]{2,40}+"
_SYMMETRIC_FACE = (
    rf"([TＴoOｏＯ0０xX@＠*＊+＋$?？uUvVqQ=＝;；~'’ノﾉ°・･•。｡.ー−-]){_MOUTH}{{1,2}}\1"  # (o_o), ('ω')
    r"|([TＴ;；・･°'])[oOｏＯ0０.vVзε3３qー−^-]\2"  # (T-T), (・３・)
    r"|[\^＾].?[\^＾]|[\^＾][_＿][-−ー]|[>＞].{0,2}[<＜]|≧.?≦|[_＿]{2}|[/／][ω_＿▽∀]?[\\＼]|['´]A[`´]"
)
_LEFT_LIMB = rf"(?:<(?=[(（])|(?<![A-Za-z0-9])[mｍoｏOdｄc]|(?<![ぁ-んァ-ヶー])[ノっつヘ]|{_SPARKLES}|[∩ヽヾ＼\\σ⊂⊃٩ᕦ⁽ʅ┗└┏Σ✧☆★╰╭｡ﾟ]){{0,3}}"
_RIGHT_LIMB = (
    rf"(?:>|[mｍoｏOdｄbｂvｖc](?![A-Za-z])|[zZｚＺ]{{2,}}(?![A-Za-z])|ノシ|ﾉｼ|-☆|[ノシっッつ旦](?![ぁ-んァ-ヶー])|{_SPARKLES}"
    r"|[∩丿ゞ／/σ⊃⊂و۶┛┘┓✧☆★彡ﾉヾ╯︵ﾟ｡]){0,3}"
)
_FACE_CONTENT = rf"[^()（）{PLACEHOLDER}\n]"
_BRACKETED_FACE = LazyPattern("(（", rf"{_LEFT_LIMB}[(（]({_FACE_CONTENT}{{2,16}})[)）]{_RIGHT_LIMB}")
_UNCLOSED_FACE = LazyPattern("(（", rf"{_LEFT_LIMB}[(（]({_FACE_CONTENT}{{2,8}}?)(?=$|[\s。、！？!?」』])", re.MULTILINE)  # (´Д⊂ヽ
_OTHER_FACES = LazyPattern(
    "_＿:ʕ¯^＾><＞",
    r"¯\\_[(（]ツ[)）]_/¯|_?[(（]?:3\s?[」ヽ]\s?∠?\s?[)）]?_{0,2}(?![A-Za-z0-9])|ʕ[^ʕʔ\ue000\n]{1,9}ʔ"
    r"|(?<![A-Za-z0-9(（_])(?:T_T|[;；][_＿][;；]|[>＞][_＿][<＜]|[\^＾][_＿oOω-][\^＾]|[oO]_[oO])[;；]*(?![A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9(（_])(?:[>＞]ω?[<＜]|[\^＾]{2})[;；]*(?=$|[\s。、！？!?wｗ♪☆」』)）])",
    re.MULTILINE,
)


def speak_links(text: str) -> str:
    """Return text with the wave of a range as から, and without the sign that links the parts of a name."""
    return _NAME_LINK.sub("", _WAVE_OF_RANGE.sub("から", text))


def join_arrows(text: str) -> str:
    """Return text with one sign for an arrow, however it is drawn."""
    return _DRAWN_ARROW.sub(_choose_arrow, text.translate(_PLAIN_ARROWS))


def _choose_arrow(match: re.Match[str]) -> str:
    left, right = match[0].startswith("<"), match[0].endswith(">")
    return "↔" if left and right else "→" if right else "←"


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
    return _ARROW_AT_LINE_END.sub("", _ARROW_BETWEEN_WORDS.sub(_speak_arrow_between, _CROSS_BETWEEN_NAMES.sub(" ", text)))


def _speak_user_name(part: str) -> str:
    return part.capitalize() if part.islower() and part.isascii() else part


def convert_to_marks(text: str) -> str:
    """Return text with only the marks SBV2 knows; spaces stay where they part words in Latin letters, katakana or digits, or words of the user's."""
    text = _CRY_AFTER_BRACKET.sub(lambda match: match[0].translate(_KATAKANA_CRY), text)
    text = _ALTERNATIVES.sub(",", text).translate(_SPOKEN_SIGN_TABLE).translate(_PUNCTUATION_TABLE)
    text = _NEEDLESS_SPACE.sub("", _SPACE_RUN.sub(" ", text))
    return _BOUNDARY_RUN.sub(" ", text).replace(BOUNDARY_CHAR, "")


def drop_faces(text: str) -> str:
    """Return raw text without faces, whose characters would not survive any normalisation."""
    text = _BRACKETED_FACE.sub(lambda match: BOUNDARY_CHAR if _is_face(match[1]) else match[0], text)
    return _OTHER_FACES.sub(BOUNDARY_CHAR, _UNCLOSED_FACE.sub(lambda match: BOUNDARY_CHAR if _is_face(match[1]) else match[0], text))


def _is_face(inside: str) -> bool:
    """Return whether the text has eyes or a mouth, and nothing but characters that draw faces: neither a word nor a formula, such as (∀x) or (ωt)."""
    signs = re.sub(r"\s", "", inside)
    letters = [sign for sign in signs if re.match(_TEXT_CHAR, sign) and sign not in _FACE_CHARS]
    if not _LIMBS.issuperset(letters):
        return False
    if re.search(_SYMMETRIC_FACE, signs):
        return True
    sure = sum(sign in _ONLY_FACE_CHARS for sign in signs)
    drawn = sum(sign in _FACE_CHARS for sign in signs)
    return sure > 1 or (sure == 1 and (drawn > 1 or not letters))


_BULLET = re.compile(r"^[^\S\n]*(?:[-*•・]|#{1,6}|>{1,3})\s+", re.MULTILINE)
_CHECK_BOX = re.compile(r"^[^\S\n]*\[[xX ]\]\s+", re.MULTILINE)
_MARKED_SPAN = re.compile(r"(~~|==)(?=[^\s~=])([^~=\n]{1,200})(?<=\S)\1")  # struck out, or marked
_WRITTEN_BREAK = re.compile(r"(?<![A-Za-z:\\])\\n(?![a-z])")  # but C:\new
_POST_ANCHOR = LazyPattern(">", r"(?<![\w<>])>>(?=\d)")  # the post of a board that another one answers
_RULED_LINE = re.compile(r"([-_=:*#+〜—])\1{2,}(?:\s*\1{3,})*")
_DOT_RUN = re.compile(r"・{2,}")
_WAVE_RUN = re.compile(r"〜{2,}")
_LAUGHTER = LazyPattern("wW", r"(?<=[ぁ-んァ-ヶー一-龠々!?。)])[wW]+(?=$|[\s。、!?)」』.,])")


def drop_bullets(text: str) -> str:
    """Return text without the bullets and boxes of a list, what strikes out or marks words, the signs of a quotation, and those before the number of a post."""
    text = _POST_ANCHOR.sub("", _CHECK_BOX.sub("", _BULLET.sub("", text)))
    return _WRITTEN_BREAK.sub("\n", _MARKED_SPAN.sub(lambda match: match[2], text))


def replace_runs(text: str) -> str:
    """Replace runs of one sign by their meaning: a pause, a long vowel, a laugh."""
    text = _DOT_RUN.sub(lambda match: "." * len(match[0]), text)
    text = _WAVE_RUN.sub(lambda match: "ー" * len(match[0]), text)
    text = _RULED_LINE.sub(".", text)
    return _LAUGHTER.sub(lambda match: "ワラ" if len(match[0]) < 3 else "ワラワラ", text)
