"""The symbols a Style-Bert-VITS2 voice was trained with, in id order.

This is interoperability data: the position of a symbol is its id in `x_tst`, so the order is never to be sorted again or
completed. Japanese uses a few dozen of them; Chinese and English ones only hold their places.
"""

# fmt: off
SYMBOLS: tuple[str, ...] = (
    "_", "AA", "E", "EE", "En", "N", "OO", "V", "a", "a:", "aa", "ae", "ah", "ai", "an", "ang", "ao", "aw", "ay", "b", "by", "c", "ch",
    "d", "dh", "dy", "e", "e:", "eh", "ei", "en", "eng", "er", "ey", "f", "g", "gy", "h", "hh", "hy", "i", "i0", "i:", "ia", "ian",
    "iang", "iao", "ie", "ih", "in", "ing", "iong", "ir", "iu", "iy", "j", "jh", "k", "ky", "l", "m", "my", "n", "ng", "ny", "o", "o:",
    "ong", "ou", "ow", "oy", "p", "py", "q", "r", "ry", "s", "sh", "t", "th", "ts", "ty", "u", "u:", "ua", "uai", "uan", "uang", "uh",
    "ui", "un", "uo", "uw", "v", "van", "ve", "vn", "w", "x", "y", "z", "zh", "zy", "!", "?", "…", ",", ".", "'", "-", "SP", "UNK",
)
# fmt: on

SYMBOL_IDS: dict[str, int] = {symbol: index for index, symbol in enumerate(SYMBOLS)}

# Nanairo appends these, in order of code point; its voices speak them, all others leave them out.
NANAIRO_EMOJI: tuple[str, ...] = tuple("⏩⏸🌬🎵🐢👂👅👌💋💨📞📢😆😊😌😏😒😖😟😠😪😭😮😰😱😲🙄🙏🤐🤔🤧🤭🥤🥱🥴🥵🥺🫣🫶")
EMOJI_IDS: dict[str, int] = {symbol: len(SYMBOLS) + index for index, symbol in enumerate(NANAIRO_EMOJI)}
NANAIRO_SYMBOL_COUNT = len(SYMBOLS) + len(NANAIRO_EMOJI)

EDGE_SYMBOL = "_"  # at both ends of a sentence; its id 0 is also the blank between phones
PUNCTUATION = frozenset("!?,.'-")  # only these marks of the table occur as phones in Japanese
PUNCTUATION_PHONES = {"、": ",", "，": ",", "。": ".", "．": ".", "！": "!", "？": "?", "・": ",", "…": "."}  # as people write them
VOWEL_PHONES = frozenset("aiueo")
_JAPANESE_MORA_ENDS = VOWEL_PHONES | {"N", "q"} | frozenset(NANAIRO_EMOJI)  # an emoji is a mora of its own
_ENGLISH_LETTERS = frozenset("ɑæʌɔʊɪɛɜəː")  # every English syllable has one of them, and no other phone has


def is_english(phone: str) -> bool:
    """Return whether a phone is an English syllable, as `app.core.text.english_phones` writes it."""
    return not _ENGLISH_LETTERS.isdisjoint(phone)


def is_mora_end(phone: str) -> bool:
    """Return whether a phone is the last one of a mora; an English syllable is one of its own."""
    return phone in _JAPANESE_MORA_ENDS or is_english(phone)


JAPANESE_LANGUAGE_ID = 1
JAPANESE_TONE_OFFSET = 6
