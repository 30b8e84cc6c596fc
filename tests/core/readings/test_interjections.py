"""は and へ that no word stands before."""

import pytest

from app.core.text.readings.morphs import Morph
from app.core.text.readings.reading_corrections import find_cries

KINDS = {
    "え": "感動詞", "母": "名詞", "私": "名詞", "い": "名詞", "いえ": "動詞", "東京": "名詞", "か": "終助詞", "で": "格助詞",
    "する": "動詞", "だ": "助動詞", "は": "係助詞", "へ": "格助詞", "ヘ": "格助詞",
}  # fmt: skip
SOUNDS = {"は": "ワ", "へ": "エ", "ヘ": "エ"}


def cried(*surfaces: str) -> list[int]:
    """Places of the cries among these words."""
    morphs: list[Morph] = []
    for surface in surfaces:
        start = morphs[-1].end if morphs else 0
        morphs.append(Morph(surface, surface, (KINDS.get(surface, "名詞"),), SOUNDS.get(surface, "ア"), start))
    return [one.first for one in find_cries(morphs)]


@pytest.mark.parametrize(
    ("surfaces", "expected"),
    [
        (("は", ",", "はい"), [0]),
        (("は", "?"), [0]),
        (("'", "は", "何"), [1]),
        (("...", "は", "?"), [1]),
        (("は", ",", "は", ",", "はい"), [0, 2]),
        (("え", ",", "は", ",", "はい"), [2]),
        (("い", ",", "は", "..."), [2]),
        (("母", ",", "は", ",", "はい"), [2]),
        (("母", "は", ",", "は", ",", "はい"), [3]),
        (("だ", ",", "は", "?"), [2]),
        (("か", "...", "は", "?"), [2]),
        (("え", ",", "へ", "?"), [2]),
        (("'", "ヘ", "'", "の"), [1]),
        (("母", "は", ","), []),
        (("母", ",", "は", ",", "私"), []),
        (("母", ".", ".", "は", ","), []),
        (("'", "する", "'", "は", "母"), []),
        (("'", "する", "'", "は", ",", "母"), []),
        (("する", "--", "は", ",", "母"), []),
        (("東京", "へ", ",", "と"), []),
        (("東京", "で", ",", "は", ",", "私"), []),
        (("え", "!", "は", "母"), []),
    ],
)
def test_a_letter_alone_is_no_particle(surfaces: tuple[str, ...], expected: list[int]) -> None:
    assert cried(*surfaces) == expected
