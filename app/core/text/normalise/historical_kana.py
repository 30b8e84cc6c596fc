"""Historical kana as modern kana (言ふ, でせう, 行つた), which is what the analyser's dictionary has.

A verb counts only where the dictionary has its modern form, an ending only where no modern word fits: した|らうまい, 手で|あらう.
行かう becomes 行こう later, among the analyser's words: 向かう is written alike.
"""

import re
import unicodedata
from functools import cache, partial
from typing import NamedTuple

from app.core.text.normalise.latin_words import Lookup

_REPEAT_MARK = re.compile("〳〵|〴〵|〱|〲|／″?＼")
_SINGLE_REPEAT_MARKS = {"〳〵": "〱", "／＼": "〱", "〴〵": "〲", "／″＼": "〲"}
_REPEATED = re.compile("([ぁ-ゖァ-ヺー一-龠々]{1,5})([〱〲])")
_REPEATED_KATAKANA = re.compile("([ァ-ヺ])([ヽヾ])")  # alone or before a stop, the analyser takes them for an unknown word
_KANA_WORD = re.compile("[ぁ-ゖァ-ヺー]+")
_NEVER_FIRST_KANA = "ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮーんン"  # begins no word
_USUAL_REPEAT_LENGTH = 2  # characters of such a word: いろ〱
_VOICED_MARK = "\u3099"


def speak_repeats(text: str, lookup: Lookup) -> str:
    """Return the text with repeat marks written out; of several possible words, the one whose repetition is in the dictionary."""
    text = _REPEATED_KATAKANA.sub(_repeat_katakana, text)
    if not _REPEAT_MARK.search(text):
        return text
    text = _REPEAT_MARK.sub(lambda match: _SINGLE_REPEAT_MARKS.get(match[0], match[0]), text)
    return _REPEATED.sub(lambda match: match[1] + _repeat_word(match[1], lookup, is_voiced=match[2] == "〲"), text)


def _repeat_katakana(match: re.Match[str]) -> str:
    letter = unicodedata.normalize("NFD", match[1])[0]
    return match[1] + (_apply_voicing(letter) if match[2] == "ヾ" else letter)


def _repeat_word(before: str, lookup: Lookup, *, is_voiced: bool) -> str:
    candidates = [before[-size:] for size in range(1, len(before) + 1) if before[-size] not in _NEVER_FIRST_KANA]
    if not candidates:
        return before
    usual = next((word for word in candidates if len(word) >= _USUAL_REPEAT_LENGTH), candidates[-1])
    if not _KANA_WORD.search(before[-1]):
        usual = candidates[0]  # 人〱
    dictionary_words = [word for word in candidates if lookup(word + (_apply_voicing(word) if is_voiced else word))]
    word = dictionary_words[-1] if dictionary_words else usual
    return _apply_voicing(word) if is_voiced else word


def _apply_voicing(word: str) -> str:
    changed = unicodedata.normalize("NFC", word[0] + _VOICED_MARK)
    return (changed if len(changed) == 1 else word[0]) + word[1:]


_CLAUSE_END = r"[。、！？!?….,「」『』（）()\s]|$"
_CLAUSE_LAST = (
    f"{_CLAUSE_END}|(?:か|が|ね|よ|に|な|さ|ぜ|ぞ|わ|し|けれど|けど|けれども|から|と|とも)(?:{_CLAUSE_END})|と[思言云考]|か(?:と|しら|も)"
)
# Before はない and はず only kanji that are no nouns: 会はない is modern, too.
_VERB_KANJI = "[言云謂思想食喰給使遣買違習倣笑拾払祓洗疑貰嫌厭迷狂縫這吸従随救掬扱伴失養追負向逢遭誘叶適揃奪狙窺伺詠謡祝呪雇構繕敬商賑整調慕襲覆漂匂惑]"
_KANJI, _FIRST_KANJI = "[一-龠々]", "(?<![一-龠々])[一-龠々]"
_SHORT_OKURIGANA = "(?:(?![のをがにでとも])[ぁ-ん]){0,2}?"
# 候ふ is in our dictionary; the others make adverbs (白う, 悪う) or words of two kanji.
_NO_VERBS = "[候然白黒赤青紅悪早速高低長短深浅遠近暗明強弱重軽古若寒暑熱辛甘苦痛痒良善酷狭広細太丸鋭鈍固硬荒薄厚濃淡渋気中小少多円山]"
_KANA_BEFORE = "(?:(?<=[をにがはもとでくお、。「『])|^)"


