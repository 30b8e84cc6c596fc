"""Values for options, fields and surroundings that no sane person gives."""

import random
from pathlib import Path

from tests.campaigns.attack.hostile.special_files import put_special
from tests.campaigns.attack.hostile.texts import hostile_text

NUMBERS = (
    "", " ", "0", "-0", "-1", "1", "1.5", "0.5", "2", "1e-320", "1e308", "1e309", "-1e309", "nan", "inf", "-inf", "NaN", "Infinity",
    "2147483647", "2147483648", "-2147483649", "9223372036854775808",
    "9" * 400, "9" * 5000, "1" + "0" * 308, "0x10", "0b1", "1_000", "１", "一", "1,5", "1 2", "+1", "--1", "1e", "٣", "Ⅷ",
    "0" * 1000 + "1", "1/3", "true", "None", "1\0", "1\n", "\x1b[31m1",
)  # fmt: skip
WORDS = (
    "", " ", "-", "--", "---", "-x", "--x", "=", "=x", "x=", "x=1", ",=0.2", "、=0.2", "、=nan", "、=9e999", "、=-1", "x=1=2", ",,,", ":",
    "cpu", "cpu:", "cpu:99", "cpu:-1", ":0", "bert=", "bert=cpu,bert=cpu",
    "bert=cpu,decoder=", "prosody=nothing", "auto,auto", "directml:0", "cuda:" + "9" * 30, "5,20", "5,", "0", "501", "-5", "1e3", "5,,5",
    "9" * 5000, "a", "A" * 100_000, "あ" * 5000, "..", ".", "/", "//", "~", "~nobody/x",
    "../../x", "C:\\x", "NUL", "con.wav", "%s%n", "{0}", "{}", "$HOME", "`id`", "';--", "a,b", '"', "'", "\\", "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07", "\x9b31m", "\u202eabc", "\r\n", "a\nb", "a\tb", "\x7f", "\ud800", "\udcff\udcfe",
    "😀", "é", "e\u0301", "ﬁ", "İ", "ß", "None", "null", "true", "[]", "*", "?", "mei", "Mei (starter)", "MEI", "starter", "Neutral",
    "ノーマル", "99", "-1", "int8", "float32", "auto", "noun", "http://", "http://[", "https://127.0.0.1:99999/x",
    "http://127.0.0.1:1/\\@x/", "file:///etc/passwd", "ftp://x/y", "javascript:1", "https://x" + "/" * 3000, "http://\x1b[31m/",
    "http://xn--/", "http://あ.example/声", "00000000-0000-0000-0000-000000000000", "data:,x",
)  # fmt: skip
NAMES = (
    "a,b", "Doe, John", "a b", " a", "a ", "a.", "a'b", 'a"b', "a`b", "a;b", "a&b", "a#b", "a%41b", "a$HOMEb", "a*b", "a?b", "[a]", "{a}",
    "(a)", "a=b", "a:b", "a|b", "a<b>", "a\\b", "a\\nb", "a\nb", "a\tb", "a\rb", "-a", "--help", "~a", "声箱",
    "が", "か\u3099", "😀", "👨‍👩‍👧", "\u202eabc", "\u200b", "é", "e\u0301", "İ", "a\x1b[31mb", "a\x07b", "a\x7fb",
    "a\x9bb", "\udcff\udcfe", "a\udc80b", "x" * 200, "あ" * 80, "NUL", "con", "a..b", "...", "%", "!", "^", "@", "+", "a{b,c}d",
    "\ufeffa", "\u3000",
)  # fmt: skip
SUFFIXES = (".wav", ".flac", ".mp3", ".ogg", ".opus", "", ".WAV", ".txt", ".wav.part", ".", ".wav ")


def special_path(draw: random.Random, folder: Path) -> str:
    """A file that is none, or one that is far too large; it lies in this folder."""
    kind = draw.choice(
        ("pipe", "folder", "link to zeros", "link to itself", "sparse", "link to nothing", "socket", "link to full", "link to random")
    )
    path = folder / f"special-{kind.replace(' ', '-')}"
    if not path.exists() and not path.is_symlink():
        put_special(path, kind)
    return str(path)


def value(draw: random.Random) -> str:
    """For an option of any kind."""
    kind = draw.random()
    if kind < 0.4:
        return draw.choice(NUMBERS)
    return draw.choice(WORDS) if kind < 0.9 else hostile_text(draw)


def on_a_command_line(text: str) -> str:
    """As the system hands it over: no null characters, no halves of pairs that are no bytes, 100,000 characters at most."""
    text = text.replace("\0", "")[:100_000]
    halves = [letter for letter in text if "\ud800" <= letter <= "\udfff"]
    raw = all("\udc80" <= letter <= "\udcff" for letter in halves)  # which stand for single bytes
    return text.encode("utf-8", "surrogateescape" if raw else "replace").decode("utf-8", "surrogateescape")


def long_home(root: Path, length: int) -> Path:
    """A path of so many characters."""
    path = root
    while len(str(path)) < length:
        path = path / ("d" * min(200, max(1, length - len(str(path)) - 1)))
    return path
