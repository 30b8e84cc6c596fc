"""Rules with neighbours for words that are written alike and read otherwise: a word, the reading it has by mistake, the one it should have, and the words around that decide.

One rule a line, the first that fits wins:

    辛い  ツラ>カラ  -6..6 カレー 料理 激  # カレーが辛い。
    汚れる  ケガ>ヨゴ  !-6..-1 名 魂 心  # 手が汚れる。
    空く  ア>ス  -4..-1 腹 電車 & !+1 手  # 電車が空いた。

A key is a word as written or its base form; the reading on the left is the beginning of what the analyser says (* is any), the one on the
right takes its place (= keeps the reading, and lets nobody change it later); @2 gives the accent where the dictionary does not know it.
Conditions: places counted in words (+1 the next, -6..-1 the six before, 0 the word itself, none: always), then surfaces, base forms or
<kinds> there; `!` none of them; `&` and; `|` or. `^` and `$` are the places before the first and after the last word. `#` starts a text
that this very rule decides.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.core.text.readings.morphs import Correction, Morph, MorphPart

_RULE_LINE = re.compile(r"(\S+)\s+([ァ-ヴー]*|\*)(?:>([ァ-ヴー]+)|(=))(?:@(\d+))?(?:\s+(.*))?")
_NEIGHBOUR_RANGE = re.compile(r"(!?)([+-]?\d+)(?:\.\.([+-]?\d+))?")

_FEELING_WORDS = "夢 希望 疑問 不満 感情 思い 恐怖 憧れ 恨み 殺意 期待 不安 好意 印象 イメージ 敵意 野望 大志 幻想 恋心 憎しみ 違和感 危機感 興味 関心 志 憧憬 嫌悪 悪意 反感 劣等感 罪悪感 コンプレックス 恋 感 心 念 情 愛情 親近感 嫉妬 怒り 考え 疑い 疑 疑念 不信 不信感 尊敬 敬意 畏怖 憎悪 感想 理想 欲望 野心 懸念 共感 情熱 願い 気持ち 想い 信念 秘密 自然 懐 誇り 嫌悪感 恐れ 執着 好奇心 関心 不快感 魅力 警戒 愛 思惑 願望 同情 友情 意識 観念 優越感 危惧 焦り 苦悩 悩み"
_PATH_WORDS = "道 街 町 通り 坂 山道 先 上 方 前 後 海 空 川 野 山 旅 廊下 横 真ん中 中 夜道 国道 橋 路 街道 坂道 参道 人生 ほう 下 間 奥 地 都 陸 そば 傍 後ろ 階段 森 斜め 逆 一歩 上手 裏 東 西 南 北"

VERB_RULES = f"""
降りる オリ>フリ@1 -5..-1 雨 雪 みぞれ 霙 あられ 霰 雹 ひょう 大雨 小雨 夕立 大雪 粉雪 初雪 にわか雨 長雨 通り雨 梅雨 今にも 一雨 ひと雨 雷雨 & !-4..-1 を 駅 バス 電車 汽車 車 山 階段  # 雨が降りる。
行く イッ>オコナッ -1 を & !-2 {_PATH_WORDS}  # 実験を行って。
行う オコナッ>イッ -1 を & -2 {_PATH_WORDS}  # 道を行った。
被る コーム>カブ !-4..-1 害 被害 損害 恩恵 影響 恩 災い 災難 損失 不利益 災害 罰 ダメージ 打撃 痛手 迷惑 不幸 損  # 帽子を被る。
抱く イダ>ダ !-6..-1 {_FEELING_WORDS} 掻き かき  # 子どもを抱く。
抱く ダ>イダ -6..-1 {_FEELING_WORDS} & !-6..-1 腕 胸 膝  # 夢を抱いた。
汚れる ケガ>ヨゴ !-5..-1 名 魂 心 身 純潔 神聖 血 世  # 手が汚れる。
汚す ケガ>ヨゴ !-5..-1 名 名誉 晩節 神域 聖域 経歴 魂 純潔 末席 世 心 肌 肌身 操 身 神 顔 玉  # 服を汚す。
汚れ ケガ>ヨゴ !-5..-1 魂 心 神
止める トドメ>ヤメ@0 0 <命令ｒｏ> <命令ｙｏ> <連用形> & !-2..-1 を 息の根 押し 踏み 書き 射 差し  # 止めろよ！
止める トドメ>トメ@0 0 <命令ｒｏ> <命令ｙｏ> & !-3..-1 息の根 押し 踏み 書き 射 差し  # 車を止めろよ！
捻る ネジ>ヒネ@2 -1 を も & -2 首 頭 蛇口 腰 手首 足首 体 身体 足 知恵 一句 趣向  # 首を捻る。
瞬く シバタ>マタタ@3 -2 星 灯 灯り 光 明かり ネオン 街灯 夜景  # 星が瞬いている。
弛む タユ>ユル@2 !+1 ない ず ぬ ざる  # 気が弛む。
撓る シワ>シナ@0  # 竹が撓る。
止める トメ>ヤメ@0 -1 を & -2 の こと 煙草 タバコ たばこ 仕事 会社 酒 お酒 喧嘩 けんか 話 冗談 いたずら 悪口 無理 習慣 学校 部活 バイト 真似 まね 争い | -2..-1 もう 冗談 いい加減 | -1 ^ <記号> & +1 て ろ とけ なさい  # 煙草を止める。
空く ア>ス -4..-1 腹 おなか お腹 電車 車内 道 バス 道路 店内 館内 胸 小腹 腹の虫 高速 院内  # 電車が空いた。
空く ス>ア -3..-1 穴 席 手 時間 間 部屋 枠 予定 スペース  # 席が空く。
開く ヒラ>ア -1 が は も & -2 ドア 窓 店 口 穴 鍵 幕 蓋 ふた  # ドアが開く。
描く エガ>カ@1 -1 を & -2 絵 漫画 マンガ イラスト 似顔絵 図 地図 線 円 落書き  # 絵を描く。
弾く ヒ>ハジ -4..-1 水 雨 油 そろばん 算盤 指 光 汗 撥水 水滴 弾  # 水を弾く。
潜る モグ>クグ -3..-1 門 暖簾 のれん 網 鳥居 アーチ 戸  # 門を潜る。
上る ノボ>アガ -1 起き 立ち 浮き 舞い 飛び 燃え 盛り 湧き 沸き 震え 跳ね 這い 出来 膨れ 盛 縮み  # 起き上る。
這入る ハイー>ハイ
解る ホドケ>ワカ  # 意味が解る。
強いる ツヨ>シ@3
強い ツヨ>ズヨ@2 -1 勝負 | -1 れ & -2 打た  # 勝負強い。
高い タカ>ダカ@2 -1 計算  # 計算高い。
来る クル>キタル@2 -1 ^ <記号> & +1 <数> 一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月 1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月  # 来る三月に開く。
入る ハイ>イ@0 -1 に & -2 堂 鬼籍 悦 有卦  # 有卦に入る。
吐く ハ>ツ@1 -1 を も & -2 嘘 うそ ウソ 悪態 一息 | -1 嘘 うそ ウソ 一息  # 嘘を吐く。
"""


_HOT_FOOD_WORDS = "カレー 料理 ラーメン 味 唐辛子 キムチ 麻婆 麻婆豆腐 鍋 スパイス わさび ワサビ 山葵 からし 辛子 香辛料 食べ物 もの 物 担々麺 坦々麺 ソース タバスコ 大根 スープ 甘い 塩 しょっぱい 酸っぱい 中華 四川 味噌 チゲ お菓子 スナック チキン 肉 酒 舌 激 ピリ 食べる 韓国 カレーライス 口 明太子 胡椒 ハバネロ ソーセージ 味付け 味付 たれ ダレ"

_QUIET_PLACES = "通り 道 森 山 公園 街 町 村 駅 校舎 廊下 部屋 家 店 海 浜 路地 境内 広場 校庭 屋敷 館内 車内 周囲 周り 辺り あたり 付近 近く 林 谷 寺 神社 墓地 倉庫 工場 病院 教室 夜道 山道 裏通り 商店街 中"
_CONTAINERS = "財布 タンク 電池 瓶 ビン びん グラス コップ 箱 皿 鍋 容器 缶 ボトル ペットボトル バケツ 袋 鞄 カバン かばん カゴ 籠 冷蔵庫 棚 引き出し 弾倉 水筒 樽 燃料 ガソリン バッテリー 胃 お腹 腹 部屋 ポケット 金庫 倉庫 椅子 席 封筒 リスト 配列 ファイル フォルダー フォルダ 文字列"

HOMOGRAPH_RULES = f"""
今日 キョー>コンニチ@1 +1 に まで & +2 至る  # 今日に至るまで続く。
一杯 *>イッパイ@1 -2..-1 を お茶 水 もう コーヒー ビール 酒 お酒 ワイン 紅茶 かけ ご飯 茶碗 コップ グラス ジョッキ あと まず とりあえず & !+1 に | +1 の & +2 水 お茶 コーヒー 酒 ビール ご飯 スープ 紅茶 茶 ワイン かけそば そば うどん | +1 飲む 目 いかが 奢る おごる  # お茶を一杯ください。
何 *>ナン@1 +1 曜日  # 何曜日ですか。
何 *>ナニ@1 +1 県 系  # 何県の出身ですか。
何 ナン>ナニ@1 -1 ^ & +1 人 & +2 です | -2..-1 あなた 彼 彼女 君 先生 & +1 人 & +2 です  # 何人ですか。
人 ニン>ジン@1 -2 ^ & -1 何 & +1 です | -3..-2 あなた 彼 彼女 君 先生 & -1 何 & +1 です  # 何人ですか。

