"""Words, as written or in their base form, that the second analyser knows better than the first: found by comparing both over literature."""

from __future__ import annotations

WHITE_LIST = frozenset(
    """
居り 拵える 起き上る 盗人 奇怪 良人 懐く 集う 蔑む
半七 左膳 右門 紋也 三千代 三四郎 源十郎 九十郎 宗三郎 唯円 三吉 小坂部 お秀 お民 お蓮 お葉
""".split()  # noqa: SIM905 — a list to read
)
