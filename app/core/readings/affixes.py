"""Short words that end others, and are read otherwise there or joined with an accent of their own: 指示厨, 裏垢, 配信主, 彼氏面, 電池切れ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.core.readings.morphs import Correction, Morph, MorphPart

_STREAM_HOSTS = "配信 生配信 放送 生放送 実況 投稿 動画 企画 コラボ スレ スレッド トピ トピック ブログ 質問 枠 部屋 鯖 サーバー ウプ 垢 アカウント ギルド チャンネル 大会"
_SLOT_HOSTS = "歌 雑談 耐久 朝 昼 夜 夕方 深夜 作業 ゲーム 弾き語り 凸待ち 同時視聴 視聴 記念 配信 生配信 告知 待機 練習 初見 コラボ 質問 お絵描き 晩酌 寝落ち カラオケ 企画"
_FACE_HOSTS = "彼氏 彼女 旦那 夫 嫁 女房 妻 保護者 被害者 加害者 親 父親 母親 兄 姉 先輩 後輩 古参 常連 先生 教師 師匠 上司 部下 友達 親友 味方 善人 聖人 紳士 理解者 専門家 評論家 識者 プロ オタク ファン 信者 主役 主人公 当事者 関係者 強者 弱者 正義 大人 王様 馬鹿"
_THROUGHOUT_HOSTS = (
    "日本 世界 国 村 島 部屋 体 身体 顔 家 クラス 学校 会社 店 会場 教室 屋敷 庭 病院 ネット 床 壁 辺り そこら そこいら 今日 明日 今夜 今年"
)

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


class _AffixRule(NamedTuple):
    reading: str
    joining: str
    hosts: frozenset[str]


def find_affixes(morphs: Sequence[Morph]) -> Iterator[Correction]:
    """Yield the corrections of affixes in a sentence."""
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
        part = MorphPart(surface, affix.reading, 1, kind, affix.joining)
        rest = morph.surface.removeprefix(surface)
        yield Correction(at, at + 1, (part, MorphPart(rest, kind="動詞,自立")) if rest else (part,), "rule", surface)


def _is_host(word: Morph, hosts: frozenset[str]) -> bool:
    if hosts:
        return word.surface in hosts
    is_noun = not _NOUN_KINDS.isdisjoint(word.kinds) or "連用形" in word.kinds
    is_surname = "姓" in word.kinds and word.surface >= "一"  # 佐藤充, but リア充
    return is_noun and any(map(str.isalnum, word.surface)) and _NON_HOST_KINDS.isdisjoint(word.kinds) and not is_surname


def _parse_affix_table() -> dict[str, _AffixRule]:
    rows = (line.split() for line in _AFFIX_TABLE.strip().splitlines())
    return {surface: _AffixRule(reading, joining, frozenset(hosts)) for surface, reading, joining, *hosts in rows}


_AFFIXES_BY_SURFACE = _parse_affix_table()