class _HistoricalWord(NamedTuple):
    """The text before a historical form, the form, the text behind it, and its modern form."""

    before: str
    old: str
    after: str
    new: str

    @property
    def pattern(self) -> str:
        """Return the word as a regular expression."""
        return self.before + self.old + self.after


class _HistoricalVerb(NamedTuple):
    """Historical forms of verbs: the stem, the kana behind it, what follows, and the modern kana; the dictionary has the stem with one of the endings."""

    stem: str
    old: str
    after: str
    new: str
    endings: tuple[str, ...] = ("う",)

    @property
    def pattern(self) -> str:
        """Return the verb as a regular expression whose group is the stem."""
        return f"({self.stem}){self.old}{self.after}"


_HISTORICAL_VERBS = (
    _HistoricalVerb(f"(?!{_NO_VERBS}){_KANJI}{_SHORT_OKURIGANA}", "ふ", "(?!た[たびつり一-龠]|[ふりるろくざぜじきえっゃゅょう])", "う"),
    _HistoricalVerb(f"(?!{_NO_VERBS}){_KANJI}{_SHORT_OKURIGANA}", "ひ", "(?!と[つりこき月]|[めらどねかろやそ])", "い"),
    _HistoricalVerb(f"(?<![一-龠々]){_VERB_KANJI}[ぁ-ん]?", "は", f"(?=な[いかくけ]|ず(?!っ)|ぬ|ねば|ざる|う(?:と|{_CLAUSE_END}))", "わ"),
    _HistoricalVerb(f"(?!気){_FIRST_KANJI}[ぁ-ん]?", "は", "(?=[れせ][るたてばまな])", "わ"),
    _HistoricalVerb(f"{_FIRST_KANJI}[ぁ-ん]?", "へ", "(?=[るばどたてまず]|な[いか]|り(?:[一-龠と。、]))", "え", ("える",)),
    _HistoricalVerb(f"(?![一二三四五六七八九十]){_KANJI}[ぁ-ん]{{0,2}}?", "つて", "", "って", ("う", "る", "って")),
    _HistoricalVerb(f"(?![一二三四五六七八九十]){_KANJI}[ぁ-ん]{{0,2}}?", "つた", "(?![めび])", "った", ("う", "る", "って")),
    _HistoricalVerb(f"{_KANJI}か", "つた", "(?![めび])", "った", ("い",)),
    _HistoricalVerb(f"{_KANJI}[ぁ-ん]?", "やう", "", "よう", ("る",)),
    _HistoricalVerb(f"{_KANA_BEFORE}[ぁ-ん]{{2,4}}", "ふ", f"(?={_CLAUSE_END}|こと|もの|べ[きし]|と[思言云考お]|[一-龠])", "う"),
    _HistoricalVerb(f"{_KANA_BEFORE}[ぁ-ん]{{2,4}}", "ひ", "(?=ま[しすせ]|し[またて]|ながら|つつ)", "い"),
)
_MODERN_KANA = str.maketrans("はひふへほゐゑ", "わいうえおいえ")
_BEFORE_IU = "[とうをくり、。「『]"
_NOT_WASHING = "(?<![手て水湯みゆんンー剤川シ])"
_HISTORICAL_WORDS = [
    _HistoricalWord(*row)
    for row in (
        (f"(?<={_KANJI})", "ゐ", "", "い"), (f"(?<={_KANJI})", "ゑ", "", "え"),
        # auxiliaries
        ("(?<=[でまう])", "せう", "(?![るれけえたち])", "しょう"), ("(?<=[にをと一-龠])", "せう", f"(?={_CLAUSE_LAST})", "しょう"),
        ("", "だらう", "(?!ま|ち|なぎ)", "だろう"), ("", "たらう", f"(?={_CLAUSE_LAST})", "たろう"), ("(?<=[なよし一-龠])", "からう", f"(?={_CLAUSE_LAST})", "かろう"),
        (_NOT_WASHING, "であらう", f"(?={_CLAUSE_LAST})", "であろう"),
        ("(?:(?<=が)|(?<=さも)|(?<=でも)|(?<=ことも))", "あらう", f"(?={_CLAUSE_LAST})", "あろう"),
        ("(?<=[しなさいきみりえれち一-龠])", "さう", f"(?=[なにで]|だ|{_CLAUSE_LAST})", "そう"), ("", "ぢや", "(?=な[いか]|あ|ら|に|の|[、。])", "じゃ"),
        # a small っ written large
        ("(?<=[でがもはに])", "あつ", f"(?=た(?:[のがとこもでけり]|{_CLAUSE_END})|て[もは、。])", "あっ"), ("(?<!ま)", "だつた", "(?![なえわ])", "だった"),
        ("(?<=[なしよた])", "かつた", "(?![えわ])", "かった"), ("(?<=[にとく])", "なつ", "(?=て|た(?![めび]))", "なっ"),
        ("", "しまつ", "(?=[たて])", "しまっ"), ("(?<=と)", "いつ", "(?=た[。、のがもこら]|て[。、もい])", "いっ"), ("", "やつぱり", "", "やっぱり"),
        ("", "すつかり", "", "すっかり"), ("", "はつきり", "", "はっきり"),
        # words in kana
        ("", "らうそく", "", "ろうそく"), ("", "らふそく", "", "ろうそく"), ("", "さうらふ", "", "そうろう"), ("", "せうせう", "", "しょうしょう"),
        ("(?<=ありが)", "たう", "", "とう"), ("(?<=おめで)", "たう", "", "とう"), ("", "てふてふ", "", "ちょうちょう"),
        ("(?<=[うくすつぬふむゆる])", "てふ", "(?![きだりくろ])", "ちょう"),
        (f"(?:(?<={_BEFORE_IU})|(?<=とは)|^)", "いふ", f"(?={_CLAUSE_END}|こと|もの|と|の|べ|まで|[一-龠])", "いう"),
        ("(?<=[とうをく])", "いひ", "(?=ま[しすせ]|な[がさ]|た[いか。]|つつ|、)", "いい"), ("(?<=[とうもは])", "いへ", "(?=ば|ど)", "いえ"),
        ("(?<=とは)", "いへ", "", "いえ"), ("", "いは", "(?=ゆる|ば、)", "いわ"), ("(?<=[とうを])", "いは", "(?=れ|な[いか]|ず)", "いわ"),
        ("(?:(?<=[をがのはにも、。])|^)", "とほ", "(?=[いくきさるりつすせ])", "とお"), ("", "おほ", "(?=[いくきかぜよぞ])", "おお"),
        ("", "なほ", "(?=[すしりるっつれ])", "なお"), ("", "こほり", "", "こおり"), ("", "ほのほ", "", "ほのお"), ("", "にほひ", "", "におい"),
        ("", "あひだ", "", "あいだ"), ("", "ちひさ", "", "ちいさ"), ("", "つひに", "", "ついに"), ("", "をしへ", "", "おしえ"),
        ("(?<![いでやじ])", "まは", "(?=[るりすっつし])", "まわ"), ("(?<![かなこにどれつ])", "かは", "(?=り[まに、。]|る[、。と])", "かわ"),
        ("(?<=[にを])", "さは", "(?=[るりっつ])", "さわ"), ("", "くはし", "(?=[いくさ])", "くわし"), ("", "くはへ", "(?=[るたて])", "くわえ"),
        ("", "あはせ", "", "あわせ"), ("", "かはい", "(?=[いくさそ])", "かわい"), ("", "たふれ", "", "たおれ"), ("", "たふと", "(?=[いくき])", "とうと"),
        ("(?<=[をに])", "あふ", "(?=[ぐぎげ])", "あお"), ("", "ゆふ", "(?=べ|がた|ぐれ|やけ|だち)", "ゆう"),
        ("(?<![かなこにどれつくてん])", "かへ", "(?=る|り[またに、。]|し[てたま]|す|つ[たて]|ら[なうずぬ])", "かえ"),
    )
]  # fmt: skip


def convert_to_modern_kana(text: str, lookup: Lookup) -> str:
    """Return the text with its historical kana as modern kana; `lookup` states whether the dictionary has a word."""
    for word in _HISTORICAL_WORDS:
        if word.old in text:
            text = _compile_pattern(word.pattern).sub(word.new, text)
    for verb in _HISTORICAL_VERBS:
        if verb.old in text:
            text = _compile_pattern(verb.pattern).sub(partial(_convert_verb, verb=verb, lookup=lookup), text)
    return text


_compile_pattern = cache(re.compile)  # a millisecond each, and few texts need any


def _convert_verb(match: re.Match[str], verb: _HistoricalVerb, lookup: Lookup) -> str:
    stem = match[1].translate(_MODERN_KANA)
    is_modern = match[0] < "一" and lookup(match[0]) is not None  # さいふ is no verb
    return match[0] if is_modern or not any(lookup(stem + ending) for ending in verb.endings) else stem + verb.new
