"""Short words that end others, by what stands before and behind them."""

import pytest

from app.core.text.readings.morphs import Morph
from app.core.text.readings.reading_corrections import find_affixes

KINDS = {
    "捨て": ("動詞", "自立", "連用形"),
    "する": ("動詞", "自立", "基本形"),
    "の": ("助詞",),
    "佐藤": ("名詞", "固有名詞", "人名", "姓"),
    "二": ("名詞", "数"),
    "これ": ("名詞", "代名詞"),
    "'": ("記号",),
}


def ended(*surfaces: str) -> list[str]:
    """What is read in these words: readings of the affixes, and how they join."""
    morphs: list[Morph] = []
    for surface in surfaces:
        base = "面する" if surface.startswith("面") else surface
        morphs.append(Morph(surface, base, KINDS.get(surface, ("名詞", "一般")), "ア", morphs[-1].end if morphs else 0))
    return [" ".join(f"{part.surface}:{part.reading or ''}:{part.kind}" for part in one.parts) for one in find_affixes(morphs)]


@pytest.mark.parametrize(
    ("surfaces", "expected"),
    [
        (("指示", "厨", "が"), ["厨:チュー:noun"]),
        (("捨て", "垢"), ["垢:アカ:suffix"]),
        (("リア", "充"), ["充:ジュー:noun"]),
        (("彼氏", "面し", "て"), ["面:ズラ:noun し::動詞,自立"]),
        (("電池", "切れ", "です"), ["切れ:ギレ:noun"]),
        (("電池", "切れ", "た"), []),
        (("厨", "が"), []),
        (("の", "垢"), []),
        (("'", "垢"), []),
        (("佐藤", "充"), []),
        (("二", "凸"), []),
        (("これ", "担"), []),
        (("する", "枠"), []),
        (("窓", "枠"), []),
        (("海", "面する"), []),
        (("君", "主"), []),
        (("配信", "主"), ["主:ヌシ:noun"]),
    ],
)
def test_what_ends_a_word(surfaces: tuple[str, ...], expected: list[str]) -> None:
    assert ended(*surfaces) == expected
