"""Names the characters and styles behind VOICEVOX's public numbers, which its projects hold."""

from functools import cache

_STYLES = """
四国めたん ノーマル=2 あまあま=0 ツンツン=6 セクシー=4 ささやき=36 ヒソヒソ=37
ずんだもん ノーマル=3 あまあま=1 ツンツン=7 セクシー=5 ささやき=22 ヒソヒソ=38 ヘロヘロ=75 なみだめ=76
春日部つむぎ ノーマル=8
雨晴はう ノーマル=10
波音リツ ノーマル=9 クイーン=65
玄野武宏 ノーマル=11 喜び=39 ツンギレ=40 悲しみ=41
白上虎太郎 ふつう=12 わーい=32 びくびく=33 おこ=34 びえーん=35
青山龍星 ノーマル=13 熱血=81 不機嫌=82 喜び=83 しっとり=84 かなしみ=85 囁き=86
冥鳴ひまり ノーマル=14
九州そら ノーマル=16 あまあま=15 ツンツン=18 セクシー=17 ささやき=19
もち子さん ノーマル=20 セクシー／あん子=66 泣き=77 怒り=78 喜び=79 のんびり=80
剣崎雌雄 ノーマル=21
WhiteCUL ノーマル=23 たのしい=24 かなしい=25 びえーん=26
後鬼 人間ver.=27 ぬいぐるみver.=28
No.7 ノーマル=29 アナウンス=30 読み聞かせ=31
ちび式じい ノーマル=42
櫻歌ミコ ノーマル=43 第二形態=44 ロリ=45
小夜/SAYO ノーマル=46
ナースロボ＿タイプＴ ノーマル=47 楽々=48 恐怖=49 内緒話=50
†聖騎士紅桜† ノーマル=51
雀松朱司 ノーマル=52
麒ヶ島宗麟 ノーマル=53
春歌ナナ ノーマル=54
猫使アル ノーマル=55 おちつき=56 うきうき=57
猫使ビィ ノーマル=58 おちつき=59 人見知り=60
中国うさぎ ノーマル=61 おどろき=62 こわがり=63 へろへろ=64
栗田まろん ノーマル=67
あいえるたん ノーマル=68
満別花丸 ノーマル=69 元気=70 ささやき=71 ぶりっ子=72 ボーイ=73
琴詠ニア ノーマル=74
"""


@cache
def _load_names() -> dict[str, str]:
    names: dict[str, str] = {}
    for character, *styles in map(str.split, _STYLES.strip().splitlines()):
        names |= {number: f"{character}（{style}）" for style, _, number in (item.rpartition("=") for item in styles)}
    return names


def find_style_name(number: str) -> str:
    """Return character and style, ずんだもん（ノーマル）, as VOICEVOX writes them in texts; an empty text for a number that is not known."""
    return _load_names().get(number, "")
