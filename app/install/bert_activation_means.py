"""Measures the mean content of a BERT's products before its int8 copy is made; the copy is centred on these means."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from app.adapters.ort.graph_session import RunnableSession, open_unoptimized
from app.core.synthesis_types import Float32, Int64

# Six hundred tokens of all kinds; none of those that int8 is judged by.
BERT_CALIBRATION_SENTENCES = (
    "おはようございます、今朝はずいぶん冷えますね。",
    "え、それって本当なの？ 信じられない！",
    "次は、終点の大阪に到着いたします。お忘れ物のないようご注意ください。",
    "彼は二〇一九年に小さな会社を立ち上げ、五年で社員が百人になった。",
    "ねえねえ、週末に映画でも見に行かない？",
    "本日の会議は、午後三時から第二会議室で行います。",
    "山の向こうに夕日が沈むと、村は深い静けさに包まれた。",
    "このボタンを押すと、設定が最初の状態に戻ります。",
    "ごめんなさい、遅くなってしまって……。",
    "経済の回復には、まだ時間がかかるとの見方が広がっている。",
    "うわあ、すごい！ こんなに大きな魚は初めて見たよ。",
    "駅から歩いて十分ほどのところに、古い喫茶店がある。",
    "猫は、窓辺で気持ちよさそうに眠っていた。",
    "コンピューターのプログラムを書くのは、パズルを解くのに似ています。",
    "もしもし、田中ですけれども、山本さんはいらっしゃいますか？",
    "春になると、川沿いの桜がいっせいに咲き始めます。",
    "絶対に許さない。二度と俺の前に現れるな！",
    "材料は、卵が二個、牛乳が二百ミリリットル、砂糖が大さじ三杯です。",
    "子どもたちは歌を歌いながら、手をつないで帰っていった。",
    "先生、質問があります。この式はどうして成り立つのですか？",
    "台風の接近に伴い、明日は各地で大雨となるおそれがあります。",
    "そっか、それなら仕方ないね。",
    "父の書斎には、外国の本がぎっしりと並んでいた。",
    "最後までお聞きくださり、ありがとうございました。",
)


def measure_activation_means(graph: Path, texts: Sequence[Int64]) -> dict[str, Float32]:
    """Return the mean of the content over all tokens, by name of the product (inputs,).

    Args:
        graph: a graph of `app.voices.prepare.bert.lean_deberta`.
        texts: token ids.
    """
    return measure_means_by_session(open_unoptimized(graph, "BERT"), texts)


def measure_means_by_session(session: RunnableSession, texts: Sequence[Int64]) -> dict[str, Float32]:
    """Measure the means with a session on the graph that outputs them."""
    sums = [np.zeros((), np.float64)] * len(session.outputs)
    for ids in texts:
        means = session.run_graph({"input_ids": ids})
        sums = [total + mean * len(ids) for total, mean in zip(sums, means, strict=True)]
    tokens = sum(len(ids) for ids in texts)
    return {name: (total / tokens).astype(np.float32) for name, total in zip(session.outputs, sums, strict=True)}
