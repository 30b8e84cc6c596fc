"""Faces are left out whole; what stands in brackets otherwise is text."""

import pytest

from app.core.text.normalise.characters import BOUNDARY_CHAR
from app.core.text.normalise.punctuation import drop_faces


@pytest.mark.parametrize(
    "face",
    [
        "(∩´∀｀)∩", "(っ´ω`c)", "(´・ω・`)", "＼(^o^)／", "m(_ _)m", "(*´∀`*)ノ", "（；´Д｀）", "ヽ(´ー｀)ノ", "(つД`)", "(・∀・)", "(T_T)", "(;_;)", "(>_<)",
        "(≧∇≦)b", "(^_-)-☆", "(=^・ω・^=)", "(*ﾉωﾉ)", "(/ω＼)", "( ˘ω˘ )", "(๑•̀ㅂ•́)و✧", "¯\\_(ツ)_/¯", "_(:3」∠)_", "ʕ•ᴥ•ʔ", "⊂(・ω・)⊃", "('A`)",
        "('ω')", "(o^^o)", "d(^_^o)", "(ToT)/", "Σ(ﾟДﾟ)", "(^^)v", "(´Д⊂ヽ", "(^^;", "T_T", ">_<", "><", "^_^", "(・o・)", "(-_-)zzz", "ﾟ+.(・ω・)ﾟ+.",
    ],
)  # fmt: skip
def test_a_face_is_dropped(face: str) -> None:
    assert drop_faces(f"うん{face}").replace(BOUNDARY_CHAR, "") == "うん"


@pytest.mark.parametrize(
    "text",
    [
        "sin(ωt)", "角速度(ω)", "(ωt+φ)", "(A∩B)", "(∀x)(x>0)", "(x^2+1)", "(∇ω)", "(a<b)", "(x>=0)", "(>=)", "(5>3)", "(笑)", "(株)", "(1)(2)", "(°C)", "(・・・)", "(T)",
        "f(x_n)", "O(n)", "(仮)", "(2-1)", "x > y", "(\ue000ω´)", "カタカナノ(注)", "(^n)",
    ],
)  # fmt: skip
def test_text_and_formulas_stay(text: str) -> None:
    assert drop_faces(text) == text


def test_words_beside_a_face_stay_apart() -> None:
    assert drop_faces("キノ(^^)ノート") == f"キノ{BOUNDARY_CHAR}ノート"
    assert drop_faces("good(^^)") == f"good{BOUNDARY_CHAR}"