生物 セーブツ>ナマモノ@2 -6..6 早め 冷蔵 要冷蔵 冷蔵庫 賞味 消費期限 賞味期限 腐る 傷む 食中毒 配送 クール便 お土産 | +1 を & +2 食べる  # 生物は早めに冷蔵庫へ。
上手 ジョーズ>カミテ@0 -5..5 舞台 ステージ 花道 登場 退場 客席 & +1 から に へ の より と  # 役者が舞台の上手から登場する。
上手 ジョーズ>ウワテ@0 -3..-1 枚 一枚 何枚 役者 相手 & +1 だ です な を | +1 投げ 出し投げ 回し  # 彼はお前より何枚も上手だ。
下手 ヘタ>シモテ@0 -5..5 舞台 ステージ 花道 登場 退場 客席 & +1 から に へ の より と  # 役者が舞台の下手から登場する。
下手 ヘタ>シタテ@0 +1 に & +2 出る 出す | +1 投げ 出し投げ  # 相手の下手に出る。
辛い ツラ>カラ@2 -6..4 {_HOT_FOOD_WORDS} & !-2..-1 の こと ほど 生きる 心 & !+1..+2 思い 気持ち 日々 立場 経験 現実 時期 過去 だ だっ です だろ で  # カレーが辛い。
辛い カラ>ツラ@2 !-8..6 {_HOT_FOOD_WORDS}  # 仕事が辛くて泣いた。
角 カド>ツノ@2 -3..-1 牛 鹿 鬼 山羊 ヤギ 羊 サイ 犀 悪魔 水牛 トナカイ カブトムシ かぶと虫 ドラゴン 龍 竜 シカ ウシ | +1..2 生える 生やす はえる  # 牛の角は太い。
間 *>アイダ@0 +1 に & +2 入る 挟む 挟まる はさまる 立つ 割り込む  # 間に入って話を聞く。
間 *>マ@0 -1 の & -2 畳 六畳 八畳 四畳半 十畳  # 六畳の間で寝る。
間 *>マ@0 +1 が & +2 悪い もつ 持つ 抜ける 延びる 伸びる よい いい | +1 に & +2 合う 合わせる | +1 を & +2 置く おく 取る とる あける 空ける 持たせる | +1 の & +2 悪い 抜ける  # 間が悪い。
日本橋 ニホンバシ>ニッポンバシ@3 -8..8 大阪 難波 なんば ナンバ 黒門 電気街 でんでんタウン 堺筋 道頓堀  # 大阪の日本橋へ行く。
分別 フンベツ>ブンベツ@0 -5..5 ゴミ ごみ 回収 資源 プラスチック プラ 収集 廃棄 廃棄物 処理 缶 瓶 ビン ペットボトル リサイクル 燃える  # ゴミの分別をする。
寒気 サムケ>カンキ@1 -6..6 流れ込む 流入 南下 上空 シベリア 大陸 北極 前線 低気圧 入り込む 居座る 強い 今季 一級 気温 冬  # 上空に寒気が流れ込む。
寒気 カンキ>サムケ@3 +1..3 する 覚える 感じる & !-3..-1 上空
表 *>オモテ@3 -3..3 裏 玄関 通り 出る 舞台 顔 飛び出す 騒がしい 畳 | +1 に & +2 立つ 出ろ 車 現れる 出す いる 待つ 出る 書く ある 止まる | +1 で & +2 遊ぶ 待つ 騒ぐ 話す 車 | +1 の & +2 顔 世界 通り 門 戸 方  # 表に出る。
表 *>ヒョー@0 +1 に & +2..3 まとめる 示す 記入 入力 する | +1 を & +2 作る 見る 作成 参照 埋める 使う | -2..-1 次 以下 図 グラフ 右 左  # 表にまとめる。
金 *>キン@1 !0 <接尾> & -3..3 銀 銅 メダル プラチナ 純 指輪 延べ棒 ネックレス アクセサリー 色 箔 塊 採掘 含有 鉱山 五輪 オリンピック 賞 ダイヤ 相場  # 金のメダルを取る。
金 *>カネ@0 !0 <接尾> & !-1 <接頭詞> <数> & +1 が は を も に で と さえ だ です 無し 次第 持ち遣い か や など $  # 金がない。
金 *>カネ@0 !0 <接尾> & !-1 <接頭詞> <数> & +1 の & +2 切れ目 無心 ため 亡者 話 力 問題 使い道 無駄 工面 ない なる 流れ 貸し借り  # 金の話はやめよう。
風 *>フー@1 +1 を & +2 装う する | -1 こんな そんな あんな どんな いう そういう こういう どういう ああいう という 今 昔 古  # どんな風に見えますか。
風 カゼ=  # 風が吹く。
経 ケー>キョー@0 +1 を & +2 読む 唱える あげる 上げる 写す | -1 お 御  # 経を読む。
大勢 オーゼー>タイセー@0 +1 が & +2 決まる 決する 判明 変わる | +1 に & +2 影響 従う 逆らう | +1 を & +2 占める 決する | -3..-2 選挙 世界 世の中 天下 試合  # 試合の大勢が決まる。
目下 モッカ>メシタ@0 +1 の & +2 者 人 もの 方 相手 人間 部下 | -3..3 目上 年下 後輩  # 目下の者に優しい。
目下 メシタ>モッカ@1 +1 の & +2 ところ 課題 急務 問題 関心 懸案 状況 悩み
床 ユカ>トコ@0 +1 に & +2 就く つく 入る 臥せる 伏せる 伏す 臥す 着く | +1 を & +2 上げる あげる 敷く 延べる とる 離れる | +1 の & +2 間  # 床に就く。
細々 コマゴマ>ホソボソ@1 +1 と & +2..5 暮らす 続ける 続く 生きる 営む 生計 やる 命脈 食いつなぐ 生活 商売 経営 保つ  # 細々と暮らす。
我 ワガ>ワレ@1 +1 <助詞> <動詞> <記号> $ & !+1 が の  # 我思う。
際 サイ>キワ@2 -2..-1 いまわ 今際 死ぬ 窓 水 死に  # 死ぬ際の言葉。
薪 タキギ>マキ@0 +1..2 割る ストーブ 割り  # 薪を割る。
額 ガク>ヒタイ@0 -4..-1 猫 汗ばむ 広い 狭い 彼 彼女 母 娘 子供 | +1 に & +2..3 汗 皺 しわ 手 傷 脂汗 キス 青筋 | +1 の & +2 汗 傷 皺 しわ 真ん中 | +1 を & +2 拭う 拭く ぬぐう 寄せる 合わせる 押さえる  # 額に汗を流す。
二重 ニジュー>フタエ@0 -3..3 一重 まぶた 瞼 整形 幅 目
一間 イッケン>ヒトマ@2 -2..-1 畳 六畳 四畳半 八畳 アパート  # 六畳一間に住む。
心中 シンジュー>シンチュー@1 +1..2 察し 察する 穏やか 複雑  # 心中お察しします。
心中 シンチュー>シンジュー@0 -3..3 無理 一家 親子 未遂 事件 曽根崎 情死 遂げる 図る | +1 する し  # 心中事件。
十分 ジューブン>ジュップン@1 +1 後 前 間 ほど 以内 おき 過ぎ くらい ぐらい 遅れ 遅刻 休憩 程度 足らず 毎 ごと 待った 待つ 歩く 経つ たつ かかる 走る 遅れる 待ち | -1 あと 時 約 徒歩 およそ ほんの わずか たった 毎時 | -1 で & -2 車 電車 バス 徒歩 自転車 歩き タクシー 駅  # 十分待つ。
五分 ゴブ>ゴフン@1 !+1 五分 咲き 咲 刈り 刈 の 袖 丈 粥 がゆ も 余り & !-2..-1 五分 一寸 寸 尺 厚 & !+1..+2 戻す まで 互角 & !-2..-1 劣勢 形勢 勝負 戦い  # 五分前に着いた。
一行 イッコー>イチギョー@2 +1 目 ごと ずつ 空ける あける だけ あたり | -3..-1 文章 文字 コード 日記  # 一行ずつ読む。
行 コー>ギョー@1 +1 目 | -1 <数> & +1 目 に の を
日本人 ニッポンジン>ニホンジン@4  # 日本人です。
人気 ニンキ>ヒトケ@0 +1 の & +2 ない 無い 絶える 途絶える | +1 が & +2 絶える 途絶える  # 人気のない道。
人気 ニンキ>ヒトケ@0 -4..-2 {_QUIET_PLACES} & -2..-1 に & +1 が は も & +2 ない 無い  # 通りに人気がない。
空 ソラ>カラ@1 +1 に & +2 なる する & !-1 <形容詞> <助動詞> <連体化> <連体詞> | +1 の & +2 {_CONTAINERS} | +1 っぽ & !-1 の | -1 が は も & -2 {_CONTAINERS} & +1 $ <記号> <助動詞>  # 財布が空になる。
方 ホー>カタ@2 -1 の & -3 ご お 御 & -2 希望 参加 利用 購入 応募 来場 来店 出席 出演 視聴 登録 加入 入会 契約 結婚 家族 連れ 店 客 子 宅 友達 知り合い 近所 仲間 兄弟 身内 年寄り & !+1 が | -1 の & -2 <国> 地元 初めて 一般 現地 会員 関係者 未成年 年配 高齢 外国 海外 視聴者 遺族 隣 & +1 です でし に は も と から で や さん & !+2 大きい 多い 少ない 向かう 行く いく  # ご希望の方は。
三つ目 ミツメ>ミッツメ@3 !+1..+2 とおる 小僧 妖怪 怪物 お化け 化け物 モンスター 族  # 理由の三つ目は。
四つ目 ヨツメ>ヨッツメ@3 !+1..+2 垣 結び 妖怪 怪物  # 四つ目の質問。
貴女 キジョ>アナタ@2  # 貴女が好きです。
主殿 シュデン>アルジドノ@3 !+1 頭 正 助  # 主殿はどこだ。
某 ボー>ソレガシ@0 +1 は が に も を & -1 ^ <記号>  # 某に任せよ。
気障 キザワリ>キザ@1  # 気障な男。
波 ナミ>ハ@1 -1 α β γ δ θ アルファ ベータ ガンマ デルタ シータ P S T Q R ピー エス アール ティー キュー  # α波が出る。
市場 シジョー>イチバ@1 -3..-1 魚 朝 青果 築地 豊洲 近江 近所 黒門 錦 | +1 で に へ & +2..4 買い物 魚 野菜 仕入れる  # 朝市場へ行く。
色紙 イロガミ>シキシ@0 -4..4 サイン 寄せ書き 書く 俳句 短歌 直筆 送る  # 色紙にサインを書く。
色紙 シキシ>イロガミ@2 +1..3 折る 切る 鶴 ちぎる | -3..-1 折り紙 赤い 青い
最中 サイチュー>モナカ@1 -4..4 アイス 和菓子 餡 あんこ お茶 小豆 抹茶 老舗 土産 | +1 を & +2 食べる 頬張る 買う 作る  # 最中を食べる。
人事 ジンジ>ヒトゴト@2 +1 で & +2 は & +3 ない | +1 じゃ & +2 ない | +1 と & +2 思う 思える  # 人事ではない。
見物 ミモノ>ケンブツ@0 !+1 だ です で  # 見物に行く。
一目 イチモク>ヒトメ@2 +1 で 見る 会う 惚れ ぼれ あう みる 見て  # 一目でわかる。
一所 ヒトトコロ>イッショ@0 +1 に 懸命 & !-1 の  # 一所に集まる。
処 ショ>トコロ@0 -1 <動詞> <助動詞> <連体詞> の <形容詞>  # 見る処がない。
末期 マッキ>マツゴ@1 +1 の & +2 水
出店 シュッテン>デミセ@0 -3..-1 祭り 縁日 屋台 夏祭り お祭り  # 縁日に出店が並ぶ。
館 カン>ヤカタ@0 -1 <助動詞> <動詞> <連体詞> <形容詞> の
臭い クサイ>ニオイ@2 +1 が を & +1 <格助詞> & !-1 が は も
素振り スブリ>ソブリ@0 -2..-1 ような そんな そぶり な | +1 を も & +2 見せる する  # そんな素振りを見せる。
可い カイ>イー@1
好い スイ>イー@1 !-1 を & !+1 た て たら たり
候 コー>ソーロー@1 !-1 の 時 気 兆 & !+1 補  # お願い候。
大通 ダイツー>オードーリ@3 !-1 八 <数> & !+1 人  # 大通を歩く。
李 *>スモモ@0 -4..4 桃 梅 杏 果実 畑 熟す 食べる  # 桃と李が熟す。
李 リー>リ@1  # 李さんが来た。
型 カタ>ガタ@0 -1 オー エー ビー エービー  # オー型の血液。
角 *>カド@1 +1 が & +2 立つ 取れる | +1 を & +2 曲がる  # 角が立つ。
者 シャ>モノ@2 -1 <動詞> <助動詞> <連体詞>
智 サトシ>チ@1 +1 に を  # 智に働く。
人 ジン>ヒト@2 -1 の
如く シク>ゴトク@1  # 如く。
如き シキ>ゴトキ@1  # 国というが如き、
月 ツキ>ゲツ@2 +1 末
縁 *>フチ@2 -1 の & -2 池 川 湖 崖 カップ コップ 皿 鍋 眼鏡 メガネ 帽子 井戸 プール 穴 グラス  # 池の縁に立つ。
数 スー>カズ@1 -1 の & -2 つ 二つ 三つ 四つ 五つ いくつ 2つ 3つ 4つ 5つ & !+1 <助数詞> <数>
中 チュー>ナカ@1 -1 <基本形> お忙しい  # お忙しい中ありがとうございます。
厨 クリヤ>チュー@1 +1 <名詞> & !+1 さん 氏 様 君 川 | +1 が は も & +2 湧く 沸く うるさい 多い 来る いる  # 厨が湧く。
大 ダイ>オー@1 +1 騒動 勝負 博打 ばくち バクチ 盛り上がり 人数 火事 一番 所帯 世帯  # 大騒動になる。
怒り オコリ>イカリ@3 0 <名詞> & !+1 っぽい | +1 狂う 心頭  # 怒り狂う。
怒り イカリ>オコリ@0 +1 っぽい ぽい  # 怒りっぽい人。
島中 シマナカ>シマジュー@0 !+1 さん 氏 様 君 くん ちゃん サークル 配置  # 島中を探す。
村中 ムラナカ>ムラジュー@0 !+1 さん 氏 様 君 くん ちゃん  # 村中を探す。
国中 クニナカ>クニジュー@0 !+1 さん 氏 様 君 くん ちゃん  # 国中を探す。
微 ホロ>ビ@0 !+1 酔い 酔  # 微炭酸。
煽る アフ>アオ  # 煽られる。
確 カタ>カク@1  # 確。
姑 シュート>シュートメ@0  # 姑が来た。
被る カム>カブ
被り カム>カブ@3  # 被り。
障り ザワ>サワ@0 -1 ^ <記号> <助詞>  # 障りがある。
引き ビキ>ヒキ@0 -1 ^ <記号> <助詞> <助動詞>  # 引きが強い。
強 キョー>ツヨ@1 +1 すぎる すぎ 過ぎる  # ボス強すぎ。
癖 クセ>ヘキ@1 +1 に & +2 刺さる ささる 突き刺さる | +1 を & +2 歪める 歪む 狂わす 破壊  # 癖に刺さる。
神曲 シンキョク>カミキョク@0 !-8..8 ダンテ 地獄 地獄篇 煉獄 天国 叙事詩 ヴェルギリウス ウェルギリウス ベアトリーチェ  # この曲は神曲だ。
糞 フン>クソ@2 +1 ゲー ゲーム 運営 雑魚 ガキ 餓鬼 野郎 リプ アニメ 映画 仕様 調整 配信 動画 上司 親 親父 女 男 婆 爺 ババア ジジイ アプデ 客 真面目 味噌 暑い 寒い 忙しい  # 糞ゲーだ。
種 *>タネ@1 +1 を & +2 蒔く まく 植える 播く 明かす とる 飛ばす  # 種を蒔く。
音 オト>ネ@0 +1 を & +2 上げる あげる | -1 の & -2 虫 鈴 笛 琴 三味線  # 音を上げる。
訳 ヤク>ワケ@1 -1 その どういう こういう そういう いう ある 深い 何 なに
一寸 チョット>イッスン@3 +1 先 の & !+2 間  # 一寸の虫。
出ろ シュツロ>デロ@1  # 早く出ろ。
三行 ミユキ>サンギョー@1  # 三行で書く。
札 サツ>フダ@0 -2..-1 値 名 迷子 立て 木 | +1 を & +2 掛ける かける 貼る 下げる  # 値の札。
下 カ>シタ@2 -1 の & !0 <接尾>
次 ジ>ツギ@2 +1 に は の が も へ で & !-1 <一般> <固有名詞> <接尾> 一 二 三 四 五 六 七 八 九 十 何 1 2 3 4 5 6 7 8 9  # ナさん、次の話題に移る。
皮 カワ>ツラ@2 -1 面
へ エ>ヘ@0 -1 ふ う え の & +1 へ へへ へへへ っ ー ん の  # ふへへ。
は ワ>ハ@0 -1 ^ . ! ? & +1 は はは ははは ははっ はっ はあ っ ー よ  # はよ。
は ワ>ハ@0 -1 はは ははは あ はっ はっはっ & +1 , . ! ? $ は  # ははは。
は ワ>ハ@0 +1 ー ーん ーっ  # うはー。
"""


@dataclass(frozen=True, slots=True)
class RuleCondition:
    """A condition that one of the words is at one of the offsets; with `is_absent`, that none is."""

    offsets: range
    words: frozenset[str]
    kinds: frozenset[str]
    is_absent: bool

    def is_met(self, morphs: Sequence[Morph], index: int) -> bool:
        """Return whether the condition holds for the word at an index."""
        return self.is_absent != any(self._is_match(morphs, index + offset) for offset in self.offsets)

    def _is_match(self, morphs: Sequence[Morph], index: int) -> bool:
        if not 0 <= index < len(morphs):
            return (index == -1 and "^" in self.words) or (index == len(morphs) and "$" in self.words)
        morph = morphs[index]
        return morph.surface in self.words or morph.base in self.words or not self.kinds.isdisjoint(morph.kinds)


@dataclass(frozen=True, slots=True)
class ReadingRule:
    """One line: alternatives, each of conditions that must all hold; `example` is a text on which it decides."""

    key: str
    wrong: str
    right: str
    accent: int | None
    alternatives: tuple[tuple[RuleCondition, ...], ...]
    example: str = ""

    def find_reading(self, morphs: Sequence[Morph], index: int) -> str | None:
        """Return what the word at an index is read as; None where the rule does not fit."""
        reading = morphs[index].reading
        if self.wrong != "*" and not reading.startswith(self.wrong):
            return None
        if not any(all(condition.is_met(morphs, index) for condition in conditions) for conditions in self.alternatives):
            return None
        if not self.right:
            return reading
        return self.right if self.wrong == "*" else self.right + reading[len(self.wrong) :]


class ReadingRules:
    """Rules by their words; `text`: as the module says; raises ValueError for a line that is no rule."""

    def __init__(self, text: str) -> None:
        self._by_key: dict[str, list[ReadingRule]] = {}
        for line in text.splitlines():
            if line.strip():
                rule = _parse_rule(line.strip())
                self._by_key.setdefault(rule.key, []).append(rule)

    def __iter__(self) -> Iterator[ReadingRule]:
        return (rule for rules in self._by_key.values() for rule in rules)

    def find_corrections(self, morphs: Sequence[Morph]) -> Iterator[Correction]:
        """Yield what the rules say of a sentence."""
        for at, rule, reading in self.find_decisions(morphs):
            yield Correction(at, at + 1, (MorphPart(morphs[at].surface, reading, rule.accent),), "rule", rule.key)

    def find_decisions(self, morphs: Sequence[Morph]) -> Iterator[tuple[int, ReadingRule, str]]:
        """Yield the index of each word that a rule decides on, the first rule that fits, and the reading."""
        for at, morph in enumerate(morphs):
            by_surface = self._by_key.get(morph.surface, ())
            by_base = self._by_key.get(morph.base, ()) if morph.base != morph.surface else ()
            for rule in (*by_surface, *by_base):
                reading = rule.find_reading(morphs, at)
                if reading is not None:
                    yield at, rule, reading
                    break


def _parse_rule(line: str) -> ReadingRule:
    stated, _sign, example = (section.strip() for section in line.partition("#"))
    match = _RULE_LINE.fullmatch(stated)
    if not match:
        raise ValueError(f"no rule: {line}")
    key, wrong, right, _keeps, accent, conditions = match.groups()
    alternatives = tuple(tuple(map(_parse_condition, section.split("&"))) for section in (conditions or "+0 " + key).split("|"))
    return ReadingRule(key, wrong, right or "", int(accent) if accent else None, alternatives, example)


def _parse_condition(text: str) -> RuleCondition:
    places, *words = text.split()
    match = _NEIGHBOUR_RANGE.fullmatch(places)
    if not match or not words:
        raise ValueError(f"no condition: {text}")
    first = int(match[2])
    kinds = {word[1:-1] for word in words if word.startswith("<") and word.endswith(">")}
    return RuleCondition(range(first, int(match[3] or first) + 1), frozenset(words) - kinds, frozenset(kinds), bool(match[1]))
