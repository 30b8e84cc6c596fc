"""The program's symbol table, and what this voice makes of its rarer entries."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
from app.core.symbols import SYMBOL_IDS as ID
from app.core.symbols import SYMBOLS

__all__ = ["ID", "RELATIVES", "SYMBOLS"]

# Symbols that no Japanese line of the corpora holds speak like their nearest relative.
RELATIVES = {
    "a:": "a", "e:": "e", "i:": "i", "o:": "o", "u:": "u", "zy": "z", "…": ".", "SP": ",", "UNK": ",",
    "AA": "a", "E": "e", "EE": "e", "En": "e", "OO": "o", "V": "u", "aa": "a", "ae": "a", "ah": "a", "ai": "a", "an": "a",
    "ang": "a", "ao": "o", "aw": "a", "ay": "a", "c": "ts", "dh": "z", "eh": "e", "ei": "e", "en": "e", "eng": "e", "er": "a",
    "ey": "e", "hh": "h", "i0": "i", "ia": "a", "ian": "e", "iang": "a", "iao": "a", "ie": "e", "ih": "i", "in": "i", "ing": "i",
    "iong": "o", "ir": "i", "iu": "u", "iy": "i", "jh": "j", "l": "r", "ng": "N", "ong": "o", "ou": "o", "ow": "o", "oy": "o",
    "th": "s", "ua": "a", "uai": "a", "uan": "a", "uang": "a", "uh": "u", "ui": "i", "un": "u", "uo": "o", "uw": "u",
    "van": "e", "ve": "e", "vn": "u", "x": "sh", "zh": "j",
}  # fmt: skip
