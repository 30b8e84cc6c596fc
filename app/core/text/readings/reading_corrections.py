"""Corrects the readings of a sentence: our dictionary's phrases, places, rules with neighbours, our words, second analyser, in this order.

Here are the corrections that are no entry and no rule: short words that end others, and are read otherwise there or joined with an accent of
their own (指示厨, 裏垢, 配信主, 彼氏面, 電池切れ); words that the analyser takes for others (proper names that swallow a particle, いい as the verb 言う,
the cry う as an auxiliary, 行かう, 彼女らしい, 目と目); and cries that it takes for particles: a stutter (は、はい), a question (は？, え、は？), the letter itself.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from app.core.text.pronunciation import convert_to_katakana, split_moras
from app.core.text.readings.context_rules import HOMOGRAPH_RULES, VERB_RULES, ReadingRules
from app.core.text.readings.morphs import (
    Correction,
    Morph,
    MorphPart,
    SecondWord,
    drop_overlaps,
    find_divided_names,
    find_divided_verbs,
    find_listed_words,
    has_divided_name,
    has_divided_verb,
    has_listed_word,
)
from app.core.text.readings.place_names import PlaceNames
from app.core.text.readings.shipped_words import ShippedWords

WHITE_LIST = frozenset(
    """
居り 拵える 起き上る 盗人 奇怪 良人 懐く 集う 蔑む
半七 左膳 右門 紋也 三千代 三四郎 源十郎 九十郎 宗三郎 唯円 三吉 小坂部 お秀 お民 お蓮 お葉
""".split()  # noqa: SIM905 — a list to read
)


SecondAnalysis = Callable[[str], Sequence[SecondWord]]

_STREAM_HOSTS = "配信 生配信 放送 生放送 実況 投稿 動画 企画 コラボ スレ スレッド トピ トピック ブログ 質問 枠 部屋 鯖 サーバー ウプ 垢 アカウント ギルド チャンネル 大会"
_SLOT_HOSTS = "歌 雑談 耐久 朝 昼 夜 夕方 深夜 作業 ゲーム 弾き語り 凸待ち 同時視聴 視聴 記念 配信 生配信 告知 待機 練習 初見 コラボ 質問 お絵描き 晩酌 寝落ち カラオケ 企画"
_FACE_HOSTS = "彼氏 彼女 旦那 夫 嫁 女房 妻 保護者 被害者 加害者 親 父親 母親 兄 姉 先輩 後輩 古参 常連 先生 教師 師匠 上司 部下 友達 親友 味方 善人 聖人 紳士 理解者 専門家 評論家 識者 プロ オタク ファン 信者 主役 主人公 当事者 関係者 強者 弱者 正義 大人 王様 馬鹿"
_THROUGHOUT_HOSTS = "日本 世界 国 村 島 部屋 体 身体 顔 家 クラス 学校 会社 店 会場 教室 屋敷 庭 病院 ネット 床 壁 辺り そこら そこいら 今日 明日 今夜 今年"  # fmt: skip
_RUN_OUT_HOSTS = "充電 電池 バッテリー 時間 容量 ギガ 体力 電波 期限 在庫 弾 燃料 ガソリン ガス 契約 ネタ スタミナ"
_WIELDED_HOSTS = "槍 弓 剣 双剣 大剣 刀 鎌 銃 斧 杖 炎 火 氷 水 雷 風 闇 光 影 糸 魔術 魔剣 召喚"

# The word, its reading, how it joins (C2: the pitch falls behind its first mora, C3: right before it, C4: nowhere), and what it ends, where that is not any noun.
_AFFIX_TABLE = f"""
厨 チュー C3
障 ショー C4
垢 アカ C4
枠 ワク C4 {_SLOT_HOSTS}
担 タン C4
凸 トツ C4
活 カツ C4
充 ジュー C4
主 ヌシ C3 {_STREAM_HOSTS}
面 ズラ C4 {_FACE_HOSTS}
中 ジュー C4 {_THROUGHOUT_HOSTS}
確 カク C4
人 ニン C4 案内 相続 名義 仲裁 仲介 紹介 監督 保護 請負
切れ ギレ C4 {_RUN_OUT_HOSTS}
盛り モリ C4 激 デカ 爆 鬼 メガ 超 てんこ
暮らし グラシ C2 二人 人 家族 親子 夫婦 田舎 都会 実家 都会 島 団地 マンション
買い ガイ C4 全力 爆 大人 まとめ 衝動 ジャケ 箱 狼狽 高値
使い ツカイ C2 {_WIELDED_HOSTS}
"""
_VERB_ENDINGS = "た て たら たり てる てい ます まし ませ ない なかっ なく ず ぬ たい たく ながら つつ ば そう られ れ る"
_VERB_GOES_ON = frozenset(_VERB_ENDINGS.split())  # 電池切れ|た is a verb
_NOUN_KINDS = frozenset(("名詞", "接頭詞"))
_NON_HOST_KINDS = frozenset(("数", "代名詞", "非自立"))

# A particle follows a word. What begins a bracket is known before the brackets become one mark (`app.core.text.normalise.punctuation`).

_KANA_BY_PARTICLE_SOUND = {"ワ": "ハ", "エ": "ヘ"}
_CRY_LETTERS = frozenset("はへハヘ")
_CRY_ENDS = frozenset("'’-−")  # of a quotation, or of a remark between dashes
_CRY_STOPS = frozenset("!?")
_TAKES_PARTICLE = frozenset(("名詞", "副詞", "格助詞", "副助詞", "並立助詞", "接続助詞", "連用テ接続"))


@cache
def load_rules() -> ReadingRules:
    """Return all rules, read once."""
    return ReadingRules(HOMOGRAPH_RULES + VERB_RULES)


class _AffixRule(NamedTuple):
    reading: str
    joining: str
    hosts: frozenset[str]


def find_affixes(morphs: Sequence[Morph]) -> Iterator[Correction]:
    for at in range(1, len(morphs)):
        host, morph = morphs[at - 1], morphs[at]
        is_verb = morph.base[1:] in ("する", "す")  # 彼氏面する: 面する is a verb of the analyser's
        surface = morph.surface[0] if is_verb else morph.surface
        affix = _AFFIXES_BY_SURFACE.get(surface)
        if affix is None or not _is_host(host, affix.hosts):
            continue
        following = morphs[at + 1].surface if at + 1 < len(morphs) else ""
        if following in _VERB_GOES_ON and not is_verb:
            continue
        kind = "suffix" if _NOUN_KINDS.isdisjoint(host.kinds) else "noun"  # only a suffix joins a verb: 推し活
        affix_part = MorphPart(surface, affix.reading, 1, kind, affix.joining)
        verb_rest = morph.surface.removeprefix(surface)
        yield Correction(at, at + 1, (affix_part, MorphPart(verb_rest, kind="動詞,自立")) if verb_rest else (affix_part,), "rule", surface)


def _is_host(word: Morph, hosts: frozenset[str]) -> bool:
    if hosts:
        return word.surface in hosts
    is_noun = not _NOUN_KINDS.isdisjoint(word.kinds) or "連用形" in word.kinds
    is_surname = "姓" in word.kinds and word.surface >= "一"  # 佐藤充, but リア充
    return is_noun and any(map(str.isalnum, word.surface)) and _NON_HOST_KINDS.isdisjoint(word.kinds) and not is_surname


_AFFIXES_BY_SURFACE = {
    surface: _AffixRule(reading, joining, frozenset(hosts))
    for surface, reading, joining, *hosts in map(str.split, _AFFIX_TABLE.strip().splitlines())
}


def find_cries(morphs: Sequence[Morph]) -> Iterator[Correction]:
    """Yield corrections for cries in a sentence, with the sound that the letter has by itself."""
    before: Morph | None = None  # the last word that is no mark and no cry
    for at, morph in enumerate(morphs):
        if _is_mark(morph):
            continue
        if morph.surface in _CRY_LETTERS and morph.reading in _KANA_BY_PARTICLE_SOUND and _is_cry(morphs, at, before):
            kind = "フィラー" if at + 1 == len(morphs) or _is_mark(morphs[at + 1]) else "名詞,一般"
            yield Correction(
                at, at + 1, (MorphPart(morph.surface, _KANA_BY_PARTICLE_SOUND[morph.reading], kind=kind),), "rule", morph.surface
            )
            before = None
        else:
            before = morph


def _is_cry(morphs: Sequence[Morph], index: int, before: Morph | None) -> bool:
    """Return whether the letter at a place is no particle of the word before it."""
    if before is None:
        return True
    following = morphs[index + 1] if index + 1 < len(morphs) else None
    if not _is_mark(morphs[index - 1]) or (following is not None and not _is_mark(following)):
        return False
    letter = morphs[index].surface
    if morphs[index - 1].surface[-1] in _CRY_ENDS:
        return letter in "ハヘ"  # within the quotes, where the normalised text has it in katakana
    is_one_kana = "名詞" in before.kinds and len(before.surface) == 1 and before.surface <= "ヺ"  # い、いえ: no word either
    may_take_particle = not is_one_kana and not _TAKES_PARTICLE.isdisjoint(before.kinds)
    if following is None or following.surface in _CRY_STOPS or not may_take_particle:
        return True
    repeated = next((morph.surface for morph in morphs[index + 1 :] if not _is_mark(morph)), "")
    return morphs[index - 1].surface == "," and repeated.startswith(letter)


def _is_mark(morph: Morph) -> bool:
    return not any(map(str.isalnum, morph.surface))  # whatever its kind: the analyser takes some commas for numbers


# Verbs that the analyser takes for a noun and a rest, with the kana that may follow the stem: 彷徨|う, 癒|やす, 労|わる.
_WRITTEN_VERBS = {
    "彷徨": ("サマヨ", "わいうえおっ"), "揶揄": ("カラカ", "わいうえおっ"), "癒や": ("イヤ", "さしすせそ"), "労わ": ("イタワ", "らりるれろっ"),
}  # fmt: skip
_FIRST_OF_WRITTEN_VERBS = frozenset(stem[0] for stem in _WRITTEN_VERBS)
_INDEPENDENT_VERB = "動詞,自立"
_REAL_KANJI_STEMS = frozenset("見着煮似出寝得居射鋳経診観視獲干率看来撮綴")  # 見れる is a form of 見る
_BEFORE_GOZAIMASU = dict(
    zip("カガサザタダナハバマヤラワクグスズツヌフブムユル", "コゴソゾトドノホボモヨロオクグスズツヌフブムユル", strict=True)
)
_BEHIND_YARU = frozenset(("こと", "気", "べき", "しか", "な", "よ", "ぞ", "ね"))
_TIMES = ("曜", "曜日", "平日", "週末", "休日", "朝", "夜", "夕方", "午前", "午後", "前", "後", "まで", "頃")
_SWALLOWED_PARTICLE = "の"
_SWALLOWED_WHOLE_LENGTH = 3  # 家の上 as a place
_NOUN, _PARTICLE = "名詞,一般", "助詞,連体化"
_NOUN_READINGS = {
    "下": "シタ", "上": "ウエ", "中": "ナカ", "前": "マエ", "人": "ヒト", "家": "イエ", "花": "ハナ", "木": "キ", "方": "ホー", "後": "アト",
}  # fmt: skip
_BEFORE_U = dict(zip("カガサタナバマラワ", "コゴソトノボモロオ", strict=True))
_CUT_SHORT_ENDS = ("ッ", "ン")
_BEHIND_VERBS = frozenset(("ます", "たい", "動詞", "接続助詞", "接尾", "た", "て"))


def find_misparses(morphs: Sequence[Morph]) -> Iterator[Correction]:
    """Yield what such words are instead."""
    for at, morph in enumerate(morphs):
        following = morphs[at + 1] if at + 1 < len(morphs) else None
        if morph.surface == "いい" and morph.base == "いう" and "連用形" in morph.kinds:
            if following is None or _BEHIND_VERBS.isdisjoint((following.base, *following.kinds[:2])):
                yield Correction(at, at + 1, (MorphPart("いい", "イイ", 1, "adjective"),), "rule", "いい")
        elif morph.surface == "彼" and following is not None and following.base == "女らしい":
            rest = MorphPart(following.surface.removeprefix("女"), kind="助動詞")
            yield Correction(at, at + 2, (MorphPart("彼女", "カノジョ", kind="名詞,代名詞"), rest), "rule", "彼女")
        elif morph.surface == "目と" and morph.reading == "モクト":
            yield Correction(at, at + 1, (MorphPart("目", "メ", kind=_NOUN), MorphPart("と", kind="助詞,並立助詞")), "rule", "目と")
        elif morph.surface == "う" and "助動詞" in morph.kinds and at and morphs[at - 1].reading.endswith(_CUT_SHORT_ENDS):
            yield Correction(at, at + 1, (MorphPart("う", "ウ", kind="感動詞"),), "rule", "う")  # as an auxiliary it would become ー
        elif following is not None and following.surface == "う" and "未然形" in morph.kinds and morph.reading[-1:] in _BEFORE_U:
            reading = morph.reading[:-1] + _BEFORE_U[morph.reading[-1]]  # 行かう is 行こう
            yield Correction(at, at + 1, (MorphPart(morph.surface, reading, len(split_moras(reading))),), "rule", "う")
        elif (
            "固有名詞" in morph.kinds
            and len(morph.surface) == _SWALLOWED_WHOLE_LENGTH
            and morph.surface[1] == _SWALLOWED_PARTICLE
            and morph.surface[2] in _NOUN_READINGS
        ):
            noun = morph.surface[2]
            parts = (
                MorphPart(morph.surface[0], kind=_NOUN),
                MorphPart(_SWALLOWED_PARTICLE, kind=_PARTICLE),
                MorphPart(noun, _NOUN_READINGS[noun], kind=_NOUN),
            )
            yield Correction(at, at + 1, parts, "rule", _SWALLOWED_PARTICLE)
        elif "固有名詞" in morph.kinds and len(morph.surface) > 1 and morph.surface.endswith(_SWALLOWED_PARTICLE) and following is not None:
            yield from _split_name(at, morph, following)


def find_misparsed_verbs(morphs: Sequence[Morph]) -> Iterator[Correction]:
    """Yield what verbs and adjectives are that the analyser divides or reads otherwise."""
    for at, morph in enumerate(morphs):
        following = morphs[at + 1] if at + 1 < len(morphs) else None
        if morph.surface[:1] in _FIRST_OF_WRITTEN_VERBS and (written := _find_written_verb(morphs, at)) is not None:
            yield written
        elif following is not None and following.base == "れる" and _is_kanji_stem(morph):
            surface = morph.surface + following.surface  # 痺|れる, to the analyser a verb 痺る, is one verb
            yield Correction(
                at, at + 2, (MorphPart(surface, morph.reading[:-1] + following.reading, kind=_INDEPENDENT_VERB),), "rule", "れる"
            )
        elif "連用ゴザイ接続" in morph.kinds and morph.reading.endswith("ウ") and morph.reading[-2:-1] in _BEFORE_GOZAIMASU:
            reading = morph.reading[:-2] + _BEFORE_GOZAIMASU[morph.reading[-2]] + "ー"  # 有り難うございます
            yield Correction(at, at + 1, (MorphPart(morph.surface, reading),), "rule", "ございます")
            if at and morphs[at - 1].surface == "御":
                yield Correction(at - 1, at, (MorphPart("御", "オ"),), "rule", "ございます")
        elif following is not None and following.surface == "いし" and "文語基本形" in following.kinds and morph.surface >= "一":
            # 悪|いし: いし is an old form of いい.
            adjective = MorphPart(morph.surface + "い", "ヒドイ" if morph.surface == "酷" else None, kind="形容詞,自立")
            yield Correction(at, at + 2, (adjective, MorphPart("し", "シ", kind="助詞,接続助詞")), "rule", "いし")
        elif following is not None and following.surface == "う" and "形容詞" in morph.kinds and morph.reading.endswith("シ"):
            yield Correction(at, at + 1, (MorphPart(morph.surface, f"{morph.reading}ュ"),), "rule", "ございます")  # 宜し|うございます
        elif following is not None and following.surface == "て" and morph.reading.endswith("テ") and morph.surface[-1:] >= "一":
            # 待|て！ of a verb 待る, which there is not.
            yield Correction(at, at + 2, (MorphPart(f"{morph.surface}て", morph.reading, kind="動詞,自立"),), "rule", "て")
        elif _is_particle_in_verb(morphs, at):
            parts = (MorphPart("は", "ワ", kind="助詞,係助詞"), MorphPart(morph.surface[1:], morph.reading[1:], kind=_INDEPENDENT_VERB))
            yield Correction(at, at + 1, parts, "rule", "はやる")


def _find_written_verb(morphs: Sequence[Morph], index: int) -> Correction | None:
    """Return the correction of a verb that is written as a noun and its ending."""
    for stem, (reading, endings) in _WRITTEN_VERBS.items():
        surface, last = morphs[index].surface, index + 1
        if not stem.startswith(surface[: len(stem)]):
            continue
        while len(surface) <= len(stem) and last < len(morphs):
            surface, last = surface + morphs[last].surface, last + 1
        ending = surface[len(stem) : len(stem) + 1]
        if not surface.startswith(stem) or not ending or ending not in endings:
            continue
        rest = surface[len(stem) + 1 :]
        verb = MorphPart(stem + ending, reading + convert_to_katakana(ending), len(split_moras(reading)), "verb")
        return Correction(index, last, (verb, MorphPart(rest)) if rest else (verb,), "rule", stem)
    return None


def _is_kanji_stem(verb: Morph) -> bool:
    """Return whether a verb is none: its stem is kanji alone, and it has れる behind it as 痺れる has."""
    is_ichidan = "一段" in verb.kinds and "未然形" in verb.kinds and verb.base == verb.surface + "る"
    return is_ichidan and verb.surface[-1] >= "一" and verb.surface[-1] not in _REAL_KANJI_STEMS


def _is_particle_in_verb(morphs: Sequence[Morph], index: int) -> bool:
    """Return whether は of はやる belongs to the words before: 家では やること, 人には やらせない."""
    morph, following = morphs[index], morphs[index + 1] if index + 1 < len(morphs) else None
    if not index or not morph.surface.startswith("は") or morphs[index - 1].surface not in ("に", "で", "から", "と"):
        return False
    if morph.base == "はやらせる":
        return True
    is_time = morphs[index - 1].surface == "に" and index > 1 and morphs[index - 2].surface.endswith(_TIMES)
    return morph.base == "はやる" and following is not None and (is_time or following.surface in _BEHIND_YARU)


def _split_name(index: int, name: Morph, following: Morph) -> Iterator[Correction]:
    """Yield the correction of 桜の and 家の before a noun: a noun and its particle."""
    if "名詞" not in following.kinds or not name.reading.endswith("ノ"):
        return
    stem = name.surface.removesuffix(_SWALLOWED_PARTICLE)
    yield Correction(
        index,
        index + 1,
        (MorphPart(stem, name.reading.removesuffix("ノ"), kind=_NOUN), MorphPart(_SWALLOWED_PARTICLE, kind=_PARTICLE)),
        "rule",
        _SWALLOWED_PARTICLE,
    )
    if noun := _NOUN_READINGS.get(following.surface):
        yield Correction(index + 1, index + 2, (MorphPart(following.surface, noun, kind=_NOUN),), "rule", _SWALLOWED_PARTICLE)


def find_corrections(
    morphs: Sequence[Morph], shipped_words: ShippedWords, place_names: PlaceNames, second_words: SecondAnalysis
) -> list[Correction]:
    """Return corrections in order, without overlaps and words of the user's dictionary. A shipped phrase wins over a rule for its word."""
    ours = list(shipped_words.find_corrections(morphs))
    phrases = [item for item in ours if item.last - item.first > 1]
    places = place_names.find_corrections(morphs)
    items = [
        *phrases,
        *places,
        *find_affixes(morphs),
        *find_cries(morphs),
        *load_rules().find_corrections(morphs),
        *ours,
        *find_misparses(morphs),
        *find_misparsed_verbs(morphs),
    ]
    text = "".join(morph.surface for morph in morphs)
    if has_listed_word(morphs, text, WHITE_LIST):  # asking takes as long as all the rest, and 85 MB the first time
        items += find_listed_words(morphs, second_words(text), WHITE_LIST)
    if has_divided_verb(morphs):
        items += find_divided_verbs(morphs, second_words(text))
    if has_divided_name(morphs):
        items += find_divided_names(morphs, second_words(text))
    return drop_overlaps([item for item in items if not any(morph.is_users for morph in morphs[item.first : item.last])])
