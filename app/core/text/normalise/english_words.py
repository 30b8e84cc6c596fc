"""English words in katakana: common ones by a list, those that no dictionary knows by their spelling, letters to sounds by rule and sounds to kana.

A sound is a consonant in Latin letters or a vowel in katakana; the mark ' after a vowel says short: a stop behind it doubles.
"""

import re
from functools import cache
from string import ascii_lowercase

_ENGLISH_WORD_LIST = """
a ア ability アビリティー ago アゴー air エアー am アム an アン another アナザー answer アンサー any エニー are アー as アズ ask アスク away アウェイ
bad バッド base ベース bear ベア beautiful ビューティフル been ビーン better ベター big ビッグ bird バード both ボース boat ボート boy ボーイ bread ブレッド
break ブレイク bring ブリング build ビルド busy ビジー buy バイ car カー cat キャット catch キャッチ chat チャット cloud クラウド class クラス code コード
common コモン contact コンタクト cook クック copy コピー cost コスト could クッド cover カバー cup カップ cut カット data データ deal ディール
developer デベロッパー did ディド does ダズ dog ドッグ done ダン door ドア download ダウンロード drink ドリンク easy イージー edit エディット email イーメール
error エラー everyone エブリワン example イグザンプル eyes アイズ fact ファクト fat ファット find ファインド fish フィッシュ five ファイブ fix フィックス
floor フロア flower フラワー foot フット full フル fun ファン game ゲーム gate ゲート give ギブ glass グラス gold ゴールド gone ゴーン grow グロー
guess ゲス had ハッド has ハズ he ヒー head ヘッド hear ヒア heard ハード heavy ヘビー her ハー hers ハーズ him ヒム hold ホールド hot ホット hour アワー
human ヒューマン idea アイデア image イメージ info インフォ inside インサイド install インストール into イントゥー island アイランド it イット item アイテム its イツ
java ジャバ job ジョブ join ジョイン kill キル kind カインド king キング knew ニュー knife ナイフ lake レイク land ランド laugh ラフ lead リード
leg レッグ let レット library ライブラリー list リスト listen リッスン lose ルーズ lucky ラッキー lunch ランチ many メニー match マッチ matter マター may メイ
me ミー meet ミート menu メニュー method メソッド might マイト milk ミルク minute ミニット mr ミスター mrs ミセス ms ミズ dr ドクター st セント mode モード
model モデル month マンス most モースト move ムーブ much マッチ nature ネイチャー nice ナイス nine ナイン no ノー none ナン north ノース number ナンバー
ocean オーシャン often オフン oh オー oil オイル once ワンス one ワン onto オントゥー other アザー own オウン pair ペア parent ペアレント password パスワード past パスト
pay ペイ peak ピーク plant プラント plane プレーン police ポリス policy ポリシー premium プレミアム present プレゼント private プライベート prize プライズ
prototype プロトタイプ pull プル purpose パーパス push プッシュ python パイソン ready レディ really リアリー reason リーズン repair リペア request リクエスト
result リザルト rice ライス rich リッチ ride ライド road ロード room ルーム said セッド sale セール save セーブ says セズ screen スクリーン script スクリプト season シーズン
seat シート sell セル send センド seven セブン she シイ shirt シャツ shoe シュー shot ショット should シュッド sick シック sign サイン silver シルバー since シンス
sing シング sir サー sister シスター sit シット six シックス skill スキル sky スカイ small スモール smile スマイル some サム son サン song ソング source ソース
speech スピーチ stay ステイ still スティル strong ストロング such サッチ sugar シュガー sun サン sure シュア sweet スイート tall トール taste テイスト teach ティーチ
tell テル ten テン tennis テニス thank サンク thanks サンクス the ザ their ゼア them ゼム then ゼン there ゼア these ジーズ they ゼイ thing シング those ゾーズ
through スルー ticket チケット tired タイアード to トゥー today トゥデイ together トゥギャザー tonight トゥナイト tool ツール top トップ touch タッチ toy トイ
travel トラベル trip トリップ true トゥルー twelve トゥエルブ twenty トゥエンティ understand アンダースタンド unit ユニット until アンティル upload アップロード
us アス use ユーズ village ビレッジ visit ビジット wait ウェイト walk ウォーク wall ウォール want ウォント warm ウォーム was ワズ wash ウォッシュ we ウィー
weather ウェザー weekend ウィークエンド when ウェン where ウェア which ウィッチ whole ホール whose フーズ wide ワイド wife ワイフ wind ウインド window ウィンドウ
winter ウィンター wish ウィッシュ with ウィズ without ウィザウト wonder ワンダー worry ウォーリー worse ワース wrong ロング yellow イエロー yesterday イエスタデイ
yet イェット you ユー young ヤング zero ゼロ zoo ズー array アレイ assistant アシスタント audio オーディオ auto オート browser ブラウザー client クライアント
debug デバッグ docker ドッカー engineer エンジニア framework フレームワーク function ファンクション git ギット github ギットハブ index インデックス input インプット
linux リナックス login ログイン logout ログアウト output アウトプット preview プレビュー query クエリ router ルーター token トークン tokyo トーキョー japan ジャパン
ubuntu ウブントゥ unicode ユニコード wifi ワイファイ vs バーサス ver バージョン vol ボリューム merry メリー vox ボックス vits ビッツ aivis アイビス pytorch パイトーチ tensorflow テンサーフロー let's レッツ don't ドント won't ウォント can't キャント it's イッツ that's ザッツ what's ワッツ i'm アイム i've アイブ i'll アイル and アンド of オブ pre プリー chip チップ node ノード surf サーフ windows ウィンドウズ largest ラージェスト improve インプルーブ prove プルーブ draw ドロー
forward フォーワード supervise スーパーバイズ generate ジェネレート recognize レコグナイズ chatgpt チャットジーピーティー openai オープンエーアイ deepseek ディープシーク
background バックグラウンド below ビロウ between ビトウィーン bicycle バイシクル bottom ボトム broken ブロークン burger バーガー button ボタン candle キャンドル candy キャンディー
century センチュリー champion チャンピオン chicken チキン climb クライム clothes クローズ college カレッジ comfort コンフォート comfortable コンフォタブル concert コンサート
decide ディサイド decision ディシジョン deliver デリバー during デュアリング especially エスペシャリー exactly イグザクトリー exercise エクササイズ favorite フェイバリット
february フェブラリー finger フィンガー foreign フォーリン forget フォゲット frequently フリークエントリー ghost ゴースト giant ジャイアント guitar ギター happen ハプン imagine イマジン
january ジャニュアリー kitchen キッチン leather レザー legend レジェンド lettuce レタス manage マネージ maybe メイビー measure メジャー mention メンション mirror ミラー museum ミュージアム
musician ミュージシャン mid ミッド notice ノーティス package パッケージ patient ペイシェント penguin ペンギン perhaps パーハップス position ポジション possible ポッシブル potato ポテト
prepare プリペア quarter クォーター region リージョン religion リリジョン restaurant レストラン several セブラル shoulder ショルダー silence サイレンス sincerely シンシアリー
situation シチュエーション soldier ソルジャー spaghetti スパゲッティ sudden サドン suggest サジェスト temperature テンペラチャー television テレビジョン weapon ウェポン recent リーセント
host ホスト ground グラウンド field フィールド engineers エンジニアーズ virtual バーチャル desktop デスクトップ voice ボイス studio スタジオ ultra ウルトラ mini ミニ max マックス pro プロ
plugin プラグイン widget ウィジェット cache キャッシュ we've ウイブ we're ウイアー bee ビー gap ギャップ lab ラボ lie ライ pie パイ tie タイ too トゥー pig ピッグ tip チップ fox フォックス elf エルフ ink インク inn イン odd オッド ear イヤー age エイジ noon ヌーン chime チャイム shine シャイン sunshine サンシャイン casino カジノ volcano ボルケーノ arena アリーナ genie ジーニー hero ヒーロー heroine ヒロイン tornado トルネード china チャイナ tomato トマト chocolate チョコレート curious キュリオス debut デビュー eleven イレブン enough イナフ famous フェイマス hidden ヒドゥン iron アイアン lion ライオン senior シニア junior ジュニア tongue タン way ウェイ wave ウェーブ week ウィーク wing ウイング hi ハイ sea シイ see シイ mom マム owl アウル ray レイ fur ファー oak オーク ace エース ash アッシュ bay ベイ sue スー mouse マウス lightning ライトニング fantasy ファンタジー display ディスプレイ play プレイ day デイ sunday サンデー happy ハッピー rain レイン main メイン straight ストレート portrait ポートレート make メイク take テイク name ネーム legacy レガシー red レッド film フィルム pip ピップ cascade カスケード readme リードミー kernel カーネル thread スレッド pace ペース queue キュー parse パース compile コンパイル compose コンポーズ async エイシンク json ジェイソン
"""

