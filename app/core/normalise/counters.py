"""The units that numbers count, as ranges need to know them: 5-8個, 9時-17時30分."""

from __future__ import annotations

# No 番, 号 or 組: with these 3-2 is an address or a class.
_COUNTER_LIST = """
年度 年代 年間 年生 年目 年 か月 カ月 ヶ月 ヵ月 箇月 月 週間 週目 週 日間 日目 日 時間 時 分間 分 秒間 秒 円 銭 ドル ユーロ ウォン ポンド 元 歳 才 代 人前 人分 人 名様 名 世帯 個 枚 本
冊 匹 頭 羽 台 回目 回 度 倍 階 位 点 件 話 巻 章 節 問 頁 ページ 行目 行 列目 列 段 杯 皿 切れ 粒 滴 割引 割 丁目 限 泊 畳 帖 坪 周年 周 級 曲 社 店 箱 袋 通 着 足 つ 作 文字 字 語
票 種類 種 カ所 か所 ヶ所 箇所 カ国 か国 ヶ国 世紀 世代 小節 拍 便 試合 セット シーズン ポイント パーセント キロ センチ ミリ メートル グラム トン リットル カロリー ヘクタール % °
"""
COUNTERS = frozenset(_COUNTER_LIST.split())
COUNTER_PATTERN = "|".join(sorted(COUNTERS, key=len, reverse=True))  # for a pattern, the longest first

_COUNTER_FAMILIES = (
    ("年度", "年代", "年", "月", "日"),
    ("時", "分", "秒"),
    ("秒", "分", "時間", "日", "週間", "か月", "カ月", "ヶ月", "ヵ月", "年"),
    ("歳", "か月", "カ月", "ヶ月", "ヵ月"),
    ("円", "銭"),
)


def is_same_counter_family(counter: str, following: str) -> bool:
    """Return whether the text behind the second number begins with what the first one counts, or with another measure of the same thing."""
    return following.startswith((counter, *(one for family in _COUNTER_FAMILIES if counter in family for one in family)))
