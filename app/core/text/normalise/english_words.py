"""Common English words whose reading is neither in the dictionary nor found by the rules of spelling."""

from __future__ import annotations

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
LETTER_READINGS: dict[str, str] = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        [
            "エー",
            "ビー",
            "シー",
            "ディー",
            "イー",
            "エフ",
            "ジー",
            "エイチ",
            "アイ",
            "ジェイ",
            "ケー",
            "エル",
            "エム",
            "エヌ",
            "オー",
            "ピー",
            "キュー",
            "アール",
            "エス",
            "ティー",
            "ユー",
            "ブイ",
            "ダブリュー",
            "エックス",
            "ワイ",
            "ゼット",
        ],
        strict=True,
    )
)
SMALL_NUMBER_READINGS = [
    "ゼロ",
    "ワン",
    "ツー",
    "スリー",
    "フォー",
    "ファイブ",
    "シックス",
    "セブン",
    "エイト",
    "ナイン",
    "テン",
    "イレブン",
]