_ENGLISH_WORD_FIELDS = _ENGLISH_WORD_LIST.split()
COMMON_ENGLISH_READINGS: dict[str, str] = dict(zip(_ENGLISH_WORD_FIELDS[::2], _ENGLISH_WORD_FIELDS[1::2], strict=True))

# Names of the letters; in an abbreviation A is エー, on its own エイ.
_LETTER_NAMES = """
エー ビー シー ディー イー エフ ジー エイチ アイ ジェイ ケー エル エム エヌ オー ピー キュー アール エス ティー ユー ブイ ダブリュー エックス ワイ ゼット
"""
LETTER_READINGS: dict[str, str] = dict(zip(ascii_lowercase, _LETTER_NAMES.split(), strict=True))
SMALL_NUMBER_READINGS = [
    "ゼロ", "ワン", "ツー", "スリー", "フォー", "ファイブ", "シックス", "セブン", "エイト", "ナイン", "テン", "イレブン",
]  # fmt: skip

# Letters → sounds; the first pattern that matches at a position wins. It may look at its neighbours.
_SPELLING_RULES = [
    (r"ation(?=s?$)", "エー sh オ n"), (r"tion|ssion|cian", "sh オ n"), (r"(?<=[aeiou])sion", "j オ n"), (r"sion", "sh オ n"), (r"[ct]ial", "sh ア l"),
    (r"[ct]ious", "sh ア s"), (r"ture(?=s?$)", "ch アー"), (r"sure(?=s?$)", "j アー"), (r"ous$", "ア s"), (r"age(?=s?$)", "エー j"),
    (r"^kn|^gn", "n"), (r"^wr", "r"), (r"^ps", "s"), (r"^x", "z"), (r"^mc", "m ア k"), (r"^y(?=[aeiou])", "y"), (r"^th(?=e|is)", "z"),
    (r"mb$", "m"), (r"(?<=[bcdfgkpstz])le(?=s?$)", "l"), (r"(?<=[td])ed$", "エ' d"), (r"(?<=[a-z]{2}[ckfpsxh])ed$", "t"),
    (r"(?<=[a-z]{2})ed$", "d"), (r"(?<=[sxz])es$|(?<=[cs]h)es$", "イ z"), (r"(?<=[a-z]{2}[ptk])es$", "s"), (r"(?<=[a-z]{2})es$", "z"),
    (r"(?<=[a-z]{2})e$", ""),
    (r"igh", "アイ"), (r"ough|augh", "オー"), (r"ook", "ウ' k"), (r"ind$", "アイ n d"), (r"old", "オー l d"), (r"all$", "オー l"),
    (r"air|are$", "エア"), (r"eer|ere$|ear$|ier$", "イア"), (r"ire$", "アイア"), (r"ore|oor|our|oar", "オー"), (r"ure$", "ュ ア"),
    (r"ar(?![aeiouy])", "アー"), (r"or(?![aeiouy])", "オー"), (r"[eiuy]r(?![aeiouy])", "アー"),
    (r"ai|ay|ei(?!$)", "エイ"), (r"ey$|ie$", "イー"), (r"ee|ea|ie", "イー"), (r"oo", "ウー"), (r"oa|oe$", "オー"), (r"ow$", "オー"),
    (r"ou|ow", "アウ"), (r"oi|oy", "オイ"), (r"au|aw", "オー"), (r"ew|eu|ue$|ui", "ュ ー"),
    (r"a(?=[bcdfgklmnpstvz]e(?:s|d|r)?$)", "エー"), (r"[iy](?=[bcdfgklmnpstvz]e(?:s|d|r)?$)", "アイ"),
    (r"o(?=[bcdfgklmnpstvz]e(?:s|d|r)?$)", "オー"), (r"u(?=[bcdfgklmnpstvz]e(?:s|d|r)?$)", "ュ ー"), (r"e(?=[bcdfgklmnpstvz]e$)", "イー"),
    (r"y$", "イー"), (r"a$", "ア"), (r"e$", "イー"), (r"i$", "イ"), (r"o$", "オ"), (r"u$", "ウ"),
    (r"a", "ア'"), (r"e", "エ'"), (r"[iy]", "イ'"), (r"o", "オ'"), (r"u", "ア'"),
    (r"tch", "ッ ch"), (r"sch", "s k"), (r"ch", "ch"), (r"sh", "sh"), (r"ph", "f"), (r"th", "s"), (r"wh", "w"), (r"ck(?![aeiouy])", "ッ k"), (r"ck", "k"), (r"gh(?=[aeiou])", "g"), (r"qu", "kw"),
    (r"dge$", "ッ j"), (r"dge|dg", "j"), (r"gh", ""), (r"ng(?![aeiou])", "n g"), (r"x", "k s"), (r"sc(?=[eiy])", "s"), (r"c(?=[eiy])", "s"), (r"cc|c|q", "k"),
    (r"g(?=[eiy])", "j"), (r"([bdfgklmnprstvz])\1", r"\1"), (r"[bdfghjklmnprstvwyz]", r"\0"),
]  # fmt: skip

