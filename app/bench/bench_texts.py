"""The texts that are spoken when speed is measured."""

from __future__ import annotations

BENCH_LINES = {
    "short": "今日の朝は公園を歩きますね。",
    "long": "新しい図書館は、来月の十五日に開館する予定で、児童書や専門書など三十万冊を所蔵します。",
}
"""61 and 211 symbols with blanks, 16 and 45 BERT tokens; real speech has about 3.1 frames a symbol, so 2.2 s and 7.6 s."""
BENCH_SENTENCE = "今日はとてもいい天気なので、駅前の公園まで歩いて行って、友達と写真を撮りました。夕方には家に帰って、温かいお茶を飲みながら本を読みました。"


def build_text(tokens: int) -> str:
    """Return a text that BERT reads as so many tokens, [CLS] and [SEP] among them."""
    length = max(1, tokens - 2)
    return (BENCH_SENTENCE * (length // len(BENCH_SENTENCE) + 1))[:length]