# Consonant → its five morae before ア イ ウ エ オ, before ユ, and alone.
_KANA_BY_CONSONANT = {
    "k": "カ キ ク ケ コ キュ ク", "g": "ガ ギ グ ゲ ゴ ギュ グ", "s": "サ シ ス セ ソ シュ ス", "z": "ザ ジ ズ ゼ ゾ ジュ ズ",
    "t": "タ ティ トゥ テ ト チュ ト", "d": "ダ ディ ドゥ デ ド デュ ド", "n": "ナ ニ ヌ ネ ノ ニュ ン", "h": "ハ ヒ フ ヘ ホ ヒュ ー",
    "b": "バ ビ ブ ベ ボ ビュ ブ", "p": "パ ピ プ ペ ポ ピュ プ", "m": "マ ミ ム メ モ ミュ ム", "r": "ラ リ ル レ ロ ル ル", "l": "ラ リ ル レ ロ ル ル",
    "y": "ヤ イ ユ イェ ヨ ユ イ", "w": "ワ ウィ ウ ウェ ウォ ユ ウ", "f": "ファ フィ フ フェ フォ フュ フ", "v": "バ ビ ブ ベ ボ ビュ ブ",
    "kw": "クア クイ ク クエ クオ ク ク", "sh": "シャ シ シュ シェ ショ シュ シュ", "ch": "チャ チ チュ チェ チョ チュ チ", "j": "ジャ ジ ジュ ジェ ジョ ジュ ジ",
}  # fmt: skip
_CONSONANT_ROWS = {consonant: row.split() for consonant, row in _KANA_BY_CONSONANT.items()}
_STOP_CONSONANTS = frozenset(("k", "g", "t", "d", "p", "ch", "sh", "j"))


def convert_spelling(word: str) -> str:
    """Return katakana for an English-looking word of ASCII letters: Bentol → ベントル."""
    sounds = _split_sounds(word.lower())
    kana: list[str] = []
    pending = ""  # a consonant that waits for its vowel
    short = False
    for index, sound in enumerate(sounds):
        if sound == "ッ":
            kana.append(_convert_closed_syllable(pending, sound) + sound)
            pending, short = "", False
        elif sound in _CONSONANT_ROWS:
            kana.append(_convert_closed_syllable(pending, sound))
            if short and sound in _STOP_CONSONANTS and index == len(sounds) - 1:
                kana.append("ッ")
            pending, short = sound, False
        else:
            kana.append(_convert_open_syllable(pending, sound.removesuffix("'")))
            pending, short = "", sound.endswith("'")
    return "".join(kana) + _convert_closed_syllable(pending, "")


@cache
def _build_patterns() -> list[tuple[re.Pattern[str], str]]:
    """Compile the patterns for the first such word, which most starts never see."""
    return [(re.compile(pattern), sounds) for pattern, sounds in _SPELLING_RULES]


def _split_sounds(word: str) -> list[str]:
    sounds: list[str] = []
    patterns = _build_patterns()
    position = 0
    while position < len(word):
        for pattern, spelled in patterns:
            match = pattern.match(word, position)
            if match:
                sounds += (match[0][0] if spelled in (r"\0", r"\1") else spelled).split()
                position = match.end()
                break
        else:
            position += 1
    return sounds


def _convert_closed_syllable(consonant: str, following: str) -> str:
    if consonant == "m" and following in ("p", "b", "f"):
        return "ン"
    return _CONSONANT_ROWS[consonant][6] if consonant else ""


def _convert_open_syllable(consonant: str, vowel: str) -> str:
    if vowel == "ー":
        return vowel
    if vowel == "ュ":
        return _CONSONANT_ROWS[consonant][5] if consonant else "ユ"
    if not consonant:
        return vowel
    return _CONSONANT_ROWS[consonant]["アイウエオ".index(vowel[0])] + vowel[1:]
